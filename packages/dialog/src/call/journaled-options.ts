import { LlmError } from '@modelport/core'
import type { Engine, RunEventSink, RunJournal } from '@modelport/runtime'
import type { Dialog } from '../dialog/dialog.js'
import { callsOf, type JournaledCalls } from './journaled-calls.js'
import type { JournaledRun } from './journaled-run.js'
import type { AgentCallOptions } from './settings.js'

/** The options of a call, those of a journaled run among them. */
export interface JournaledOptions extends Omit<AgentCallOptions, 'journal' | 'durable'> {
  readonly journal?: RunJournal | undefined
  readonly engine?: Engine | undefined
  readonly sink?: RunEventSink | undefined
  readonly runId?: string | undefined
  /** True makes a model call again that is recorded as failed. */
  readonly repeatFailed?: boolean | undefined
  /** The calls of the journaled run. Unset: the call belongs to none. */
  readonly calls?: JournaledCalls
}

/**
 * Takes a journaled run apart, without its records, which `beginJournaled` adds. The options of a
 * plain journal stay as they are.
 */
export function toJournaledOptions(options: AgentCallOptions): JournaledOptions {
  const { journal: run, durable, ...own } = options
  if (durable) return { ...own, ...durable }
  if (!run || !isRun(run)) return { ...own, journal: run }
  const signal = own.signal ? AbortSignal.any([own.signal, run.signal]) : run.signal
  return { ...own, runId: run.id, calls: callsOf(run), signal }
}

/**
 * Adds the records of a journaled run: where the call continues, and where it is written down.
 * @throws {LlmError} `invalid-request` — the options say where the call continues, or the run has
 * no place for this call.
 */
export function beginJournaled(options: JournaledOptions, dialog: Dialog): JournaledOptions {
  const { calls, runId = '', scope } = options
  if (!calls) return options
  const given = (['resume', 'messages', 'decisions'] as const).filter(
    (name) => options[name] !== undefined,
  )
  if (given.length)
    throw new LlmError(
      'invalid-request',
      `the journal is run "${runId}", which says where the call continues; leave out ${given.join(', ')}`,
    )
  const { keySuffix, ...place } = calls.begin(dialog)
  return {
    ...options,
    ...place,
    scope: { ...scope, keyPrefix: `${scope?.keyPrefix ?? runId}${keySuffix}` },
  }
}

const isRun = (journal: RunJournal | JournaledRun): journal is JournaledRun => 'journal' in journal
