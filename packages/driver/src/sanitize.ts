import { isLlmError, LlmError, type PartialReply, ProviderError, type ProviderErrorDetails } from '@modelport/core'
import { defined } from './defined.js'
import type { Redact } from './redact.js'

/** What the error itself may not know. */
type Extra = { readonly [Name in 'attempts' | 'host' | 'partial']?: ProviderErrorDetails[Name] | undefined }

/**
 * The error as the caller may see it: facts added, every secret taken out of message, body, partial answer and cause. The cause
 * is a plain copy, so no SDK object and no request hangs on it.
 */
export function sanitizeError(error: unknown, provider: string, redact: Redact, extra: Extra = {}): LlmError {
  const known = isLlmError(error)
    ? error
    : new LlmError('unknown', String(error instanceof Error ? error.message : error))
  const cause: unknown = known.cause ?? (isLlmError(error) ? undefined : error)
  const { status, host, requestId, type, retryAfterMs, reason, attempts, body, partial } =
    known as Partial<ProviderError>
  const prefixed = known.message.startsWith(`${provider}: `)
    ? known.message
    : `${provider}: ${known.code}${reason ? ` (${reason})` : ''}: ${known.message}`
  const clean = (text: string | undefined): string | undefined => text && redact(text)
  const details = defined({
    provider,
    status,
    host: extra.host ?? host,
    requestId: clean(requestId),
    type: clean(type),
    retryAfterMs,
    reason,
    attempts: extra.attempts ?? attempts,
    body: clean(body),
    partial: redactPartial(extra.partial ?? partial, redact),
  })
  return new ProviderError(
    known.code,
    redact(prefixed),
    details,
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

function redactPartial(partial: PartialReply | undefined, redact: Redact): PartialReply | undefined {
  if (!partial) return partial
  const text = redact(partial.text)
  const reasoning = redact(partial.reasoning)
  const calls = JSON.stringify(partial.toolCalls)
  const clean = redact(calls)
  const toolCalls = clean === calls ? partial.toolCalls : (JSON.parse(clean) as PartialReply['toolCalls'])
  return { ...partial, text, reasoning, toolCalls }
}
