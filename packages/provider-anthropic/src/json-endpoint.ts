import { createJsonClient, type JsonClient } from '@modelport/driver'
import { type Connection, headersOf, toConnection } from './client.js'
import { providerName, toAnthropicError } from './error.js'
import { type AnthropicConfig, toSettings } from './provider.js'

/** What the endpoints beside a conversation need. */
export interface JsonEndpoint {
  readonly client: JsonClient
  /** Without a slash at its end and without `/v1`. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/**
 * How to ask such an endpoint.
 * @throws {LlmError} `invalid-base-url`, `config` — the address or the key is missing or malformed.
 */
export function jsonEndpoint(config: AnthropicConfig): JsonEndpoint {
  const connection = toConnection(config)
  return {
    client: createJsonClient(providerName, toAnthropicError, toSettings(config, connection)),
    url: connection.baseUrl,
    headers: toHeaders(connection),
  }
}

/** The headers of a request the SDK has no part in: without those that only take something away from it. */
export const toHeaders = (connection: Connection, betas: readonly string[] = []): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headersOf(connection, betas)).filter((entry): entry is [string, string] => entry[1] !== null))
