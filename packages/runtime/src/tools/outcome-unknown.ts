import { isLlmError } from '@modelport/core'
import { causesOf } from '../base/causes.js'

/**
 * A tool throws it when it cannot say whether its call had an effect: the receiver may have acted,
 * and only its reply was lost. The run never makes such a call a second time as if nothing had
 * happened: see `EffectDeclaration`.
 */
export class OutcomeUnknown extends Error {}
Object.defineProperty(OutcomeUnknown.prototype, 'name', { value: 'OutcomeUnknown' })

/**
 * True for an error after which the receiver may have acted: the tool says so, or a connection
 * ended after it was made. Any other error is the tool's answer, and so is a connection that was
 * never made.
 */
export function isOutcomeUnknown(error: unknown): boolean {
  const chain = [...causesOf(error)]
  if (chain.some((one) => one instanceof OutcomeUnknown)) return true
  const codes = chain.map(codeOf)
  if (codes.some((code) => neverSent.has(code))) return false
  return chain.some((one, index) => lostReplies.has(codes[index] ?? '') || isLostReply(one))
}

/**
 * True for an error that says nothing about an earlier sending of the same call: this one reached
 * nobody.
 */
export const isNeverSent = (error: unknown): boolean =>
  [...causesOf(error)].some((one) => neverSent.has(codeOf(one)))

/**
 * True for the text of a tool result that says that nobody knows whether its call had an effect:
 * for readers of a transcript, which has no other mark of it.
 */
export const saysOutcomeUnknown = (text: string): boolean =>
  /\bhad an effect is (?:unknown|not known)\b/i.test(text)

function isLostReply(error: Error): boolean {
  if (isLlmError(error)) return lostKinds.has(error.code)
  return (
    lostNames.has(error.name) || (error instanceof TypeError && fetchFailed.test(error.message))
  )
}

const codeOf = (error: Error): string => {
  const { code } = error as { readonly code?: unknown }
  return typeof code === 'string' ? code : ''
}

/** Codes of Node, undici and Bun for a request that did not leave: nobody received it. */
const neverSent: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'ConnectionRefused',
])

/** Codes for a connection that ended between the request and the end of its response. */
const lostReplies: ReadonlySet<string> = new Set([
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ERR_STREAM_PREMATURE_CLOSE',
  'UND_ERR_SOCKET',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
  'ConnectionClosed',
])

/**
 * Errors of modelport that mean the same. `network` alone does not: it is also the code of a
 * connection that was never made.
 */
const lostKinds: ReadonlySet<string> = new Set(['timeout', 'truncated', 'aborted'])

/** What `AbortSignal.timeout` and an `AbortController` of the tool's own throw. */
const lostNames: ReadonlySet<string> = new Set(['TimeoutError', 'AbortError'])

/** What `fetch` says without a code: Node, Chromium, Firefox, Safari. */
const fetchFailed = /fetch failed|Failed to fetch|NetworkError|Load failed/
