import OpenAI, { type ClientOptions } from 'openai'
import { isLlmError, LlmError } from '@modelport/core'
import type { OpenAIConfig } from './config.js'
import type { Endpoint } from './endpoint.js'
import type { ApiRequest } from './own-requests.js'

/** How requests to one path are made; each call makes one. */
export type BuildRequest = (path: string) => Promise<ApiRequest>

/**
 * Lets the official SDK build requests, with URL, headers and authentication; it sees no body and no reply. Everything it would read
 * from the environment is set here. The bundle of a browser or a worker has `browser-requests.ts` in the place of this file.
 * @throws {LlmError} `config` — the SDK refuses the configuration.
 */
export function buildRequests(endpoint: Endpoint, config: Omit<OpenAIConfig, 'model'>): BuildRequest {
  const client = createClient(endpoint, config)
  return async (path) => {
    try {
      const { url, req } = await client.buildRequest({ method: 'post', path, body: {} })
      return { url, headers: Object.fromEntries(req.headers) }
    } catch (error) {
      // The SDK wraps what the callback for the token throws.
      throw error instanceof Error && isLlmError(error.cause) ? error.cause : error
    }
  }
}

function createClient(endpoint: Endpoint, config: Omit<OpenAIConfig, 'model'>): OpenAI {
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
  try {
    const client = new OpenAI(options)
    // The constructor adds the headers of OPENAI_CUSTOM_HEADERS to its options, and no option turns that off.
    Reflect.set(client, '_options', options)
    return client
  } catch (error) {
    throw new LlmError('config', `${endpoint.name}: ${error instanceof Error ? error.message : String(error)}`)
  }
}
