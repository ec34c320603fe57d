import type { BaseAnthropic } from '@anthropic-ai/sdk/client'
import type { Connection } from './config.js'
import { type ApiRequest, ownRequest, refusePage } from './connection.js'

/** How requests of `/v1/messages` are made; each call makes one. */
export type BuildRequest = (betas: readonly string[]) => Promise<ApiRequest>

/**
 * Lets the official SDK build requests, with URL, headers and authentication; it sees no body and
 * no reply. The base client builds what the whole one does, and loads at the first request. The
 * bundle of a browser or a worker has `browser-requests.ts` in the place of this file.
 * @throws {LlmError} `config` — as `refusePage`.
 */
export function buildRequests(
  connection: Connection,
  dangerouslyAllowBrowser: boolean,
): BuildRequest {
  refusePage(dangerouslyAllowBrowser)
  let client: Promise<BaseAnthropic> | undefined
  return async (betas) => {
    const { headers: ownHeaders } = await ownRequest(connection, '', betas)
    // `null` removes a header that the SDK would send.
    const headers = {
      'x-api-key': null,
      authorization: null,
      'x-stainless-timeout': null,
      ...ownHeaders,
    }

    client ??= createClient(connection, dangerouslyAllowBrowser)
    const { url, req } = await (await client).buildRequest({
      method: 'post',
      path: '/v1/messages',
      body: {},
      headers,
    })
    return { url, headers: Object.fromEntries(req.headers) }
  }
}

async function createClient(
  connection: Connection,
  dangerouslyAllowBrowser: boolean,
): Promise<BaseAnthropic> {
  const { BaseAnthropic } = await import('@anthropic-ai/sdk/client')
  const options = {
    // Any value keeps the SDK from looking for credentials in the environment and on disk; the
    // headers above replace it.
    apiKey: 'none',
    webhookKey: null,
    baseURL: connection.baseUrl,
    logLevel: 'off',
    openTelemetry: false,
    dangerouslyAllowBrowser,
  } as const
  const client = new BaseAnthropic(options)
  // The constructor adds the headers of ANTHROPIC_CUSTOM_HEADERS to its options, and no option
  // turns that off; env.test.ts watches this.
  Reflect.set(client, '_options', options)
  return client
}
