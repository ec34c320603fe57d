import { type CallOptions, type ChatMessage } from '@modelport/core'
import type { Driver } from '../base/driver.js'
import type { ResponseLimits } from '../base/limits.js'
import { namedError } from '../base/named-error.js'
import { createProviderState } from '../call/provider-state.js'
import { sanitizeError } from '../call/sanitize.js'
import { startCall } from '../call/start-call.js'
import type { ProviderSettings } from '../config/config.js'
import { exchangeWhole } from '../exchange/exchange-whole.js'
import { type BodyReader, readJsonBody } from '../exchange/whole-body.js'
import { buildRequest } from '../turn/vendor-fields.js'

/** A driver whose responses are one JSON value each. */
export type JsonDriver<Request> = Omit<
  Driver<Request>,
  'framing' | 'decoder' | 'takesTemperature' | 'streamsWhole'
>

/**
 * The part of a provider package that counts a prompt: how to ask, and where the response has the
 * count.
 */
export interface CountDriver<Request> extends JsonDriver<Request> {
  /** The count in the parsed response. */
  countIn(response: unknown): unknown
}

/**
 * Asks the server how many tokens the prompt of a call has. The request is made, sent, retried and
 * redacted like that of a call; only the response differs. Throws like a call.
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
    throw namedError(driver.name, 'protocol', 'the response has no count of tokens')
  return tokens
}

async function askJson<Request>(
  driver: JsonDriver<Request>,
  settings: ProviderSettings,
  messages: readonly ChatMessage[],
  options: readonly CallOptions[],
): Promise<unknown> {
  // A counted request has no temperature.
  const state = createProviderState({ ...driver, takesTemperature: () => false }, settings)
  const { context, turn, values } = startCall(state, messages, options, false)
  let request: Request
  try {
    request = buildRequest(driver, turn(messages, values.tools ?? [])).request
  } catch (error) {
    context.scope.end()
    throw sanitizeError(error, driver.name, context.redact)
  }
  const sending = { driver, request, onRetry: values.retry?.onRetry }
  const read = (headers: Headers, { maxJsonValues }: ResponseLimits): BodyReader<unknown> =>
    readJsonBody(headers, maxJsonValues, (value) => value)
  return exchangeWhole(context, sending, { read })
}
