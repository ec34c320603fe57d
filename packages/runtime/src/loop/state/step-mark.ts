import type { RunCheckpoint } from '../../journal/checkpoint.js'
import type { Intentions } from '../guards/intentions.js'
import type { ProgressGuard } from '../guards/progress-guard.js'
import type { RunGuards } from '../guards/run-guards.js'
import type { FoundTools } from './found-tools.js'
import type { RunControl } from './run-control.js'
import type { RunConversation } from './run-conversation.js'
import type { RunModels } from './run-models.js'
import type { RunTally } from './run-tally.js'
import type { TurnState } from './turn-state.js'

/**
 * The counters of a run at one moment, before they are made into JSON. Cheap: taken in every step.
 */
export interface StepMark
  extends Pick<
    RunCheckpoint,
    | 'phase'
    | 'step'
    | 'choice'
    | 'agent'
    | 'found'
    | 'formatLevel'
    | 'compacted'
    | 'requests'
    | 'attempt'
    | 'usage'
    | 'text'
    | 'totals'
  > {
  readonly recentActions: readonly string[]
  readonly knownResults: ProgressGuard['known']
  readonly repeats: number
  readonly parseFailures: number
  readonly idleSteps: number
  readonly intentions: Intentions['stored']
  readonly mode: string
  readonly failuresFrom: number | undefined
}

/** The parts of a run that have counters. */
interface Counted {
  readonly step: number
  readonly guards: RunGuards
  readonly turn: TurnState
  readonly tally: RunTally
  readonly conversation: RunConversation
  readonly models: RunModels
  readonly control: RunControl
  readonly found: FoundTools
}

/** Takes the counters as they are now. */
export function markOf(counted: Counted, phase: RunCheckpoint['phase']): StepMark {
  const { step, guards, turn, tally, conversation, models, control, found } = counted
  const { main, choice } = models
  return {
    phase,
    step,
    recentActions: guards.repeats.recent,
    knownResults: guards.progress.known,
    repeats: guards.repeatStreak.count,
    parseFailures: guards.parseFailures.count,
    idleSteps: guards.progress.idleSteps,
    intentions: guards.intentions.stored,
    ...(phase === 'model' && choice && { choice }),
    ...(control.agent !== undefined && { agent: control.agent }),
    ...(found.loaded.length && { found: found.loaded }),
    formatLevel: main.formatLevel,
    mode: main.mode,
    failuresFrom: conversation.failuresFrom,
    compacted: turn.isCompacted,
    requests: turn.requests,
    attempt: turn.attempt,
    usage: tally.usage,
    text: turn.text,
    totals: tally.totals,
  }
}
