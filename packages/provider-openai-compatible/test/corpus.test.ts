import { expect, test } from 'vitest'
import { type CorpusCase, corpusCases } from '../../../test/support/corpus.js'
import { testCorpus } from '../../../test/support/corpus-suite.js'
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

/**
 * The row of a case. Replies of OpenRouter, which other recorders name by its API, have such ids.
 */
const rowOf = ({ vendor, response }: CorpusCase): PresetName =>
  response.body.includes('"id":"gen-') ? 'openrouter' : (rows[vendor] ?? 'openai-compatible')

testCorpus('exchanges, each through the row of its vendor', {
  api: 'openai-chat',
  provide: (recorded, fetch) =>
    createPreset(rowOf(recorded), {
      apiKey: 'sk-recorded-1',
      model: [recorded.request.body.model].find(Boolean) ?? 'recorded',
      fetch,
    }),
  // Events that are not JSON, and a call without a name, are errors here.
  mostDiffer: 3,
})

test('every vendor of the corpus has a row or is known to have none', () => {
  const vendors = new Set(corpusCases('openai-chat').map(({ vendor }) => vendor))
  expect([...vendors].sort()).toEqual([...Object.keys(rows), ...others].sort())
})
