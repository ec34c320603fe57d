import { toChatError } from '@modelport/chat-completions'
import type { RequestOptions } from '@modelport/core'
import { createEndpointClient, requireConfig } from '@modelport/driver'
import { configNames, fieldNames, type OpenAICompatibleConfig } from './config.js'
import { authorization, endpointUrl, toSettings } from './provider.js'

/** A model the server has. */
export interface OpenAICompatibleModel {
  /** What to give as `model`. */
  readonly id: string
  /** Who made it, as the server says. */
  readonly ownedBy?: string
}

interface WireModels {
  readonly data?: readonly ({ readonly id?: unknown; readonly owned_by?: unknown } | null)[]
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
  const response = await client.json<WireModels | WireModels['data']>(request, options)
  // Some servers respond with the bare list.
  const list = Array.isArray(response) ? response : (response as WireModels | null)?.data
  return (Array.isArray(list) ? (list as NonNullable<WireModels['data']>) : []).flatMap((row) =>
    typeof row?.id === 'string'
      ? [{ id: row.id, ...(typeof row.owned_by === 'string' && { ownedBy: row.owned_by }) }]
      : [],
  )
}
