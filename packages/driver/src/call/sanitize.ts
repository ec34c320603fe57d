import type { Redact } from '@modelport/core'
import {
  isLlmError,
  LlmError,
  type PartialReply,
  ProviderError,
  type ProviderErrorDetails,
} from '@modelport/core'
import { errorText } from '@modelport/core/text'
import { defined } from '../base/defined.js'

/** Facts that the error itself may lack. */
type Extra = {
  readonly [Name in 'attempts' | 'host' | 'url' | 'method' | 'partial']?:
    | ProviderErrorDetails[Name]
    | undefined
}

/**
 * The error as the caller may see it: facts added, secrets taken out of message, body, partial
 * reply and cause. The cause is a plain copy, so that it holds no object of an SDK and no request.
 */
export function sanitizeError(
  error: unknown,
  provider: string,
  redact: Redact,
  extra: Extra = {},
): LlmError {
  const known = isLlmError(error) ? error : new LlmError('unknown', errorText(error))
  const cause: unknown = known.cause ?? (isLlmError(error) ? undefined : error)
  const {
    status,
    host,
    url,
    method,
    requestId,
    type,
    retryAfterMs,
    reason,
    attempts,
    body,
    partial,
  } = known as Partial<ProviderError>
  const prefixed = known.message.startsWith(`${provider}: `)
    ? known.message
    : `${provider}: ${known.code}${reason && known.code !== 'unsupported' ? ` (${reason})` : ''}: ${known.message}`
  const requestUrl = extra.url ?? url
  // A server without this path does not name it: the base URL is wrong. One without the model names
  // the model.
  const isLost =
    known.code === 'not-found' && requestUrl !== undefined && !/model/i.test(known.message)
  const clean = (text: string | undefined): string | undefined => text && redact(text)
  const details = defined({
    provider,
    status,
    host: extra.host ?? host,
    url: clean(requestUrl),
    method: extra.method ?? method,
    requestId: clean(requestId),
    type: clean(type),
    retryAfterMs,
    reason,
    attempts: extra.attempts ?? attempts,
    body: clean(body),
    partial: redactPartial(extra.partial ?? partial, redact),
  })
  const clear = new ProviderError(
    known.code,
    redact(
      isLost && !prefixed.includes(requestUrl)
        ? `${prefixed} (${requestUrl}; check the base URL)`
        : prefixed,
    ),
    details,
    cause instanceof Error ? { cause: plainCopy(cause, redact) } : undefined,
  )
  const { serverRetry } = known as { readonly serverRetry?: boolean }
  return serverRetry === undefined
    ? clear
    : Object.defineProperty(clear, 'serverRetry', { value: serverRetry })
}

function plainCopy(cause: Error, redact: Redact): Error {
  const copy = new Error(redact(cause.message.slice(0, 2048)))
  copy.name = redact(cause.name)
  copy.stack = `${copy.name}: ${copy.message}`
  const { code } = cause as { readonly code?: unknown }
  return typeof code === 'string' ? Object.assign(copy, { code: redact(code) }) : copy
}

function redactPartial(
  partial: PartialReply | undefined,
  redact: Redact,
): PartialReply | undefined {
  if (!partial) return partial
  const { text, reasoning, toolCalls } = partial
  return {
    ...partial,
    text: redact(text),
    reasoning: redact(reasoning),
    toolCalls: redactStrings(toolCalls, redact) as PartialReply['toolCalls'],
  }
}

/**
 * JSON with secrets taken out of its strings and names of fields. Numbers and words of JSON stay,
 * whatever the secrets are.
 */
function redactStrings(value: unknown, redact: Redact): unknown {
  if (typeof value === 'string') return redact(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => redactStrings(item, redact))
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [redact(name), redactStrings(item, redact)]),
  )
}
