import { describe, expect, test } from 'vitest'
import {
  corpusCases,
  type CorpusCase,
  corpusFetch,
  type Cut,
  decodeCase,
  differences,
  hasCorpus,
  type Outcome,
} from '../../../test/support/corpus.js'
import { createOllama } from '../src/index.js'
import { fewestTokens } from '../src/prompt-check.js'

const cases = corpusCases('ollama-chat')
const run = (recorded: CorpusCase, cut: Cut): Promise<Outcome> =>
  decodeCase(recorded, createOllama({ model: 'recorded', fetch: corpusFetch(recorded, cut) }))
const cuts: readonly Cut[] = ['byte', ...Array.from({ length: 20 }, (_, seed) => ({ seed }))]

describe.skipIf(!hasCorpus)('recorded replies', () => {
  test('recorded replies exist', () => {
    expect(cases.filter(({ strict }) => strict).length).toBeGreaterThan(20)
  })

  for (const recorded of cases.filter(({ strict }) => strict)) {
    test(recorded.id, async () => {
      const whole = await run(recorded, 'whole')
      expect(differences(recorded, whole)).toEqual([])
      for (const cut of cuts) expect(await run(recorded, cut)).toEqual(whole)
    })
  }

  test('loose cases are listed, and give the same at every split', async () => {
    for (const recorded of cases.filter(({ strict }) => !strict)) {
      const whole = await run(recorded, 'whole')
      console.log(
        `loose: ${recorded.id} (${recorded.looseReasons.join(', ')}): ${differences(recorded, whole).join('; ') || 'as expected'}`,
      )
      for (const cut of cuts) expect(await run(recorded, cut)).toEqual(whole)
    }
  })

  test('no recorded prompt is called cut: the fewest tokens are never more than the server counted', () => {
    let compared = 0
    for (const { request, response, expected } of cases) {
      const body = request.body as { messages?: { content?: string }[] }
      if (!request.recorded || response.status !== 200 || !expected.usage?.input) continue
      compared++
      expect(fewestTokens((body.messages ?? []).map(({ content }) => content ?? '').join('\n'))).toBeLessThanOrEqual(
        expected.usage.input,
      )
    }
    expect(compared).toBeGreaterThan(10)
  })
})
