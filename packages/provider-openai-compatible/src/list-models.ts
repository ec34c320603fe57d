import { toChatError } from '@modelport/chat-completions'
import type { RequestOptions } from '@modelport/core'
import { createEndpointClient, listOf, requireConfig } from '@modelport/driver'
import { configNames, fieldNames, type OpenAICompatibleConfig } from './config.js'
import { authorization, endpointUrl, toSettings } from './provider.js'

/** A model the server has. */
export interface OpenAICompatibleModel {
  /** What to give as `model`. */
  readonly id: string
  /** Who made it, as the server says. */
  readonly ownedBy?: string
}

interface WireModel {
  readonly id?: unknown
  readonly owned_by?: unknown
}

interface WireModels {
  readonly data?: readonly WireModel[]
}

/**
 * The models the server has, by `GET /v1/models`. Throws like a call of the provider.
 * @see https://platform.openai.com/docs/api-reference/models (read 2026-11-21)
 */
export async function listModels(
  config: Omit<OpenAICompatibleConfig, 'model'>,
  options?: RequestOptions,
): Promise<readonly OpenAICompatibleModel[]> {
  requireConfig(config, 'listModels', configNames, fieldNames)
  const name = config.name ?? 'openai-compatible'
  const client = createEndpointClient(
    name,
    (failure) => toChatError(name, failure),
    toSettings({ ...config, model: '' }),
  )
  const request = {
    url: endpointUrl(config, '/models'),
    headers: authorization(config),
    inBandErrors: false,
  }
  const response = await client.json<WireModels | readonly WireModel[] | null>(request, options)
  // Some servers respond with the bare list.
  const list = isList(response) ? response : response?.data
  return listOf(list).flatMap(toModel)
}

const isList = (
  response: WireModels | readonly WireModel[] | null,
): response is readonly WireModel[] => Array.isArray(response)

/** The model of a row; none if the row has no id. */
function toModel({ id, owned_by: ownedBy }: WireModel): OpenAICompatibleModel[] {
  if (typeof id !== 'string') return []
  return [{ id, ...(typeof ownedBy === 'string' && { ownedBy }) }]
}
