import { type ErrorCode, LlmError } from '@modelport/core'

/**
 * A refusal of an agent, a task or a server. Each has one form on every wire: see docs/agent.md.
 */
export type AgentErrorReason =
  | 'task-not-found'
  | 'task-not-cancelable'
  | 'push-not-supported'
  | 'unsupported-operation'
  | 'content-type-not-supported'
  | 'invalid-agent-response'
  | 'extended-card-not-configured'
  | 'extension-required'
  | 'version-not-supported'
  | 'invalid-params'
  | 'invalid-request'
  | 'parse-error'
  | 'method-not-found'
  | 'not-found'
  | 'unauthenticated'
  | 'forbidden'
  | 'conflict'
  | 'too-large'
  | 'busy'
  | 'handler-changed'
  | 'attempt-lost'
  | 'stream-behind'
  | 'internal'

/** One field that is wrong, addressed by a JSON pointer (RFC 6901). */
export interface Violation {
  /** Pointer into the decoded value; `''` is the value itself. */
  readonly pointer: string
  /** What is wrong and what was expected. */
  readonly message: string
}

/** Further facts of an {@link AgentError}. */
export interface AgentErrorDetails
  extends ErrorOptions,
    Partial<Pick<AgentError, 'violations' | 'retryAfterMs' | 'metadata'>> {}

const codes: Readonly<Record<AgentErrorReason, ErrorCode>> = {
  'task-not-found': 'not-found',
  'task-not-cancelable': 'invalid-request',
  'push-not-supported': 'unsupported',
  'unsupported-operation': 'unsupported',
  'content-type-not-supported': 'unsupported',
  'invalid-agent-response': 'protocol',
  'extended-card-not-configured': 'unsupported',
  'extension-required': 'unsupported',
  'version-not-supported': 'unsupported',
  'invalid-params': 'invalid-request',
  'invalid-request': 'invalid-request',
  'parse-error': 'invalid-request',
  'method-not-found': 'not-found',
  'not-found': 'not-found',
  unauthenticated: 'auth',
  forbidden: 'permission',
  conflict: 'invalid-request',
  'too-large': 'limit-exceeded',
  busy: 'overloaded',
  'handler-changed': 'unsupported',
  'attempt-lost': 'truncated',
  'stream-behind': 'truncated',
  internal: 'server',
}

/**
 * A request that an agent, a task store or a server refuses. `code` is the general class, `reason`
 * the exact refusal.
 */
export class AgentError extends LlmError {
  /** The exact refusal. */
  readonly reason: AgentErrorReason
  /** The fields that are wrong; empty if none is known. */
  readonly violations: readonly Violation[]
  /** When to try again, in milliseconds from now. Unset: unknown. */
  readonly retryAfterMs?: number
  /** Facts for the caller, shown on the wire. Never secrets. */
  readonly metadata: Readonly<Record<string, string>>

  constructor(reason: AgentErrorReason, message: string, details: AgentErrorDetails = {}) {
    super(
      codes[reason],
      message,
      details.cause === undefined ? undefined : { cause: details.cause },
    )
    this.reason = reason
    this.violations = details.violations ?? []
    this.metadata = details.metadata ?? {}
    if (details.retryAfterMs !== undefined) this.retryAfterMs = details.retryAfterMs
  }
}
Object.defineProperty(AgentError.prototype, 'name', { value: 'AgentError' })

/** True for an {@link AgentError}, of one reason if given. */
export const isAgentError = (error: unknown, reason?: AgentErrorReason): error is AgentError =>
  error instanceof AgentError && (reason === undefined || error.reason === reason)
