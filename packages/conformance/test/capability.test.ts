import { batchConformance, capabilityConformance, citedRules, type Runner } from '@modelport/conformance'
import { describe, expect, test } from 'vitest'
import { batchMutants } from './batch-mutants.js'
import { capabilityMutants } from './capability-mutants.js'
import { referenceBatches } from './reference-batches.js'
import { callEcho, echoHarness } from './reference-capability.js'

capabilityConformance({ describe, test }, echoHarness(callEcho))
batchConformance({ describe, test }, referenceBatches())

/** Runs the tests that cite the rule until one of them fails, and gives its failure. */
async function firstFailure(declare: (runner: Runner) => void, rule: string): Promise<string | undefined> {
  const bodies = new Map<string, () => Promise<void> | void>()
  const add = Object.assign((title: string, body: () => Promise<void> | void) => void bodies.set(title, body), {
    skip: () => undefined,
  })
  const runner: Runner = { describe: (_, body) => body(), test: add }
  declare(runner)
  for (const [title, body] of bodies) {
    if (!citedRules(title).includes(rule)) continue
    try {
      await body()
    } catch (error) {
      if (error instanceof Error && error.name === 'ConformanceError') return `${title}: ${error.message}`
    }
  }
  return undefined
}

describe('the suites of capabilities and batches fail one that', () => {
  const declared = [
    ...Object.entries(capabilityMutants).map(
      ([name, [rule, harness]]) => [name, rule, (runner: Runner) => capabilityConformance(runner, harness)] as const,
    ),
    ...Object.entries(batchMutants).map(
      ([name, [rule, harness]]) => [name, rule, (runner: Runner) => batchConformance(runner, harness)] as const,
    ),
  ]
  test.each(declared)(
    'the suites of capabilities and batches fail one that %s',
    async (_, rule, declare) => {
      expect(await firstFailure(declare, rule)).toBeDefined()
    },
    120_000,
  )
})
