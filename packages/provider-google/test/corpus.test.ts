import { describe, expect, test } from 'vitest'
import {
  corpusCases,
  corpusFetch,
  type CorpusCase,
  type Cut,
  decodeCase,
  differences,
  hasCorpus,
} from '../../../test/support/corpus.js'
import { createGoogle } from '../src/index.js'

const cases = corpusCases('gemini')
const strict = cases.filter((recorded) => recorded.strict)
const loose = cases.filter((recorded) => !recorded.strict)
const seeds: readonly Cut[] = Array.from({ length: 20 }, (_, seed) => ({ seed: seed + 1 }))

async function decode(recorded: CorpusCase, cut: Cut): Promise<{ found: string[]; outcome: string }> {
  const fetch = corpusFetch(recorded, cut)
  const vertex = recorded.vendor === 'google-vertex'
  const model = recorded.request.body.model ?? 'gemini-3-flash-preview'
  const provider = vertex
    ? createGoogle({
        model,
        fetch,
        vertex: { project: 'demo', location: 'us-central1', accessToken: () => 'token-of-tests' },
      })
    : createGoogle({ model, fetch, apiKey: 'key-of-tests' })
  const outcome = await decodeCase(recorded, provider)
  const found = differences(recorded, outcome)
  if (fetch.requests !== 1) found.push(`${fetch.requests} requests`)
  return { found, outcome: JSON.stringify(outcome) }
}

async function failures(recorded: readonly CorpusCase[], cuts: readonly Cut[]): Promise<string[]> {
  const failed: string[] = []
  for (const one of recorded) {
    for (const cut of cuts) {
      const { found } = await decode(one, cut)
      if (found.length) failed.push(`${one.id} (${JSON.stringify(cut)}): ${found.join('; ')}`)
    }
  }
  return failed
}

describe.skipIf(!hasCorpus)('recorded exchanges', () => {
  test('there are hundreds of strict ones, of both APIs', () => {
    expect(strict.length).toBeGreaterThan(400)
    expect(strict.filter(({ vendor }) => vendor === 'google-vertex').length).toBeGreaterThan(100)
  })

  test('every strict case decodes exactly, whole', async () => {
    expect(await failures(strict, ['whole'])).toEqual([])
  }, 120_000)

  test('every strict case decodes exactly at 20 random splits', async () => {
    expect(await failures(strict, seeds)).toEqual([])
  }, 300_000)

  test('the quick suite decodes exactly byte by byte', async () => {
    const core = corpusCases('gemini', { core: true }).filter((recorded) => recorded.strict)
    expect(core.length).toBeGreaterThan(20)
    expect(await failures(core, ['byte'])).toEqual([])
  }, 120_000)

  test('cases that are not strict: only these differ, and they do not depend on the split', async () => {
    const differing: Record<string, string[]> = {}
    for (const recorded of loose) {
      const whole = await decode(recorded, 'whole')
      const cut = await decode(recorded, { seed: 1 })
      expect(cut.outcome, recorded.id).toBe(whole.outcome)
      if (whole.found.length) differing[recorded.id] = whole.found
    }
    console.log(`${loose.length} cases are not strict, ${Object.keys(differing).length} differ`, differing)
    expect(Object.keys(differing).length).toBeLessThanOrEqual(1)
  })
})
