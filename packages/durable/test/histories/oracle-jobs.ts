// Runs whose process dies in a sending, as plain JSON that a seed makes: the same for each engine.
import { type Call, namesOf, type Sending, sendings, toolNames } from './history.js'
import { randomOf } from './virtual-world.js'

/** A run, and where its process dies. */
export interface OracleJob {
  readonly seed: number
  readonly steps: readonly (readonly Call[])[]
  /** The sendings in which the process dies, from 1: once the receiver has it, or before. */
  readonly deaths: readonly { readonly sending: number; readonly hasArrived: boolean }[]
}

export function oracleJobOf(seed: number): OracleJob {
  const random = randomOf(seed ^ 0x2545f491)
  const pick = <Value>(values: readonly Value[]): Value =>
    values[Math.floor(random() * values.length)]!
  const stepCount = 1 + Math.floor(random() * 3)
  // An engine makes the calls of a step one after the other: each step has one.
  const steps = Array.from({ length: stepCount }, (_, index) => {
    const count = random() < 0.4 ? 0 : 1 + Math.floor(random() * 2)
    const ends: Sending[] = Array.from({ length: count }, () => pick(namesOf(sendings)))
    return [{ tool: pick(toolNames), wish: `J${seed}.${index + 1}`, ends }]
  })
  const deaths = Array.from({ length: Math.floor(random() * 2.5) }, () => ({
    sending: 1 + Math.floor(random() * 4),
    hasArrived: random() < 0.5,
  }))
  return { seed, steps, deaths }
}
