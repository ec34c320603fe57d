import type { GuardState } from '../../journal/checkpoint.js'
import type { RunLimits } from '../request/run-limits.js'
import { Intentions } from './intentions.js'
import { ProgressGuard } from './progress-guard.js'
import { RepeatGuard } from './repeat-guard.js'
import { StreakGuard } from './streak-guard.js'

/** The guards that end a run without progress. */
export interface RunGuards {
  /** Actions that are not executed again. */
  readonly repeats: RepeatGuard
  readonly repeatStreak: StreakGuard
  /** The calls that were asked for, and those whose outcome is unknown. */
  readonly intentions: Intentions
  /** Replies that are not an action. */
  readonly parseFailures: StreakGuard
  /** Steps that bring nothing new. */
  readonly progress: ProgressGuard
}

/** Makes the guards of a run; `stored` are their counters before a resume. */
export const toGuards = (
  { maxRepeats, maxParseFailures, maxIdleSteps, repeatWindow, repeatableTools }: RunLimits,
  stored: GuardState | undefined,
): RunGuards => ({
  repeats: new RepeatGuard(repeatWindow, repeatableTools, stored?.recentActions),
  repeatStreak: new StreakGuard(maxRepeats, stored?.repeats),
  intentions: new Intentions(stored),
  parseFailures: new StreakGuard(maxParseFailures, stored?.parseFailures),
  progress: new ProgressGuard(maxIdleSteps, stored?.idleSteps, stored?.knownResults),
})
