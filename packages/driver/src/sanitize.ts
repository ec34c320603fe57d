import { isLlmError, LlmError, type PartialAnswer, ProviderError, type ProviderErrorDetails } from '@modelport/core'
import type { Redact } from './redact.js'

/** The facts of an error, or those every failed exchange has. */
function detailsOf(error: LlmError, provider: string): ProviderErrorDetails {
  const { status, host, requestId, type, retryAfterMs, reason, attempts, body, partial } = error as Partial<ProviderError>
  const details = { status, host, requestId, type, retryAfterMs, reason, attempts, body, partial }
  return { provider, ...Object.fromEntries(Object.entries(details).filter(([, value]) => value !== undefined)) }
}

/**
 * The error as the caller may see it: facts added, every secret taken out of message, body, partial answer and cause. The cause
 * is a plain copy, so no SDK object and no request hangs on it.
 */
export function sanitizeError(
  error: unknown,
  provider: string,
  redact: Redact,
  extra: Partial<ProviderErrorDetails> = {},
): LlmError {
  const known = isLlmError(error) ? error : new LlmError('unknown', String(error instanceof Error ? error.message : error))
  const details = { ...detailsOf(known, provider), ...extra }
  const prefixed = known.message.startsWith(`${provider}: `) ? known.message : `${provider}: ${known.code}: ${known.message}`
  const cause: unknown = known.cause ?? (isLlmError(error) ? undefined : error)
  return new ProviderError(
    known.code,
    redact(prefixed),
    {
      ...details,
      ...(details.requestId && { requestId: redact(details.requestId) }),
      ...(details.type && { type: redact(details.type) }),
      ...(details.body !== undefined && { body: redact(details.body) }),
      ...(details.partial && { partial: redactPartial(details.partial, redact) }),
    },
    cause instanceof Error ? { cause: plainCopy(cause, redact) } : undefined,
  )
}

function plainCopy(cause: Error, redact: Redact): Error {
  const copy = new Error(redact(cause.message.slice(0, 2048)))
  copy.name = redact(cause.name)
  copy.stack = `${copy.name}: ${copy.message}`
  const { code } = cause as { readonly code?: unknown }
  return typeof code === 'string' ? Object.assign(copy, { code: redact(code) }) : copy
}

function redactPartial(partial: PartialAnswer, redact: Redact): PartialAnswer {
  const text = redact(partial.text)
  const reasoning = redact(partial.reasoning)
  const calls = JSON.stringify(partial.toolCalls)
  const clean = redact(calls)
  const toolCalls = clean === calls ? partial.toolCalls : (JSON.parse(clean) as PartialAnswer['toolCalls'])
  return { ...partial, text, reasoning, toolCalls }
}
