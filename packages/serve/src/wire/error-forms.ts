/* eslint-disable modelport/no-vendor-name -- the specification fixes these type URLs */
import { AgentError, type AgentErrorReason } from '@modelport/agent'
import { isLlmError, type JsonObject } from '@modelport/core'

interface Form {
  readonly rpc: number
  readonly http: number
  /** Status name of gRPC. */
  readonly status: string
  /** Reason of A2A. Unset: a general error. */
  readonly a2a?: string
}

const failedPrecondition = 'FAILED_PRECONDITION'

const forms: Readonly<Record<AgentErrorReason, Form>> = {
  'task-not-found': { rpc: -32001, http: 404, status: 'NOT_FOUND', a2a: 'TASK_NOT_FOUND' },
  'task-not-cancelable': {
    rpc: -32002,
    http: 400,
    status: failedPrecondition,
    a2a: 'TASK_NOT_CANCELABLE',
  },
  'push-not-supported': {
    rpc: -32003,
    http: 400,
    status: failedPrecondition,
    a2a: 'PUSH_NOTIFICATION_NOT_SUPPORTED',
  },
  'unsupported-operation': {
    rpc: -32004,
    http: 400,
    status: failedPrecondition,
    a2a: 'UNSUPPORTED_OPERATION',
  },
  'content-type-not-supported': {
    rpc: -32005,
    http: 400,
    status: 'INVALID_ARGUMENT',
    a2a: 'CONTENT_TYPE_NOT_SUPPORTED',
  },
  'invalid-agent-response': {
    rpc: -32006,
    http: 500,
    status: 'INTERNAL',
    a2a: 'INVALID_AGENT_RESPONSE',
  },
  'extended-card-not-configured': {
    rpc: -32007,
    http: 400,
    status: failedPrecondition,
    a2a: 'EXTENDED_AGENT_CARD_NOT_CONFIGURED',
  },
  'extension-required': {
    rpc: -32008,
    http: 400,
    status: failedPrecondition,
    a2a: 'EXTENSION_SUPPORT_REQUIRED',
  },
  'version-not-supported': {
    rpc: -32009,
    http: 400,
    status: failedPrecondition,
    a2a: 'VERSION_NOT_SUPPORTED',
  },
  'invalid-params': { rpc: -32602, http: 400, status: 'INVALID_ARGUMENT' },
  'invalid-request': { rpc: -32600, http: 400, status: 'INVALID_ARGUMENT' },
  'parse-error': { rpc: -32700, http: 400, status: 'INVALID_ARGUMENT' },
  'method-not-found': { rpc: -32601, http: 404, status: 'NOT_FOUND' },
  'not-found': { rpc: -32601, http: 404, status: 'NOT_FOUND' },
  unauthenticated: { rpc: -32050, http: 401, status: 'UNAUTHENTICATED' },
  forbidden: { rpc: -32051, http: 403, status: 'PERMISSION_DENIED' },
  conflict: { rpc: -32602, http: 409, status: 'ALREADY_EXISTS' },
  'too-large': { rpc: -32600, http: 413, status: 'INVALID_ARGUMENT' },
  busy: { rpc: -32052, http: 503, status: 'UNAVAILABLE' },
  'attempt-lost': { rpc: -32053, http: 503, status: 'ABORTED' },
  'stream-behind': { rpc: -32054, http: 503, status: 'ABORTED' },
  internal: { rpc: -32603, http: 500, status: 'INTERNAL' },
  // The operator reads it; a caller never does.
  'handler-changed': { rpc: -32603, http: 500, status: 'INTERNAL' },
}

/** The error to show: any error but an {@link AgentError} is internal, and its text is not sent. */
export function toAgentError(error: unknown): AgentError {
  if (error instanceof AgentError) return error
  // The runtime throws these if the settings of a compaction or a schema are not valid.
  if (isLlmError(error, 'config') || isLlmError(error, 'invalid-request'))
    return new AgentError('invalid-params', error.message, { cause: error })
  return new AgentError('internal', 'Internal error', { cause: error })
}

function detailsOf(error: AgentError): readonly JsonObject[] {
  const { a2a } = forms[error.reason]
  const info = {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason: a2a ?? error.reason.toUpperCase().replaceAll('-', '_'),
    domain: a2a ? 'a2a-protocol.org' : 'modelport.dev',
    ...(Object.keys(error.metadata).length && { metadata: error.metadata }),
  }
  if (!error.violations.length) return [info]
  const fieldViolations = error.violations.map(({ pointer, message }) => ({
    field: pointer.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~'),
    description: message,
  }))
  return [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations }, info]
}

/** An error as JSON-RPC reports it. */
export const toRpcError = (error: AgentError): JsonObject => ({
  code: forms[error.reason].rpc,
  message: error.message,
  data: detailsOf(error),
})

/**
 * An error as HTTP+JSON reports it.
 * @param code the HTTP status, if it is not the usual one of the reason
 */
export const toHttpError = (error: AgentError, code: number = httpStatusOf(error)): JsonObject => {
  const status = code === 405 ? 'UNIMPLEMENTED' : forms[error.reason].status
  return { error: { code, status, message: error.message, details: detailsOf(error) } }
}

/** The HTTP status of an error. */
export const httpStatusOf = (error: AgentError): number => forms[error.reason].http

/** The refusal of a wire error. */
export function reasonOfWire(
  code: number | undefined,
  reason: string | undefined,
): AgentErrorReason {
  const entries = Object.entries(forms) as [AgentErrorReason, Form][]
  const found =
    entries.find(([, form]) => reason !== undefined && form.a2a === reason) ??
    entries.find(
      ([name]) => reason !== undefined && name.toUpperCase().replaceAll('-', '_') === reason,
    ) ??
    entries.find(([, form]) => form.rpc === code) ??
    entries.find(([, form]) => form.http === code && !form.a2a)
  return found?.[0] ?? 'invalid-agent-response'
}

/** Headers that go with an error. */
export const errorHeaders = (error: AgentError): Readonly<Record<string, string>> =>
  error.retryAfterMs === undefined
    ? {}
    : { 'retry-after': String(Math.ceil(error.retryAfterMs / 1_000)) }
