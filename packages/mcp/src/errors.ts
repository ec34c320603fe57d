import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/client'
import { type ErrorCode, isLlmError, LlmError, type Redact } from '@modelport/core'
import { errorText } from '@modelport/core/text'
import { toPlainWords } from './plain-words.js'

/** The revision without sessions. */
export const newest = '2026-07-28'
/** What this client speaks, newest first. */
const spoken = [...new Set([newest, ...SUPPORTED_PROTOCOL_VERSIONS])].join(', ')

/** The fields that errors of the client and of the platform have. */
interface Fields {
  readonly name?: unknown
  readonly message?: unknown
  readonly code?: unknown
  readonly status?: unknown
  readonly supported?: unknown
}

/**
 * An error, what caused it, and so on; deeper than 20 nobody wraps, and an error may be its own
 * cause.
 */
export function* causesOf(error: unknown): Iterable<Error> {
  let one = error
  for (let depth = 0; one instanceof Error && depth < 20; depth++) {
    yield one
    one = one.cause
  }
}

/** The HTTP status that a failed request ended with, if it has one. */
export function statusOf(error: unknown): number | undefined {
  for (const one of causesOf(error)) {
    const { status } = one as Fields
    if (typeof status === 'number') return status
  }
  return undefined
}

/**
 * The typed error for anything the client of the protocol throws, without the server's credentials.
 */
export function toTyped(error: unknown, server: string, redact: Redact): LlmError {
  for (const one of causesOf(error))
    if (isLlmError(one)) return new LlmError(one.code, redact(one.message))
  const { cause, code } = error as Fields & ErrorOptions
  const told = code === 'ERA_NEGOTIATION_FAILED' && cause instanceof Error ? cause : error
  const words = toPlainWords(redact(errorText(told)))
  const theirs = versionsOf(error)
  const message =
    theirs === undefined
      ? `MCP server "${server}": ${words}`
      : `MCP server "${server}" speaks version ${toPlainWords(theirs, 200)} of the protocol; this client speaks ${spoken}`
  return new LlmError(
    theirs === undefined ? codeOf(error) : 'protocol',
    message,
    causeFor(error, redact),
  )
}

/** The versions of the server, if the error is that this client speaks none of them. */
function versionsOf(error: unknown): string | undefined {
  const { supported, message } = (error ?? {}) as Fields
  if (Array.isArray(supported)) return supported.join(', ')
  return /^Server's protocol version is not supported: (.*)$/s.exec(String(message))?.[1]
}

/** The error as a cause; none if its message has credentials, which a printed cause would show. */
export function causeFor(error: unknown, redact: Redact): ErrorOptions {
  for (const one of causesOf(error)) {
    const text = `${one.message}${one.stack ?? ''}`
    if (redact(text) !== text) return {}
  }
  return { cause: error }
}

/** Names of the client's errors about signing in. */
const signIn =
  /^(?:Unauthorized|OAuth|IssuerMismatch|AuthorizationServerMismatch|Registration|InsecureTokenEndpoint)/
/** Codes of the client's errors about what a server sent. */
const malformed = new Set(['INVALID_RESULT', 'UNSUPPORTED_RESULT_TYPE', 'LIST_PAGINATION_EXCEEDED'])

/**
 * HTTP statuses, the client's own codes, and those of the protocol's errors.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic (read 2026-11-27)
 */
function codeOf(error: unknown): ErrorCode {
  const status = statusOf(error)
  if (status === 401) return 'auth'
  if (status === 403) return 'permission'
  if (status === 404) return 'not-found'
  for (const one of causesOf(error)) {
    const { name, code } = one as Fields
    if (signIn.test(String(name))) return 'auth'
    if (name === 'InsufficientScopeError') return 'permission'
    if (code === 'REQUEST_TIMEOUT' || code === -32001) return 'timeout'
    if (
      name === 'ZodError' ||
      name === 'SyntaxError' ||
      malformed.has(String(code)) ||
      typeof code === 'number'
    )
      return 'protocol'
  }
  return 'network'
}
