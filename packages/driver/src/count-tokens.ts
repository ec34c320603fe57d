import { type CallOptions, type ChatMessage, LlmError } from '@modelport/core'
import type { ProviderSettings } from './config.js'
import { askJson, type JsonDriver } from './json-client.js'

/** What a provider package supplies to have a prompt counted: how to ask, and where the response has the count. */
export interface CountDriver<Request> extends JsonDriver<Request> {
  /** The count in the parsed response. */
  countIn(response: unknown): unknown
}

/**
 * How many tokens the prompt of a call has, as the server says: a call in all but its response. Options are merged and checked, the
 * history is brought in order, and it is sent, retried and redacted like any other. Throws like a call.
 * @throws {LlmError} `protocol` — the response has no count.
 */
export async function countTokens<Request>(
  driver: CountDriver<Request>,
  settings: ProviderSettings,
  messages: readonly ChatMessage[],
  options: readonly CallOptions[],
): Promise<number> {
  const tokens = driver.countIn(await askJson(driver, settings, messages, options))
  if (typeof tokens !== 'number')
    throw new LlmError('protocol', `${driver.name}: protocol: the response has no count of tokens`)
  return tokens
}
