import { expect, test } from 'vitest'
import { corpusCases, largeCorpus } from '../../../test/support/corpus.js'
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

/** Cases of the large corpus whose expectation is arguable, and why we differ from it. */
const arguable: Readonly<Record<string, string>> = {
  'openai--chat--s--should-handle-unparsable-stream-parts--7173f6b':
    'an event that is not JSON is an error here, never skipped',
  'openai-compatible--chat--s--should-error-when-streamed-tool-call-never-receives-a-function-name--1b01878':
    'a call without a name cannot be given out',
  'openai-compatible--chat--s--should-handle-unparsable-stream-parts--0131d65':
    'an event that is not JSON is an error here, never skipped',
}

testCorpus('exchanges, each through the row of its vendor', {
  api: 'openai-chat',
  provide: (recorded, fetch) =>
    createPreset(rows[recorded.vendor] ?? 'openai-compatible', {
      apiKey: 'sk-recorded-1',
      model: [recorded.request.body.model].find(Boolean) ?? 'recorded',
      fetch,
    }),
  differs: largeCorpus === undefined ? {} : arguable,
})

test('every vendor of the corpus has a row or is known to have none', () => {
  const vendors = new Set(corpusCases('openai-chat').map(({ vendor }) => vendor))
  expect([...vendors].sort()).toEqual([...Object.keys(rows), ...others].sort())
})
