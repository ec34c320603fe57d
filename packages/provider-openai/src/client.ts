import OpenAI, { type ClientOptions } from 'openai'
import { isLlmError, LlmError } from '@modelport/core'
import { type DriverIo, keepNewest, postJson } from '@modelport/driver'
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

/** Sends a body to one endpoint. */
export type Send = (body: unknown, io: DriverIo) => Promise<Response>

/**
 * Lets the SDK build a request, with its URL, headers and authentication, once where each is like the other: not with tokens, which
 * expire. The SDK sees no body and no answer.
 */
export function createSend(client: OpenAI, path: string, { token }: Pick<Endpoint, 'token'>): Send {
  const known = keepNewest<BuiltRequest>()
  return async (body, io) => {
    const { url, headers } = await (token ? build(client, path) : known('', () => build(client, path)))
    return postJson(io, url, body, headers)
  }
}

interface BuiltRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

async function build(client: OpenAI, path: string): Promise<BuiltRequest> {
  try {
    const { url, req } = await client.buildRequest({ method: 'post', path, body: {} })
    return { url, headers: Object.fromEntries(req.headers) }
  } catch (error) {
    // The SDK wraps what the callback for the token throws.
    throw error instanceof Error && isLlmError(error.cause) ? error.cause : error
  }
}
