import { LlmError } from '@modelport/core'
import type { RunEventSink, RunJournal } from '@modelport/runtime'
import type { JournaledRun } from './journaled-run.js'
import type { AgentCallOptions } from './settings.js'

/** The options of a call, those of a journaled run among them. */
export interface JournaledOptions extends Omit<AgentCallOptions, 'journal'> {
  readonly journal?: RunJournal | undefined
  readonly sink?: RunEventSink | undefined
  readonly runId?: string | undefined
}

/** Takes the options of a journaled run apart; those of a plain journal stay as they are. */
export function toJournaledOptions(options: AgentCallOptions): JournaledOptions {
  const { journal: run, ...own } = options
  if (!run || !isRun(run)) return { ...own, journal: run }
  const { id, journal, sink, resume, messages, decisions } = run
  return {
    ...own,
    runId: id,
    journal,
    sink,
    signal: own.signal ? AbortSignal.any([own.signal, run.signal]) : run.signal,
    scope: { ...own.scope, keyPrefix: own.scope?.keyPrefix ?? id },
    ...(resume && { resume, messages, decisions }),
  }
}

/**
 * Checks that a call continues from one place.
 * @throws {LlmError} `invalid-request` — the options say where the call continues, and so does the journaled run.
 */
export function checkJournal({ journal, ...options }: AgentCallOptions): void {
  if (!journal || !isRun(journal)) return
  const given = (['resume', 'messages', 'decisions'] as const).filter((name) => options[name] !== undefined)
  if (given.length)
    throw new LlmError(
      'invalid-request',
      `the journal is run "${journal.id}", which says where the call continues; leave out ${given.join(', ')}`,
    )
}

const isRun = (journal: RunJournal | JournaledRun): journal is JournaledRun => 'journal' in journal
