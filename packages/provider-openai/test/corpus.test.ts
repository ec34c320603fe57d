import { describe, expect, test } from 'vitest'
import {
  corpusCases,
  type CorpusCase,
  corpusFetch,
  type Cut,
  decodeCase,
  differences,
  hasCorpus,
} from '../../../test/support/corpus.js'
import { createOpenAI } from '../src/index.js'

const decode = async (recorded: CorpusCase, api: 'responses' | 'chat', cut: Cut): Promise<string[]> => {
  const fetch = corpusFetch(recorded, cut)
  const model = recorded.request.body.model ?? 'model'
  const provider = createOpenAI({ apiKey: 'sk-test-0123456789', model, api, fetch })
  const found = differences(recorded, await decodeCase(recorded, provider))
  return fetch.requests === 1 ? found : [...found, `${fetch.requests} requests`]
}

const cuts: Cut[] = ['whole', ...Array.from({ length: 20 }, (_, seed) => ({ seed: seed + 1 }))]

/** What differs at the first cut that shows it; the whole body is the first. */
const decodeAllCuts = async (recorded: CorpusCase, api: 'responses' | 'chat'): Promise<string[]> => {
  for (const cut of cuts) {
    const found = await decode(recorded, api, cut)
    if (found.length) return found.map((line) => `${JSON.stringify(cut)}: ${line}`)
  }
  return []
}

describe.skipIf(!hasCorpus)('recorded replies of the Responses API', () => {
  const cases = corpusCases('openai-responses')

  test.each(cases.filter(({ strict }) => strict).map((recorded) => [recorded.id, recorded] as const))(
    '%s',
    async (_, recorded) => {
      expect(await decodeAllCuts(recorded, 'responses')).toEqual([])
    },
  )

  test.each(
    corpusCases('openai-responses', { core: true })
      .filter(({ strict }) => strict)
      .map((recorded) => [recorded.id, recorded] as const),
  )('byte by byte: %s', async (_, recorded) => {
    expect(await decode(recorded, 'responses', 'byte')).toEqual([])
  })

  test('arguable cases give the same at every split', async () => {
    for (const recorded of cases.filter(({ strict }) => !strict)) {
      const whole = await decode(recorded, 'responses', 'whole')
      console.log(
        `${whole.length ? 'differs' : 'exact'}: ${recorded.id} (${recorded.looseReasons.join(', ')})${whole.map((line) => `\n    ${line}`).join('')}`,
      )
      for (const cut of cuts) expect(await decode(recorded, 'responses', cut), recorded.id).toEqual(whole)
    }
  })
})

describe.skipIf(!hasCorpus)('recorded Chat Completions replies of OpenAI and Azure', () => {
  const cases = corpusCases('openai-chat').filter(({ vendor }) => vendor === 'openai' || vendor === 'azure')

  test.each(cases.filter(({ strict }) => strict).map((recorded) => [recorded.id, recorded] as const))(
    '%s',
    async (_, recorded) => {
      expect(await decodeAllCuts(recorded, 'chat')).toEqual([])
    },
  )
})
