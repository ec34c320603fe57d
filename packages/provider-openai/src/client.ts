import OpenAI, { type ClientOptions } from 'openai'
import { isLlmError, LlmError } from '@modelport/core'
import type { DriverIo, Fetch } from '@modelport/driver'
import type { OpenAIConfig } from './config.js'
import type { Endpoint } from './endpoint.js'

/** Carries the `fetch` of one request through the SDK, which takes one for all at its construction. */
const fetchOfRequest: unique symbol = Symbol('fetch of this request')

interface DispatchInit extends Pick<RequestInit, 'redirect'> {
  readonly [fetchOfRequest]?: Fetch
}

/** Longest delay a timer takes: the SDK's own time-out must never cut in before ours. */
const longestTimeoutMs = 2 ** 31 - 1

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
    maxRetries: 0,
    timeout: longestTimeoutMs,
    logLevel: 'off',
    fetch: dispatch,
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

/**
 * Sends one request through the SDK and gives the response as it came. The signal stays with our own `fetch`: the SDK would leave
 * a listener on it.
 */
export async function send(client: OpenAI, path: string, body: unknown, io: DriverIo): Promise<Response> {
  const fetchOptions: DispatchInit = { [fetchOfRequest]: io.fetch }
  try {
    return await client.post(path, { body, headers: io.headers, fetchOptions }).asResponse()
  } catch (error) {
    // The SDK wraps what its callbacks throw.
    throw error instanceof Error && isLlmError(error.cause) ? error.cause : error
  }
}

const dispatch: Fetch = (input, init) => {
  const { [fetchOfRequest]: fetch, ...rest }: RequestInit & DispatchInit = init ?? {}
  if (!fetch) throw new TypeError('a request without its fetch')
  return fetch(input, rest)
}
