import { asText, type RequestOptions } from '@modelport/core'
import { createEndpointClient, requireConfig } from '@modelport/driver'
import { ownRequest, toConnection } from './connection.js'
import { providerName, toAnthropicError } from './error.js'
import { type AnthropicConfig, configNames, fieldNames, toSettings } from './provider.js'

/** A model the key may use. */
export interface AnthropicModel {
  /** What to give as `model`. */
  readonly id: string
  /** Its name for people. */
  readonly displayName?: string
  /** Date of its release, ISO 8601. */
  readonly createdAt?: string
}

type ModelPage = Readonly<Partial<Record<'data' | 'has_more' | 'last_id', unknown>>>

/** Maximum pages that are read: a server could name another one for ever. */
const mostPages = 100

/**
 * The models the key may use, newest first. Throws like `Provider.complete`.
 * @see https://platform.claude.com/docs/en/api/models-list (read 2026-11-21)
 */
export async function listModels(
  config: Omit<AnthropicConfig, 'model'>,
  options?: RequestOptions,
): Promise<readonly AnthropicModel[]> {
  requireConfig(config, 'listModels', configNames, fieldNames)
  const connection = toConnection(config)
  const client = createEndpointClient(
    providerName,
    toAnthropicError,
    toSettings({ ...config, model: '' }, connection),
  )
  const models: AnthropicModel[] = []
  let after = ''
  for (let pages = 0; pages < mostPages; pages++) {
    const query = after ? `&after_id=${encodeURIComponent(after)}` : ''
    const request = await ownRequest(connection, `/v1/models?limit=1000${query}`)
    const page = await client.json<ModelPage | null>({ ...request, inBandErrors: false }, options)
    if (Array.isArray(page?.data)) models.push(...page.data.flatMap(toModel))
    const last = asText(page?.last_id)
    if (!page?.has_more || !last || last === after) break
    after = last
  }
  return models
}

function toModel(row: unknown): AnthropicModel[] {
  const { id, display_name, created_at } = (row ?? {}) as Readonly<Record<string, unknown>>
  const displayName = asText(display_name)
  const createdAt = asText(created_at)
  return asText(id)
    ? [{ id: asText(id), ...(displayName && { displayName }), ...(createdAt && { createdAt }) }]
    : []
}
