import type { TokenUsage } from '@modelport/core'
import type { RunCheckpoint, RunTotals } from '../journal/checkpoint.js'
import type { ProgressGuard } from './progress-guard.js'
import type { RepeatGuard } from './repeat-guard.js'
import type { StreakGuard } from './streak-guard.js'

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

/** The counters that a mark is taken of. */
interface Counters
  extends Pick<StepMark, 'step' | 'formatLevel' | 'failuresFrom' | 'compacted' | 'requests' | 'attempt'> {
  readonly usage: TokenUsage
  readonly text: string
  readonly totals: RunTotals
  readonly repeats: RepeatGuard
  readonly progress: ProgressGuard
  readonly repeatStreak: StreakGuard
  readonly parseFailures: StreakGuard
}

/** Takes the counters as they are now. */
export function markOf(state: Counters, phase: RunCheckpoint['phase']): StepMark {
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
