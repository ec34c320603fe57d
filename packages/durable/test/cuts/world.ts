// What the killing tests count: effects outside the store, and what persons decided.
import type { PendingItem, ResumeDecision } from '@modelport/runtime'
import { defineTool } from '@modelport/runtime'

/** The world outside: effects by idempotency key, and decisions of persons. */
export class World {
  readonly effects = new Map<string, number>()
  /** Calls that somebody approved, by tool. */
  readonly approved = new Set<string>()
  /** How often an unknown outcome was reported, by idempotency key. */
  readonly reported = new Map<string, number>()

  happen(key: string): string {
    this.effects.set(key, (this.effects.get(key) ?? 0) + 1)
    return `done ${key}`
  }

  tool(name: string, idempotent = false) {
    return {
      ...defineTool({
        name,
        description: 'Has an effect',
        parameters: { type: 'object', properties: {} },
        execute: (_args, { run }) => this.happen(`${name} ${run.idempotencyKey}`),
      }),
      idempotent,
    }
  }

  /** True if the effect of an uncertain call is in the ledger. */
  hasHappened(idempotencyKey: string): boolean {
    return [...this.effects.keys()].some((key) => key.endsWith(` ${idempotencyKey}`))
  }

  report(idempotencyKey: string): void {
    this.reported.set(idempotencyKey, (this.reported.get(idempotencyKey) ?? 0) + 1)
  }

  /** What a person decides after a look into the ledger. */
  decide(item: PendingItem): ResumeDecision {
    const { id } = item
    if (item.type === 'approval') return { type: 'approve', id, digest: item.digest }
    if (item.type !== 'uncertain') throw new Error(`nobody expects ${item.type}`)
    return this.hasHappened(item.idempotencyKey) ? { type: 'result', id, result: 'seen' } : { type: 'repeat', id }
  }

  /** Effects that happened more than once although their tool may not be repeated. */
  get doubled(): readonly string[] {
    return [...this.effects].filter(([key, count]) => count > 1 && !key.startsWith('again')).map(([key]) => key)
  }
}

/** Every pair of cuts: after each write of the first process, a second one after each write of the next, committed or not. */
export interface Cuts {
  readonly first: number
  readonly second: number
  readonly commits: readonly [boolean, boolean]
}

/**
 * Runs a case for every pair of cuts, until the first cut lies behind the end of an uncut run.
 *
 * @param every looks at every so-many-th second cut only; `everyFirst` at every so-many-th first one
 * @param run true if the process reached that cut
 * @returns pairs that were run
 */
export async function forEachCut(
  every: number,
  everyFirst: number,
  run: (cuts: Cuts) => Promise<{ readonly first: boolean; readonly second: boolean }>,
): Promise<number> {
  let pairs = 0
  for (const [offset, commits] of (
    [
      [true, true],
      [true, false],
      [false, true],
      [false, false],
    ] as const
  ).entries())
    for (let first = 1 + (offset % everyFirst), hasFirst = true; hasFirst; first += everyFirst)
      for (let second = 1 + ((first + offset) % every), hasSecond = true; hasSecond; second += every) {
        const reached = await run({ first, second, commits })
        pairs++
        hasFirst = reached.first
        hasSecond = reached.first && reached.second
      }
  return pairs
}
