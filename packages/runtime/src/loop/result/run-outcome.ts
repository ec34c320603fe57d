import type { RunResult } from './run-result.js'

/** How a run ended, without the fields that every result has. */
export type RunOutcome = RunResult extends infer Result
  ? Result extends RunResult
    ? Omit<
        Result,
        'runId' | 'transcript' | 'usage' | 'details' | 'metrics' | 'steps' | 'agent' | 'text'
      >
    : never
  : never
