import type { CommonConfig } from '@modelport/driver'
import { createJsonClient, type JsonCallOptions } from '@modelport/driver'
import type { OpenAIConnection } from './config.js'
import { type Endpoint, toEndpoint } from './endpoint.js'
import { toError } from './error.js'
import { toSettings } from './provider.js'

/** What the endpoints beside a conversation need: the connection, and how to send. */
export type JsonEndpointConfig = OpenAIConnection & Omit<CommonConfig, 'model'> & { readonly model?: string }

/** Asks an endpoint that takes and gives one JSON body; posts when there is a `body`. */
export type AskEndpoint = <T>(path: string, body: unknown, options?: JsonCallOptions) => Promise<T>

/**
 * How to ask such an endpoint. Of an Azure deployment, `api` takes its own URL, or that of its resource.
 * @throws {LlmError} `invalid-base-url`, `config` — the address or the key is missing or malformed.
 */
export function jsonEndpoint(config: JsonEndpointConfig, api: 'deployment' | 'resource'): { readonly name: string; readonly ask: AskEndpoint } {
  const { apiKey: _key, baseUrl: _url, organization, project, azure: _azure, ...common } = config
  const endpoint = toEndpoint(config, api)
  const { name, baseUrl, query } = endpoint
  const client = createJsonClient(name, (failure) => toError(name, failure), toSettings({ ...common, model: config.model ?? '' }, endpoint))
  const suffix = Object.keys(query).length ? `?${new URLSearchParams(query).toString()}` : ''
  const own = { ...(organization !== undefined && { 'openai-organization': organization }), ...(project !== undefined && { 'openai-project': project }) }
  const ask: AskEndpoint = async <T>(path: string, body: unknown, options?: JsonCallOptions) => {
    const headers = { ...own, ...(await authorization(endpoint)) }
    return client.request<T>({ url: `${baseUrl}${path}${suffix}`, headers, ...(body !== undefined && { body }) }, options)
  }
  return { name, ask }
}

async function authorization({ apiKey, keyHeader, token }: Endpoint): Promise<Readonly<Record<string, string>>> {
  if (keyHeader && apiKey !== undefined) return { 'api-key': apiKey }
  const bearer = token ? await token() : apiKey
  return bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }
}
