import OpenAI, { type ClientOptions } from 'openai'
import { isLlmError, LlmError } from '@modelport/core'
import type { DriverIo } from '@modelport/driver'
import type { OpenAIConfig } from './config.js'
import type { Endpoint } from './endpoint.js'

/**
 * The official client: it adds authentication, URL and headers, and nothing else. Everything it would read from the environment
 * is set here.
 * @throws {LlmError} `config` — the SDK refuses the configuration.
 */
export function createClient(endpoint: Endpoint, config: Omit<OpenAIConfig, 'model'>): OpenAI {
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

/** Lets the SDK build one request, with its URL, headers and authentication, and sends it: the SDK sees no answer. */
export async function send(client: OpenAI, path: string, body: unknown, io: DriverIo): Promise<Response> {
  const { url, req } = await build(client, { method: 'post', path, body, headers: io.headers })
  // The SDK gives methods in small letters, which not every transport takes.
  return io.fetch(url, { ...req, method: 'POST' })
}

async function build(client: OpenAI, options: Parameters<OpenAI['buildRequest']>[0]): ReturnType<OpenAI['buildRequest']> {
  try {
    return await client.buildRequest(options)
  } catch (error) {
    // The SDK wraps what the callback for the token throws.
    throw error instanceof Error && isLlmError(error.cause) ? error.cause : error
  }
}
