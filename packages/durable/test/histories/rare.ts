// What a run of histories has to have met: one that hardly ever is in force tests nothing.
import { namesOf, sendings } from './history.js'
import { moments } from './moments.js'
import { type MoveName, moves } from './moves.js'
import { exchanges } from './virtual-network.js'

/** Something that was in force less often than it has to be. */
export interface Rare {
  readonly name: string
  readonly count: number
  readonly least: number
}

/** Chance says nothing of fewer histories. */
const fewest = 500

/** How each task may end, and what a person may say: each is met in two of 1,000 histories. */
const outcomes = [
  ...namesOf(sendings).map((name) => `sending: ${name}`),
  ...namesOf(exchanges).map((name) => `exchange: ${name}`),
  ...moments.map((name) => `moment: ${name}`),
  ...['approve', 'deny', 'answer', 'happened', 'did-not-happen', 'unknown'].map(
    (name) => `said: ${name}`,
  ),
  ...['completed', 'failed', 'cancelled', 'refused by a limit', 'delegated', 'forgotten'].map(
    (name) => `outcome: ${name}`,
  ),
]

const names = namesOf(moves)
const total = names.reduce((sum, name) => sum + moves[name].weight, 0)
/** Moves after the first one, on average. */
const drawn = 8.5
const share = (name: MoveName): number => moves[name].weight / total

/** What so many histories have to have met, and how often. */
export function expectedIn(histories: number): readonly Omit<Rare, 'count'>[] {
  if (histories < fewest) return []
  const pairs = names.flatMap((one) =>
    names.map((other) => ({
      name: `pair: ${one} > ${other}`,
      expected: histories * drawn * share(one) * share(other),
    })),
  )
  const wanted = [
    ...names.map((name) => ({ name, least: histories * drawn * share(name) * 0.2 })),
    ...outcomes.map((name) => ({ name, least: histories / 500 })),
    ...pairs
      .filter(({ expected }) => expected >= 25)
      .map(({ name, expected }) => ({ name, least: expected * 0.2 })),
  ]
  return wanted.map(({ name, least }) => ({ name, least: Math.floor(least) }))
}

/**
 * Moves, pairs of moves and outcomes that were in force less often than a fifth of what chance
 * gives. A pair counts if chance gives it 25 times.
 *
 * @param met how often each was in force
 */
export const rareIn = (met: ReadonlyMap<string, number>, histories: number): readonly Rare[] =>
  expectedIn(histories)
    .map((one) => ({ ...one, count: met.get(one.name) ?? 0 }))
    .filter(({ count, least }) => count < least)
