import { capabilityConformance, citedRules, type CapabilityHarness, type Runner } from '@modelport/conformance'
import { describe, expect, test } from 'vitest'
import { capabilityMutants } from './capability-mutants.js'
import { callEcho, echoHarness } from './reference-capability.js'

capabilityConformance({ describe, test }, echoHarness(callEcho))

/** Runs the tests that cite the rule until one of them fails, and gives its failure. */
async function firstFailure(harness: CapabilityHarness, rule: string): Promise<string | undefined> {
  const bodies = new Map<string, () => Promise<void> | void>()
  const add = Object.assign((title: string, body: () => Promise<void> | void) => void bodies.set(title, body), {
    skip: () => undefined,
  })
  const runner: Runner = { describe: (_, body) => body(), test: add }
  capabilityConformance(runner, harness)
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

describe('the suite of capabilities fails a capability that', () => {
  test.each(Object.entries(capabilityMutants))(
    '%s',
    async (_, [rule, harness]) => {
      expect(await firstFailure(harness, rule)).toBeDefined()
    },
    120_000,
  )
})
