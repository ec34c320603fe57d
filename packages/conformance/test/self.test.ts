import { readFileSync } from 'node:fs'
import { citedRules, conformance, type Harness, type Runner } from '@modelport/conformance'
import { describe, expect, test } from 'vitest'
import { batchMutants } from './batch-mutants.js'
import { breaksOwnCode } from './breaking.js'
import { createLines, lineFormat } from './line-protocol.js'
import { mutants } from './mutants.js'
import { reference } from './reference-driver.js'

/**
 * Runs the tests of a part of the suite that cite the rule until one of them fails, and gives its
 * failure.
 */
async function firstFailure(
  harness: Harness,
  rule: string,
  rules: NonNullable<Runner['rules']> = 'all',
): Promise<string | undefined> {
  const bodies = new Map<string, () => Promise<void> | void>()
  const add = Object.assign(
    (title: string, body: () => Promise<void> | void) => void bodies.set(title, body),
    {
      skip: () => undefined,
    },
  )
  const runner: Runner = { describe: (_, body) => body(), test: add, everyNthByte: 16, rules }
  conformance(runner, harness)
  for (const [title, body] of bodies) {
    if (!citedRules(title).includes(rule)) continue
    try {
      await body()
    } catch (error) {
      // A failure of another kind is one of the broken provider itself.
      if (error instanceof Error && error.name === 'ConformanceError')
        return `${title}: ${error.message}`
    }
  }
  return undefined
}

// Side by side: a provider that hangs is found after two seconds in which nothing is done.
describe('the suite can fail: a provider that', () => {
  test.concurrent.each(Object.entries(mutants))(
    'the suite fails a provider that %s',
    async (_, [rule, harness]) => {
      expect(await firstFailure(harness, rule)).toBeDefined()
    },
    120_000,
  )
})

// Only the reference, and one provider of each other framing, runs the whole kit on every commit.
describe("the suite can fail by the tests of the wire alone, where a provider's own code is wrong: one that", () => {
  const own = Object.entries(mutants).filter(([, [, harness]]) => breaksOwnCode(harness))

  test.concurrent.each(own)(
    "the wire's part of the suite fails a provider that %s",
    async (_, [rule, harness]) => {
      expect(await firstFailure(harness, rule, 'wire')).toBeDefined()
    },
    120_000,
  )
})

test('the parts of the driver and of the wire are the whole suite, and share no test', () => {
  const titlesOf = (rules: NonNullable<Runner['rules']>): readonly string[] => {
    const found: string[] = []
    const add = (title: string) => void found.push(title)
    const run = Object.assign(add, { skip: add })
    conformance({ describe: (_, body) => body(), test: run, rules }, reference)
    return found
  }
  const parts = [...titlesOf('driver'), ...titlesOf('wire')]
  expect(parts.toSorted()).toEqual(titlesOf('all').toSorted())
})

const refusing = (): Promise<Response> => Promise.reject(new TypeError('fetch failed'))
const ownFetch: Harness = {
  ...reference,
  create: (config) => reference.create({ ...config, fetch: refusing }),
}

test.each([
  [
    'ignores the fetch of its configuration',
    /^L1 .* and no request reached the kit: send with the `fetch`/s,
  ],
  [
    "leaves the server's text out of its errors",
    /^F1 .*: reference: the message lacks the server's text: /,
  ],
  ['drops the vendor option', /^Q2 .* did not change the request; send it, or throw/],
  [
    'takes the end of the body for the end of the reply',
    /^R2, D9 .* the stream ended as if it were complete; events read\n {2}expected 10\n {2}found {4}0$/,
  ],
])(
  'a failure names the rule, what was expected and what was found: %s',
  async (name, message) => {
    const [rule, harness] = mutants[name] ?? ['L1', ownFetch]
    expect(await firstFailure(harness, rule)).toMatch(message)
  },
  120_000,
)

test('the kit tells a format that claims counts of cached tokens, which its API does not send, what to declare', async () => {
  const format = { ...lineFormat, supports: { ...lineFormat.supports, cacheTokens: true } }
  const harness = { name: 'lines', create: createLines, format }
  expect(await firstFailure(harness, 'L1')).toMatch(
    /^L1 .*cacheReadTokens \(without such counts, the format says supports.cacheTokens: false\)/s,
  )
})

test('each rule of docs/contract.md has a provider that breaks it', () => {
  const contract = readFileSync(new URL('../../../docs/contract.md', import.meta.url), 'utf8')
  const rules = [...contract.matchAll(/^\| ([A-Z]\d+) \|/gm)].map((match) => match[1])
  const broken = [...Object.values(mutants), ...Object.values(batchMutants)].map(([rule]) => rule)
  expect(rules.filter((rule) => !broken.includes(rule ?? ''))).toEqual([])
})

test('skips are declared with their reason', () => {
  const skipped: string[] = []
  const ran: string[] = []
  const runner: Runner = {
    describe: (_, body) => body(),
    test: Object.assign((title: string) => void ran.push(title), {
      skip: (title: string) => void skipped.push(title),
    }),
  }
  conformance(runner, {
    ...reference,
    skip: {
      E1: 'no hosts',
      'S3 a whole reply split at every byte': 'too slow',
      'aborted in the second turn': 'one turn',
    },
  })
  expect(skipped.map((title) => title.replace(/.*\(skipped: /, '')).sort()).toEqual([
    'no hosts)',
    'no hosts)',
    'one turn)',
    'too slow)',
  ])
  expect(ran.length).toBeGreaterThan(150)
})
