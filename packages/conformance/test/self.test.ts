import { citedRules, conformance, type Harness, type Runner } from '@modelport/conformance'
import { describe, expect, test } from 'vitest'
import { mutants } from './mutants.js'
import { reference } from './reference-driver.js'

interface Result {
  readonly title: string
  readonly error?: unknown
}

/** Runs the tests that cite the rule, and gives what came of each. */
async function run(harness: Harness, rule: string): Promise<Result[]> {
  const bodies = new Map<string, () => Promise<void> | void>()
  const add = Object.assign((title: string, body: () => Promise<void> | void) => void bodies.set(title, body), { skip: () => undefined })
  const runner: Runner = { describe: (_, body) => body(), test: add }
  conformance(runner, harness)
  const results: Result[] = []
  for (const [title, body] of bodies) {
    if (!citedRules(title).includes(rule)) continue
    try {
      await body()
      results.push({ title })
    } catch (error) {
      results.push({ title, error })
    }
  }
  return results
}

describe('the suite can fail: a provider that', () => {
  test.each(Object.entries(mutants))('%s', async (_, [rule, harness]) => {
    const results = await run(harness, rule)
    expect(results.length).toBeGreaterThan(0)
    const failed = results.filter(({ error }) => error !== undefined)
    expect(failed.map(({ title }) => title).join('\n')).toContain(rule)
  }, 120_000)
})

test('skips are declared with their reason', () => {
  const skipped: string[] = []
  const ran: string[] = []
  const runner: Runner = { describe: (_, body) => body(), test: Object.assign((title: string) => void ran.push(title), { skip: (title: string) => void skipped.push(title) }) }
  conformance(runner, { ...reference, skip: { E1: 'no hosts', 'S3 a whole answer split at every byte': 'too slow', 'aborted in the second round': 'one round' } })
  expect(skipped.map((title) => title.replace(/.*\(skipped: /, '')).sort()).toEqual(['no hosts)', 'no hosts)', 'one round)', 'too slow)'])
  expect(ran.length).toBeGreaterThan(150)
})
