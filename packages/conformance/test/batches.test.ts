import { citedRules, type Runner } from '@modelport/conformance'
import { describe, expect, test } from 'vitest'
import { batchConformance } from '../../../test/support/batch-conformance.js'
import { batchMutants } from './batch-mutants.js'
import { referenceBatches } from './reference-batches.js'

batchConformance({ describe, test }, referenceBatches())

/** Runs the tests that cite the rule until one of them fails, and gives its failure. */
async function firstFailure(
  declare: (runner: Runner) => void,
  rule: string,
): Promise<string | undefined> {
  const bodies = new Map<string, () => Promise<void> | void>()
  const add = Object.assign(
    (title: string, body: () => Promise<void> | void) => void bodies.set(title, body),
    {
      skip: () => undefined,
    },
  )
  const runner: Runner = { describe: (_, body) => body(), test: add }
  declare(runner)
  for (const [title, body] of bodies) {
    if (!citedRules(title).includes(rule)) continue
    try {
      await body()
    } catch (error) {
      if (error instanceof Error && error.name === 'ConformanceError')
        return `${title}: ${error.message}`
    }
  }
  return undefined
}

test.each(Object.entries(batchMutants))(
  'the suite of batches fails a runner that %s',
  async (_, [rule, harness]) => {
    expect(await firstFailure((runner) => batchConformance(runner, harness), rule)).toBeDefined()
  },
  120_000,
)
