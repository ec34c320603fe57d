import { type CommonConfig, createEndpointClient, type EndpointClient } from '@modelport/driver'
import type { OpenAIConnection } from './config.js'
import { toEndpoint } from './endpoint.js'
import { toError } from './error.js'
import { type ApiRequest, ownRequest } from './own-requests.js'
import { toSettings } from './provider.js'

/** What the endpoints besides conversations need: the connection, and how to send. */
export type JsonEndpointConfig = OpenAIConnection &
  Omit<CommonConfig, 'model'> & { readonly model?: string }

/** A client for the endpoints besides conversations, and how their requests are made. */
export interface ApiClient {
  readonly name: string
  readonly client: EndpointClient
  readonly request: (path: string) => Promise<ApiRequest>
}

/**
 * Makes such a client. Of an Azure deployment, `api` takes its own URL, or that of its resource.
 * @throws {LlmError} `invalid-base-url`, `config` — the address or the key is missing or malformed.
 */
export function apiClient(config: JsonEndpointConfig, api: 'deployment' | 'resource'): ApiClient {
  const endpoint = toEndpoint(config, api)
  const { name } = endpoint
  const settings = toSettings({ ...config, model: config.model ?? '' }, endpoint)
  return {
    name,
    client: createEndpointClient(name, (failure) => toError(name, failure), settings),
    request: (path) => ownRequest(endpoint, config, path),
  }
}
