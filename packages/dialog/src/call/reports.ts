import type { ErrorCode, LlmError, ProviderErrorDetails } from '@modelport/core'
import type { CallState } from './states.js'
import type { CallTrace, PromptVersion, TraceEntry } from './trace.js'

/**
 * What a report keeps of a trace: times, names, counts and codes, but no text of the conversation,
 * no argument and no result.
 */
export interface ReportStep {
  /** Milliseconds since 1970. */
  readonly at: number
  /** What kind of step it was. */
  readonly type: TraceEntry['type']
  /** Names, counts and codes of the step. */
  readonly details: Readonly<Record<string, string | number | boolean>>
}

/** A failure of an agent call: plain JSON without the texts of the conversation, without keys. */
export interface CallReport {
  /** ISO 8601. */
  readonly time: string
  /** `recall` for a failure that the call survives, `failure` for its end. */
  readonly kind: 'recall' | 'failure'
  /** Name of the agent. */
  readonly agent: string
  /** Same as in the trace. */
  readonly callId: string
  /** The prompts that the call ran with. */
  readonly prompts: readonly PromptVersion[]
  /** The state the call was in. */
  readonly state: CallState
  /** Code of the error. */
  readonly code: ErrorCode
  /** The error's message, as the providers redact it. */
  readonly message: string
  /** Requests the driver made for the failed model call. */
  readonly attempts?: number
  /** `host:port` that was contacted. */
  readonly host?: string
  /** HTTP status. */
  readonly status?: number
  /** The vendor's id of the request. */
  readonly requestId?: string
  /** What the call did so far, in order. */
  readonly steps: readonly ReportStep[]
}

/** Makes the report of a failure. */
export function toReport(
  kind: CallReport['kind'],
  error: LlmError,
  cause: unknown,
  state: CallState,
  trace: CallTrace,
): CallReport {
  const { attempts, host, status, requestId } = (cause ?? {}) as Partial<ProviderErrorDetails>
  const known = Object.entries({ attempts, host, status, requestId })
  return {
    time: new Date().toISOString(),
    kind,
    agent: trace.agent,
    callId: trace.callId,
    prompts: trace.prompts,
    state,
    code: error.code,
    message: error.message,
    ...Object.fromEntries(known.filter(([, value]) => value !== undefined)),
    steps: trace.entries.map((entry) => ({
      at: entry.at,
      type: entry.type,
      details: detailsOf(entry),
    })),
  }
}

function detailsOf(entry: TraceEntry): ReportStep['details'] {
  switch (entry.type) {
    case 'state':
      return { from: entry.from, to: entry.to }
    case 'model-call':
      return {
        step: entry.step,
        finishReason: entry.finishReason,
        latencyMs: entry.metrics.latencyMs,
      }
    case 'retry':
      return { attempt: entry.attempt, code: entry.code, delayMs: entry.delayMs }
    case 'tool-call':
      return {
        step: entry.step,
        name: entry.call.name,
        success: entry.call.success,
        latencyMs: entry.call.latencyMs,
      }
    case 'parse-error':
      return { attempt: entry.attempt, problems: entry.problems.length }
    case 'pruned':
      return { messages: entry.messages.length }
    case 'recall':
      return { attempt: entry.attempt, code: entry.code, delayMs: entry.delayMs }
    case 'last-call':
      return { toolRounds: entry.toolRounds }
  }
}
