import type { CommonConfig } from '@modelport/driver'
import { createJsonClient, type JsonCallOptions } from '@modelport/driver'
import type { OpenAIConnection } from './config.js'
import { toEndpoint } from './endpoint.js'
import { toError } from './error.js'
import { ownRequest } from './own-requests.js'
import { toSettings } from './provider.js'

/** What the endpoints besides conversations need: the connection, and how to send. */
export type JsonEndpointConfig = OpenAIConnection & Omit<CommonConfig, 'model'> & { readonly model?: string }

/** Asks an endpoint that takes and gives one JSON body; posts when there is a `body`. */
export type AskEndpoint = <T>(path: string, body: unknown, options?: JsonCallOptions) => Promise<T>

/**
 * How to ask such an endpoint. Of an Azure deployment, `api` takes its own URL, or that of its resource.
 * @throws {LlmError} `invalid-base-url`, `config` — the address or the key is missing or malformed.
 */
export function jsonEndpoint(
  config: JsonEndpointConfig,
  api: 'deployment' | 'resource',
): { readonly name: string; readonly ask: AskEndpoint } {
  const endpoint = toEndpoint(config, api)
  const { name } = endpoint
  const client = createJsonClient(
    name,
    (failure) => toError(name, failure),
    toSettings({ ...config, model: config.model ?? '' }, endpoint),
  )
  const ask: AskEndpoint = async <T>(path: string, body: unknown, options?: JsonCallOptions) =>
    client.request<T>({ ...(await ownRequest(endpoint, config, path)), ...(body !== undefined && { body }) }, options)
  return { name, ask }
}
