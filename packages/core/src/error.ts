import type { FinishReason } from './event.js'
import type { ToolCall } from './tool.js'
import type { TokenUsage } from './usage.js'

/**
 * What went wrong. Codes are stable between versions, messages are not. docs/errors.md explains
 * each.
 */
export type ErrorCode =
  | 'config'
  | 'invalid-base-url'
  | 'auth'
  | 'permission'
  | 'not-found'
  | 'invalid-request'
  | 'context-length'
  | 'content-filter'
  | 'rate-limit'
  | 'quota-exhausted'
  | 'overloaded'
  | 'server'
  | 'network'
  | 'timeout'
  | 'truncated'
  | 'protocol'
  | 'limit-exceeded'
  | 'redirect-refused'
  | 'aborted'
  | 'budget-exceeded'
  | 'unsupported'
  | 'unknown'

/** What had arrived when a stream failed. */
export interface PartialReply {
  /** Text of the failed turn. */
  readonly text: string
  /** Reasoning text of the failed turn. */
  readonly reasoning: string
  /** Calls of the failed turn; an unfinished one has `error` set. */
  readonly toolCalls: readonly ToolCall[]
  /** Counts so far; mostly too low, as servers report them at the end. */
  readonly usage: TokenUsage
  /** Bytes of the body read. */
  readonly bytes: number
  /** Why the turn had ended, when the failure came after that. */
  readonly finishReason?: FinishReason
}

const brand = Symbol.for('modelport.error')

/**
 * Any failure modelport knows. A setting that nothing reads, or a read after close, is a plain
 * `TypeError` instead.
 */
export class LlmError extends Error {
  /** What went wrong, for programs to act on. */
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message.length > 2048 ? `${message.slice(0, 2045)}...` : message, options)
    this.code = code
    Object.defineProperty(this, brand, { value: true })
  }

  /** True when the same call may succeed later. */
  get retryable(): boolean {
    return isRetryable(this)
  }
}
Object.defineProperty(LlmError.prototype, 'name', { value: 'LlmError' })

/** The error `config` for a setting, an option or a file that cannot be used. */
export const configError = (message: string, options?: ErrorOptions): LlmError =>
  new LlmError('config', message, options)

/** Facts about a failed exchange with a provider. */
export interface ProviderErrorDetails {
  /** {@link Provider.name} */
  readonly provider: string
  /** `host:port` that was contacted. */
  readonly host?: string
  /** Address of the request, without its query; secrets in its path are redacted. */
  readonly url?: string
  /** HTTP method of the request. */
  readonly method?: string
  /** HTTP status. */
  readonly status?: number
  /** The vendor's id of the request, for its support. */
  readonly requestId?: string
  /** The vendor's own error type or code. */
  readonly type?: string
  /** How long the vendor asks to wait, in milliseconds. */
  readonly retryAfterMs?: number
  /**
   * Which part of the network failed (`dns`, `refused`, `tls`, `reset`, `proxy`), which clock ran
   * out (`connect`, `headers`, `idle`, `deadline`), what is `unsupported` altogether (`tools`,
   * `images`), or that nobody knows whether the request was carried out (`uncertain`).
   */
  readonly reason?:
    | 'tools'
    | 'images'
    | 'dns'
    | 'refused'
    | 'tls'
    | 'reset'
    | 'proxy'
    | 'connect'
    | 'headers'
    | 'idle'
    | 'deadline'
    | 'uncertain'
  /** Requests made for the call so far. */
  readonly attempts?: number
  /** The vendor's body, redacted, at most 64 KiB. */
  readonly body?: string
  /** What had arrived, when a reply had begun. */
  readonly partial?: PartialReply
}

/** A failed exchange with a provider. */
export class ProviderError extends LlmError implements ProviderErrorDetails {
  declare readonly provider: string
  declare readonly host?: string
  declare readonly url?: string
  declare readonly method?: string
  declare readonly status?: number
  declare readonly requestId?: string
  declare readonly type?: string
  declare readonly retryAfterMs?: number
  declare readonly reason?: ProviderErrorDetails['reason'] & string
  declare readonly attempts?: number
  declare readonly body?: string
  declare readonly partial?: PartialReply

  constructor(
    code: ErrorCode,
    message: string,
    details: ProviderErrorDetails,
    options?: ErrorOptions,
  ) {
    super(code, message, options)
    Object.assign(this, details)
  }
}
Object.defineProperty(ProviderError.prototype, 'name', { value: 'ProviderError' })

/**
 * True for any modelport error, even one of another copy of the package; with `code`, only for an
 * error of that code.
 */
export function isLlmError(error: unknown, code?: ErrorCode): error is LlmError {
  return (
    error instanceof Error && brand in error && (!code || ('code' in error && error.code === code))
  )
}

/** True when the same call may succeed later: a pure function of the code and of `reason`. */
export function isRetryable(error: LlmError): boolean {
  const { reason } = error as Partial<ProviderErrorDetails>
  if (reason === 'uncertain') return false
  if (error.code === 'network') return reason !== 'dns' && reason !== 'tls' && reason !== 'proxy'
  if (error.code === 'timeout') return reason !== 'deadline'
  return ['rate-limit', 'overloaded', 'server', 'truncated'].includes(error.code)
}
