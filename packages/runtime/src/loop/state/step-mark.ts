import type { RunCheckpoint } from '../../journal/checkpoint.js'
import type { Intentions } from '../guards/intentions.js'
import type { ProgressGuard } from '../guards/progress-guard.js'
import type { RunGuards } from '../guards/run-guards.js'
import type { RunControl } from './run-control.js'
import type { RunConversation } from './run-conversation.js'
import type { RunMeter } from './run-meter.js'
import type { RunModels } from './run-models.js'
import type { RunTools } from './run-tools.js'
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
  readonly intentions: ReturnType<Intentions['mark']>
  readonly mode: string
  readonly failuresFrom: number | undefined
}

/** The parts of a run that have counters. */
interface Counted {
  readonly guards: RunGuards
  readonly turn: TurnState
  readonly meter: RunMeter
  readonly conversation: RunConversation
  readonly models: RunModels
  readonly control: RunControl
  readonly tools: RunTools
}

/** Takes the counters as they are now. */
export function markOf(counted: Counted, phase: RunCheckpoint['phase']): StepMark {
  const { guards, turn, conversation, models, control } = counted
  const { main, choice } = models
  const { tally } = counted.meter
  const { loaded } = counted.tools.found
  return {
    phase,
    step: turn.step,
    recentActions: guards.repeats.recent,
    knownResults: guards.progress.known,
    repeats: guards.repeatStreak.count,
    parseFailures: guards.parseFailures.count,
    idleSteps: guards.progress.idleSteps,
    intentions: guards.intentions.mark(),
    ...(phase === 'model' && choice && { choice }),
    ...(control.agent !== undefined && { agent: control.agent }),
    ...(loaded.length && { found: loaded }),
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
