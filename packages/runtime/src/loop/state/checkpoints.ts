import type { ChatMessage } from '@modelport/core'
import { checkpointVersion, type RunCheckpoint } from '../../journal/checkpoint.js'
import type { RunJournal } from '../../journal/journal.js'
import type { JournalEntry } from '../../journal/journal-entry.js'
import { toStored } from '../../journal/journal-error.js'
import type { PendingItem } from '../../journal/pending-item.js'
import { referTo } from '../../journal/transcript-log.js'
import { hashResult } from '../guards/progress-guard.js'
import { hashSignature } from '../guards/repeat-guard.js'
import type { Uses } from './run-state.js'
import type { StepMark } from './step-mark.js'

/** The parts of a run that a checkpoint uses. */
type StoredParts = Uses<'request' | 'conversation' | 'meter' | 'events' | 'storage'>

/** Of {@link toCheckpoint}. */
interface CheckpointParts {
  readonly transcript: RunCheckpoint['transcript']
  readonly entries?: readonly JournalEntry[]
  readonly pending?: readonly PendingItem[]
}

/** Makes the checkpoint that stands for a mark. */
export function toCheckpoint(
  state: Uses<'request' | 'meter' | 'events' | 'storage'>,
  mark: StepMark,
  parts: CheckpointParts,
): RunCheckpoint {
  const {
    phase,
    step,
    recentActions,
    knownResults,
    repeats,
    parseFailures,
    idleSteps,
    intentions,
    failuresFrom,
    mode,
    ...rest
  } = mark
  const { asked, uncertain } = intentions()
  const { toolDefinitionTokens: _tools, turns, reported: _reported, ...sums } = rest.usage
  return {
    version: checkpointVersion,
    runId: state.request.runId,
    phase,
    step,
    ...rest,
    // The current value, not the one of the mark: replayed calls are not charged again after a
    // resume.
    budget: state.meter.ledger.snapshot(),
    fingerprint: { ...state.storage.fingerprint, mode },
    guards: {
      recentActions: recentActions.map(hashSignature),
      knownResults: knownResults.map(hashResult),
      repeats,
      parseFailures,
      idleSteps,
      ...(isFilled(asked) && { asked }),
      ...(isFilled(uncertain) && { uncertain }),
    },
    ...(failuresFrom !== undefined && { failuresFrom }),
    usage: turns.length > 1 ? { ...rest.usage, turns: [sums] } : rest.usage,
    seq: state.events.seq,
    entries: parts.entries ?? [],
    pending: parts.pending ?? [],
    transcript: parts.transcript,
  }
}

const isFilled = (counts: object): boolean => Object.keys(counts).length > 0

/** Stores where the run is, if it has a journal, and drops the entries before. */
export async function storeCheckpoint(
  state: StoredParts,
  phase: RunCheckpoint['phase'],
): Promise<void> {
  const { journal } = state.request.durable
  // The step that begins takes a mark of its own.
  if (!journal && phase === 'step') return
  const mark = state.storage.takeMark(phase)
  if (!journal) return
  await writeCheckpoint(state, journal, mark, state.conversation.transcript.messages)
  state.storage.log.clear()
}

async function writeCheckpoint(
  state: Uses<'request' | 'meter' | 'events' | 'storage'>,
  journal: RunJournal,
  mark: StepMark,
  messages: readonly ChatMessage[],
  parts: Omit<CheckpointParts, 'transcript'> = {},
): Promise<RunCheckpoint> {
  await state.events.stored()
  const change = state.storage.transcript.advance(messages)
  const checkpoint = toCheckpoint(state, mark, {
    ...parts,
    transcript: state.storage.transcript.reference,
  })
  await toStored(() => journal.writeCheckpoint(checkpoint, change))
  return checkpoint
}

/**
 * The checkpoint of a run that suspends: its step as it was before the model call, with everything
 * recorded since.
 */
export async function storeSuspension(
  state: Uses<'request' | 'meter' | 'events' | 'storage'>,
  base: readonly ChatMessage[],
  pending: readonly PendingItem[],
): Promise<RunCheckpoint> {
  const { journal } = state.request.durable
  // Replies that were not an action are gone from the transcript, or stay in it: either way nothing
  // is to be forgotten again.
  const mark: StepMark = {
    ...(state.storage.mark ?? state.storage.markNow('model')),
    phase: 'model',
    failuresFrom: undefined,
  }
  const entries = state.storage.log.entries
  if (!journal) return toCheckpoint(state, mark, { transcript: referTo(base), entries, pending })
  return writeCheckpoint(state, journal, mark, base, { entries, pending })
}
