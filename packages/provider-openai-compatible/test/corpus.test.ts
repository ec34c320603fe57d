import { describe, expect, test } from 'vitest'
import {
  type CorpusCase,
  corpusCases,
  corpusFetch,
  type Cut,
  decodeCase,
  differences,
  hasCorpus,
} from '../../../test/support/corpus.js'
import { createPreset, type PresetName } from '../src/index.js'

/** The row of a case's vendor. The others are servers of which the table knows nothing. */
const rows: Readonly<Record<string, PresetName>> = {
  alibaba: 'alibaba',
  cerebras: 'cerebras',
  deepseek: 'deepseek',
  groq: 'groq',
  huggingface: 'huggingface',
  'llama.cpp': 'llamacpp-server',
  mistral: 'mistral',
  moonshotai: 'moonshot',
  openrouter: 'openrouter',
  perplexity: 'perplexity',
  together: 'together',
  vllm: 'vllm',
  xai: 'grok',
  zai: 'zai',
}
const others = [
  'api.portkey.ai',
  'avian',
  'azure',
  'bedrock-mantle',
  'crusoe',
  'gpustack',
  'localhost5002',
  'ollama',
  'ollama-cloud',
  'openai',
  'openai-compatible',
  'pydantic-gateway',
  'snowflake',
  'vercel-gateway',
]

const provide = (recorded: CorpusCase, cut: Cut) =>
  createPreset(rows[recorded.vendor] ?? 'openai-compatible', {
    apiKey: 'sk-recorded-1',
    model: [recorded.request.body.model].find(Boolean) ?? 'recorded',
    fetch: corpusFetch(recorded, cut),
  })

const decode = (recorded: CorpusCase, cut: Cut) => decodeCase(recorded, provide(recorded, cut))

/** Cases whose expectation is arguable, and why we differ from it. */
const arguable: Readonly<Record<string, string>> = {
  'openai--chat--s--should-handle-unparsable-stream-parts--7173f6b':
    'an event that is not JSON is an error here, never skipped',
  'openai-compatible--chat--s--should-error-when-streamed-tool-call-never-receives-a-function-name--1b01878':
    'a call without a name cannot be given out',
  'openai-compatible--chat--s--should-handle-unparsable-stream-parts--0131d65':
    'an event that is not JSON is an error here, never skipped',
}

describe.skipIf(!hasCorpus)('recorded exchanges, each through the row of its vendor', () => {
  const cases = corpusCases('openai-chat')
  const core = new Set(corpusCases('openai-chat', { core: true }).map(({ id }) => id))

  test('every vendor has a row or is known to have none', () => {
    expect([...new Set(cases.map(({ vendor }) => vendor))].sort()).toEqual([...Object.keys(rows), ...others].sort())
  })

  test.each(cases.filter(({ strict }) => strict).map((recorded) => [recorded.id, recorded] as const))(
    '%s',
    async (_, recorded) => {
      const whole = await decode(recorded, 'whole')
      expect(differences(recorded, whole)).toEqual([])
      for (let seed = 1; seed <= 20; seed++) expect(await decode(recorded, { seed }), `seed ${seed}`).toEqual(whole)
      if (core.has(recorded.id)) expect(await decode(recorded, 'byte')).toEqual(whole)
    },
  )

  test('the others are decoded, or differ for a known reason', async () => {
    const arguables = cases.filter(({ strict }) => !strict)
    const found: string[] = []
    for (const recorded of arguables) {
      const differs = differences(recorded, await decode(recorded, 'whole'))
      if (!differs.length) continue
      found.push(recorded.id)
      console.log(`${recorded.id}: ${arguable[recorded.id] ?? 'NOT KNOWN'}\n  ${differs.join('\n  ')}`)
    }
    console.log(
      `${arguables.length - found.length} of ${arguables.length} cases that are not strict are decoded exactly`,
    )
    expect(found).toEqual(Object.keys(arguable))
  })
})
