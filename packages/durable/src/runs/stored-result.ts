import { type ChatMessage, type JsonObject, LlmError } from '@modelport/core'
import { errorText } from '@modelport/core/text'
import type { JournalEntry, RunCheckpoint, RunResult } from '@modelport/runtime'

/** A call that was started, whose outcome nobody recorded. */
export interface UncertainCall {
  readonly id: string
  readonly name: string
  /** The key it was made with, to look it up in the system that received it. */
  readonly idempotencyKey: string
}

interface StoredError {
  readonly code: string
  readonly message: string
  readonly details: JsonObject
}

/**
 * A result as plain JSON; the transcript and the checkpoint of a run that waits are stored once, in
 * places of their own.
 */
export function toStoredResult(result: RunResult, uncertain: readonly UncertainCall[]): unknown {
  const { transcript: _, ...whole } = result
  const { checkpoint: __, ...rest } = whole as typeof whole & { readonly checkpoint?: unknown }
  return {
    ...rest,
    ...(result.status === 'failed' && {
      error: toStoredError(result.error),
      checkpoint: result.checkpoint,
    }),
    ...(result.status === 'cancelled' && { reason: errorText(result.reason) }),
    ...(uncertain.length > 0 && { uncertain }),
  }
}

/** The result that `toStoredResult` made. */
export function fromStoredResult(
  stored: object,
  transcript: readonly ChatMessage[],
  checkpoint: RunCheckpoint | undefined,
): RunResult {
  const { error, status } = stored as { readonly error?: StoredError; readonly status?: string }
  const result = {
    ...(stored as RunResult),
    ...(status === 'suspended' && checkpoint && { checkpoint }),
    transcript,
  } as RunResult
  return error && result.status === 'failed' ? { ...result, error: fromStoredError(error) } : result
}

function toStoredError(error: LlmError): StoredError {
  const details = Object.fromEntries(
    Object.entries(error).filter(([name, value]) => name !== 'code' && isPlain(value)),
  ) as JsonObject
  return { code: error.code, message: error.message, details }
}

function fromStoredError({ code, message, details }: StoredError): LlmError {
  return Object.assign(new LlmError(code as LlmError['code'], message), details)
}

const isPlain = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value)

/**
 * Calls that were started, may not be repeated, and have no receipt, or only one that says that
 * they were cancelled while they ran.
 * @param left ids of calls whose work continues, whatever their receipt says
 */
export function uncertainCalls(
  entries: readonly JournalEntry[],
  left: ReadonlySet<string>,
): readonly UncertainCall[] {
  const known = new Set<string>()
  for (const entry of entries)
    if (entry.entry === 'receipt' && (entry.kind === 'tool' || entry.kind === 'agent'))
      if (entry.outcome.status !== 'cancelled' && !left.has(entry.callId)) known.add(entry.key)
  const calls = new Map<string, UncertainCall>()
  for (const entry of entries) {
    if (entry.entry !== 'intent' || (entry.kind !== 'tool' && entry.kind !== 'agent')) continue
    if (entry.effect !== 'once' || known.has(entry.key)) continue
    const { action, callId: id, idempotencyKey } = entry
    calls.set(entry.key, {
      id,
      name: 'tool' in action && action.tool ? action.tool : entry.kind,
      idempotencyKey,
    })
  }
  return [...calls.values()]
}
