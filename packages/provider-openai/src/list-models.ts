import { asText, type RequestOptions } from '@modelport/core'
import { dateOf, defined, listOf, requireConfig } from '@modelport/driver'
import { apiClient, type JsonEndpointConfig } from './api-client.js'
import { configNames, fieldNames } from './config.js'
import { type WireModels } from './wire.js'

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
 * The models the key may use, by `GET /models`; at Azure those of the resource, deployed or not.
 * Throws like a call of the provider.
 * @see https://developers.openai.com/api/reference/resources/models (read 2026-11-21)
 */
export async function listModels(
  config: JsonEndpointConfig,
  options?: RequestOptions,
): Promise<readonly OpenAIModel[]> {
  requireConfig(config, 'listModels', configNames, fieldNames)
  const { client, request } = apiClient(config, 'resource')
  const listRequest = { ...(await request('/models')), inBandErrors: false }
  const response = await client.json<WireModels | null>(listRequest, options)
  return listOf(response?.data).flatMap(({ id, created, owned_by }) => {
    const facts = defined({ createdAt: dateOf(created), ownedBy: asText(owned_by) || undefined })
    return asText(id) ? [{ id: asText(id), ...facts }] : []
  })
}
