import { BaseAnthropic, type ClientOptions } from '@anthropic-ai/sdk/client'
import { LlmError } from '@modelport/core'
import { type ApiRequest, type Connection, ownRequest } from './connection.js'
import { providerName } from './error.js'

/** How requests of `/v1/messages` are made; each call makes one. */
export type BuildRequest = (betas: readonly string[]) => Promise<ApiRequest>

/**
 * Lets the official SDK build requests, with URL, headers and authentication; it sees no body and no reply. The base client builds what
 * the whole one does. The bundle of a browser or a worker has `browser-requests.ts` in the place of this file.
 * @throws {LlmError} `config` — the SDK refuses to run here.
 */
export function buildRequests(connection: Connection, dangerouslyAllowBrowser: boolean): BuildRequest {
  const client = createClient({
    // Any value keeps the SDK from looking for credentials in the environment and on disk; the headers below replace it.
    apiKey: connection.secrets[0] ?? 'none',
    webhookKey: null,
    baseURL: connection.baseUrl,
    logLevel: 'off',
    openTelemetry: false,
    dangerouslyAllowBrowser,
  })
  return async (betas) => {
    const { headers: own } = ownRequest(connection, '', betas)
    // `null` takes away what the SDK would send.
    const headers = { 'x-api-key': null, authorization: null, 'x-stainless-timeout': null, ...own }
    const { url, req } = await client.buildRequest({ method: 'post', path: '/v1/messages', body: {}, headers })
    return { url, headers: Object.fromEntries(req.headers) }
  }
}

function createClient(options: ClientOptions): BaseAnthropic {
  try {
    const client = new BaseAnthropic(options)
    // The constructor adds the headers of ANTHROPIC_CUSTOM_HEADERS to its options, and no option turns that off; env.test.ts watches this.
    Reflect.set(client, '_options', options)
    return client
  } catch (error) {
    throw new LlmError('config', `${providerName}: ${error instanceof Error ? error.message : String(error)}`)
  }
}
