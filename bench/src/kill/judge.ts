import type { Effect } from './world.ts'

/** What became of one job. */
export interface Outcome {
  /** How many processes that worked on it were killed. */
  readonly kills: number
  /**
   * Calls that happened more than once, and how many of them came with the key of the first time.
   */
  readonly doubled: readonly string[]
  readonly sameKey: number
  /** Calls that never happened, although the job ended. */
  readonly lost: readonly string[]
  /** Why the job did not end, if it did not. */
  readonly stuck?: string
  /** How often a person was asked whether a call had happened. */
  readonly asked: number
  /**
   * From the start of the last process until its first request, effect, question or result, in
   * milliseconds.
   */
  readonly recoveryMs?: number
}

/** Judges a job by its effects, its text and the first failure that was reported of it. */
export function judge(
  effects: readonly Effect[],
  calls: readonly string[],
  text: string | undefined,
  failure: string | undefined,
): Pick<Outcome, 'doubled' | 'sameKey' | 'lost' | 'stuck'> {
  const byCall = calls.map((call) => effects.filter((effect) => effect.call === call))
  const repeated = byCall.filter(({ length }) => length > 1)
  const isDone = text === 'Done.'
  return {
    doubled: repeated.map(([effect]) => effect?.call ?? ''),
    sameKey: repeated.filter(
      ([first, ...others]) =>
        first?.key !== undefined && others.every(({ key }) => key === first.key),
    ).length,
    lost: isDone ? calls.filter((_, index) => byCall[index]?.length === 0) : [],
    ...(!isDone && { stuck: failure ?? `its text is ${JSON.stringify(text)}` }),
  }
}
