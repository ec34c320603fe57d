import { type ChatMessage, mergeOptions, type TokenUsage } from '@modelport/core'
import { type RunCheckpoint, type RunFingerprint, type RunTotals, checkpointVersion } from '../journal/checkpoint.js'
import { toFingerprint } from '../journal/fingerprint.js'
import type { JournalEntry, RunJournal } from '../journal/journal.js'
import type { PendingItem } from '../journal/pending-item.js'
import { toStored } from '../journal/journal-error.js'
import { referTo } from '../journal/transcript-log.js'
import { hashSignature } from './repeat-guard.js'
import type { RunState } from './run-state.js'

/** The counters of a run at one moment, before they are made into JSON. Cheap: taken in every step. */
export interface StepMark {
  readonly phase: RunCheckpoint['phase']
  readonly step: number
  readonly recentActions: readonly string[]
  readonly knownResults: readonly string[]
  readonly repeats: number
  readonly parseFailures: number
  readonly idleSteps: number
  readonly formatLevel: number
  readonly failuresFrom: number | undefined
  readonly compacted: boolean
  readonly requests: number
  readonly attempt: number
  readonly usage: TokenUsage
  readonly text: string
  readonly totals: RunTotals
}

/** Takes the counters as they are now. */
export function markOf(state: RunState, phase: RunCheckpoint['phase']): StepMark {
  const { repeats, progress, repeatStreak, parseFailures } = state
  const { step, formatLevel, failuresFrom, compacted, requests, attempt, usage, text } = state
  return {
    phase,
    step,
    recentActions: repeats.recent,
    knownResults: progress.known,
    repeats: repeatStreak.count,
    parseFailures: parseFailures.count,
    idleSteps: progress.idleSteps,
    formatLevel,
    failuresFrom,
    compacted,
    requests,
    attempt,
    usage,
    text,
    totals: state.totals,
  }
}

/** Of {@link toCheckpoint}. */
interface CheckpointParts {
  readonly transcript: RunCheckpoint['transcript']
  readonly entries?: readonly JournalEntry[]
  readonly pending?: readonly PendingItem[]
}

/** Makes the checkpoint that stands for a mark. */
export function toCheckpoint(state: RunState, mark: StepMark, parts: CheckpointParts): RunCheckpoint {
  const { phase, step, recentActions, knownResults, repeats, parseFailures, idleSteps, failuresFrom, ...rest } = mark
  const { toolDefinitionTokens: _tools, turns, reported: _reported, ...sums } = rest.usage
  return {
    version: checkpointVersion,
    runId: state.runId,
    phase,
    step,
    ...rest,
    // As of now, not of the mark: what is replayed after a resume is not charged again.
    budget: state.ledger.snapshot(),
    fingerprint: fingerprintOf(state),
    guards: { recentActions: recentActions.map(hashSignature), knownResults, repeats, parseFailures, idleSteps },
    ...(failuresFrom !== undefined && { failuresFrom }),
    usage: turns.length > 1 ? { ...rest.usage, turns: [sums] } : rest.usage,
    seq: state.events.seq,
    entries: parts.entries ?? [],
    pending: parts.pending ?? [],
    transcript: parts.transcript,
  }
}

/** Stores where the run is, and drops the entries before. Returns undefined for a run without a journal: there is nothing to wait for. */
export function storeCheckpoint(state: RunState, phase: RunCheckpoint['phase']): Promise<void> | undefined {
  const mark = markOf(state, phase)
  state.mark = mark
  const { journal } = state.request
  return journal && writeCheckpoint(state, journal, mark)
}

async function writeCheckpoint(state: RunState, journal: RunJournal, mark: StepMark): Promise<void> {
  await state.events.stored()
  const change = state.transcriptLog.advance(state.transcript.messages)
  const checkpoint = toCheckpoint(state, mark, { transcript: state.transcriptLog.reference })
  await toStored(() => journal.writeCheckpoint(checkpoint, change))
  state.log.clear()
}

/** The checkpoint of a run that suspends: its step as it was before the model call, with everything recorded since. */
export async function storeSuspension(
  state: RunState,
  base: readonly ChatMessage[],
  pending: readonly PendingItem[],
): Promise<RunCheckpoint> {
  const { journal } = state.request
  // Replies that were not an action are gone from the transcript, or stay in it: either way nothing is to be forgotten again.
  const mark: StepMark = { ...(state.mark ?? markOf(state, 'model')), phase: 'model', failuresFrom: undefined }
  const entries = state.log.entries
  if (!journal) return toCheckpoint(state, mark, { transcript: referTo(base), entries, pending })
  await state.events.stored()
  const change = state.transcriptLog.advance(base)
  const checkpoint = toCheckpoint(state, mark, { transcript: state.transcriptLog.reference, entries, pending })
  await toStored(() => journal.writeCheckpoint(checkpoint, change))
  return checkpoint
}

/** What the run is made of. */
export function fingerprintOf(state: RunState): RunFingerprint {
  const { request, provider, mode, preset, limits } = state
  const { tools, agents = [], system, options, outputSchema, output, authorize, policyVersion } = request
  state.fingerprint ??= toFingerprint({
    provider,
    mode,
    ...(Array.isArray(tools) && { tools: (tools as RunState['tools']).map(({ definition }) => definition) }),
    agents,
    system: system ?? '',
    preset,
    output: [outputSchema && state.output?.schema, output !== undefined],
    options: mergeOptions(preset.options, options),
    limits,
    policy: authorize ? (policyVersion ?? 'unversioned') : 'none',
  })
  return state.fingerprint
}
