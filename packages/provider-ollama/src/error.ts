import type { ErrorCode, ProviderError } from '@modelport/core'
import { firstMatch, type HttpFailure, toErrorCode, toProviderError } from '@modelport/driver'
import { name } from './messages.js'

/**
 * Ollama says only in words what went wrong: its body is `{ "error": "…" }`. The first row that
 * fits decides the code.
 * @see https://github.com/ollama/ollama/blob/main/server/routes.go (read 2026-11-21)
 */
const wordings: readonly (readonly [RegExp, ErrorCode])[] = [
  [/does not support|is not supported for this model/i, 'unsupported'],
  [
    /context (length|size|window)|exceeds? (the )?(available )?context|exceed_context_size|input length|prompt (is )?too long/i,
    'context-length',
  ],
  [/model ['"][^'"]{0,200}['"] not found|try pulling it/i, 'not-found'],
  [/server busy|maximum pending requests|overloaded/i, 'overloaded'],
  [/unauthorized/i, 'auth'],
  [/usage limit|too many (concurrent )?requests/i, 'rate-limit'],
]

/**
 * Names a failure of Ollama by status and wording. A failure inside a response of status 200 is
 * `server` unless its words say more.
 */
export function toError(failure: HttpFailure): ProviderError {
  const message = messageOf(failure.body) ?? failure.text.trim()
  const status = failure.status < 400 ? undefined : failure.status
  const code =
    firstMatch(wordings, message) ?? (status === undefined ? 'server' : toErrorCode(status))

  const isMissingModel = code === 'not-found' && /model/i.test(message)
  const hint = isMissingModel && !/pull/i.test(message) ? ' (try: ollama pull <model>)' : ''
  return toProviderError(name, failure, { code, ...(message && { message: message + hint }) })
}

function messageOf(body: unknown): string | undefined {
  const error = typeof body === 'object' && body !== null && 'error' in body ? body.error : body
  if (typeof error === 'string') return error
  // Proxies put an OpenAI-style object there.
  const inner =
    typeof error === 'object' && error !== null && 'message' in error ? error.message : undefined
  return typeof inner === 'string' ? inner : undefined
}
