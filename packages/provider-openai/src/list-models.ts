import type { JsonCallOptions } from '@modelport/driver'
import { jsonEndpoint, type JsonEndpointConfig } from './json-endpoint.js'
import type { WireModels } from './wire.js'

/** A model the key may use. */
export interface OpenAIModel {
  /** What to give as `model`. */
  readonly id: string
  /** When it was made, ISO 8601. */
  readonly createdAt?: string
  /** Who made it, as the server says. */
  readonly ownedBy?: string
}

/**
 * The models the key may use, by `GET /models`; at Azure those of the resource, deployed or not. Throws like a call of the provider.
 * @see https://developers.openai.com/api/reference/resources/models (read 2026-11-21)
 */
export async function listModels(config: JsonEndpointConfig, options?: JsonCallOptions): Promise<readonly OpenAIModel[]> {
  const { data = [] } = await jsonEndpoint(config, 'resource').ask<WireModels>('/models', undefined, options)
  return data.flatMap(({ id, created, owned_by }) => {
    if (!id) return []
    return [{ id, ...(created !== undefined && { createdAt: new Date(created * 1000).toISOString() }), ...(owned_by && { ownedBy: owned_by }) }]
  })
}
