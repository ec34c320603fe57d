import { describe, expect, test } from 'vitest'
import { type CorpusCase, corpusCases, corpusFetch, type Cut, decodeCase, differences, hasCorpus } from '../../../test/support/corpus.js'
import { createOpenAICompatible } from '../src/index.js'

const provide = (recorded: CorpusCase, cut: Cut) =>
  createOpenAICompatible({ baseUrl: 'http://corpus.test/v1', model: recorded.request.body.model ?? 'recorded', fetch: corpusFetch(recorded, cut) })

const decode = (recorded: CorpusCase, cut: Cut) => decodeCase(recorded, provide(recorded, cut))

/** Cases whose expectation is arguable, and in what we differ from it and why. */
const arguable: Readonly<Record<string, string>> = {}

describe.skipIf(!hasCorpus)('recorded exchanges', () => {
  const cases = corpusCases('openai-chat')
  const core = new Set(corpusCases('openai-chat', { core: true }).map(({ id }) => id))

  test.each(cases.filter(({ strict }) => strict).map((recorded) => [recorded.id, recorded] as const))('%s', async (_, recorded) => {
    const whole = await decode(recorded, 'whole')
    expect(differences(recorded, whole)).toEqual([])
    for (let seed = 1; seed <= 20; seed++) expect(await decode(recorded, { seed }), `seed ${seed}`).toEqual(whole)
    if (core.has(recorded.id)) expect(await decode(recorded, 'byte')).toEqual(whole)
  })

  test('the others are decoded, or differ for a known reason', async () => {
    const found: Record<string, readonly string[]> = {}
    for (const recorded of cases.filter(({ strict }) => !strict)) {
      const differs = differences(recorded, await decode(recorded, 'whole'))
      if (differs.length) found[recorded.id] = differs
    }
    console.log(found)
    expect(Object.keys(found)).toEqual(Object.keys(arguable))
  })
})
