import { isLlmError } from '@modelport/core'
import type { ClientOptions, OpenAI } from 'openai'
import type { OpenAIConfig } from './config.js'
import type { Endpoint } from './endpoint.js'
import { type ApiRequest, refusePage } from './own-requests.js'

/** How requests to one path are made; each call makes one. */
export type BuildRequest = (path: string) => Promise<ApiRequest>

/**
 * Lets the official SDK build requests, with URL, headers and authentication; it sees no body and
 * no reply. Everything it would read from the environment is set here. It loads at the first
 * request. The bundle of a browser or a worker has `browser-requests.ts` in the place of this file.
 * @throws {LlmError} `config` — as `refusePage`.
 */
export function buildRequests(
  endpoint: Endpoint,
  config: Omit<OpenAIConfig, 'model'>,
): BuildRequest {
  refusePage(endpoint, config)
  let client: Promise<OpenAI> | undefined
  return async (path) => {
    client ??= createClient(endpoint, config)
    try {
      const { url, req } = await (await client).buildRequest({ method: 'post', path, body: {} })
      return { url, headers: Object.fromEntries(req.headers) }
    } catch (error) {
      // The SDK wraps what the callback for the token throws.
      throw error instanceof Error && isLlmError(error.cause) ? error.cause : error
    }
  }
}

async function createClient(
  endpoint: Endpoint,
  config: Omit<OpenAIConfig, 'model'>,
): Promise<OpenAI> {
  const { apiKey, keyHeader, token, baseUrl, query } = endpoint
  const options: ClientOptions = {
    // The SDK wants some key even where none is sent.
    apiKey: token ?? apiKey ?? 'none',
    adminAPIKey: null,
    organization: config.organization ?? null,
    project: config.project ?? null,
    webhookSecret: null,
    baseURL: baseUrl,
    defaultQuery: { ...query },
    defaultHeaders: {
      ...(keyHeader && { 'api-key': apiKey }),
      ...((keyHeader || (!apiKey && !token)) && { authorization: null }),
    },
    logLevel: 'off',
    dangerouslyAllowBrowser: config.dangerouslyAllowBrowser ?? false,
  }
  const { OpenAI } = await import('openai')
  const client = new OpenAI(options)
  // The constructor adds the headers of OPENAI_CUSTOM_HEADERS to its options, and no option turns
  // that off.
  Reflect.set(client, '_options', options)
  return client
}
