// Lists of models, counts of tokens, embeddings, files and batches are read from servers that
// nobody has checked: whatever they answer is a result or a typed error, and a list ends.

import { type FileStore, isLlmError } from '@modelport/core'
import * as anthropic from '@modelport/provider-anthropic'
import * as google from '@modelport/provider-google'
import * as ollama from '@modelport/provider-ollama'
import * as openai from '@modelport/provider-openai'
import * as compatible from '@modelport/provider-openai-compatible'
import { describe, expect, test } from 'vitest'

type Fetch = () => Promise<Response>
const apiKey = 'key-of-these-tests'
const baseUrl = 'http://127.0.0.1:9'
const messages = [{ role: 'user', content: 'Hi' }] as const
const file = { content: new Uint8Array(3), name: 'a.txt', mediaType: 'text/plain' }
const once = { retry: { attempts: 1 } }

const lists: Readonly<Record<string, (fetch: Fetch) => Promise<readonly object[]>>> = {
  anthropic: (fetch) => anthropic.listModels({ apiKey, fetch }),
  google: (fetch) => google.listModels({ apiKey, fetch }),
  ollama: (fetch) => ollama.listModels({ fetch }),
  openai: (fetch) => openai.listModels({ apiKey, fetch }),
  'openai-compatible': (fetch) => compatible.listModels({ baseUrl, fetch }),
}
const others: Readonly<Record<string, (fetch: Fetch) => Promise<unknown>>> = {
  'anthropic countTokens': (fetch) =>
    anthropic.countTokens({ apiKey, model: 'm', fetch }, messages, once),
  'google countTokens': (fetch) =>
    google.countTokens({ apiKey, model: 'm', fetch }, messages, once),
  'openai countTokens': (fetch) =>
    openai.countTokens({ apiKey, model: 'm', fetch }, messages, once),
  'openai-compatible countTokens': (fetch) =>
    compatible.countTokens(
      { baseUrl, model: 'm', quirks: { tokenizer: 'vllm' }, fetch },
      messages,
      once,
    ),
  'google embed': (fetch) =>
    google.createGoogleEmbedder({ apiKey, model: 'm', fetch }).embed(['a']),
  'ollama embed': (fetch) => ollama.createOllamaEmbedder({ model: 'm', fetch }).embed(['a']),
  'openai embed': (fetch) =>
    openai.createOpenAIEmbedder({ apiKey, model: 'm', fetch }).embed(['a']),
  'openai-compatible embed': (fetch) =>
    compatible.createOpenAICompatibleEmbedder({ baseUrl, model: 'm', fetch }).embed(['a']),
  'openai createBatch': (fetch) =>
    openai.createOpenAIBatches({ apiKey, model: 'm', fetch }).createBatch([{ messages }]),
  'openai batchResults': (fetch) =>
    openai.createOpenAIBatches({ apiKey, model: 'm', fetch }).batchResults('b', once),
  'anthropic createBatch': (fetch) =>
    anthropic.createAnthropicBatches({ apiKey, model: 'm', fetch }).createBatch([{ messages }]),
  'anthropic batchResults': (fetch) =>
    anthropic.createAnthropicBatches({ apiKey, model: 'm', fetch }).batchResults('b', once),
  ...Object.fromEntries(
    Object.entries<(fetch: Fetch) => FileStore>({
      anthropic: (fetch) => anthropic.createAnthropicFiles({ apiKey, fetch }),
      openai: (fetch) => openai.createOpenAIFiles({ apiKey, fetch }),
      google: (fetch) => google.createGoogleFiles({ apiKey, fetch }),
    }).flatMap(([name, create]) => [
      [`${name} files get`, (fetch: Fetch) => create(fetch).get('a', once)],
      [`${name} files upload`, (fetch: Fetch) => create(fetch).upload(file, once)],
    ]),
  ),
  'google createBatch': (fetch) =>
    google.createGoogleBatches({ apiKey, model: 'm', fetch }).createBatch([{ messages }]),
  'google batchResults': (fetch) =>
    google.createGoogleBatches({ apiKey, model: 'm', fetch }).batchResults('b', once),
}

const rows = [
  null,
  5,
  'x',
  [],
  {},
  { id: 5, name: 5, model: 5, embedding: 5, values: 5 },
  { id: 'a', name: 'a', created: 1e300, size: 'x', details: null },
]
const answers: readonly unknown[] = [
  null,
  5,
  'x',
  [],
  {},
  rows,
  ...[null, true, 'x', {}, rows].map((data) => ({
    data,
    models: data,
    embeddings: data,
    input_tokens: data,
    totalTokens: data,
    count: data,
    results: data,
    text: data === 'x' ? {} : data,
    request_counts: data,
    candidates: data,
    metadata: data,
  })),
]
const answering =
  (answer: unknown): Fetch =>
  () =>
    Promise.resolve(Response.json(answer))

describe.each(Object.entries(lists))('the models of %s', (_, list) => {
  test.each(answers.map((answer) => [JSON.stringify(answer).slice(0, 60), answer]))(
    'a list of models survives the response %s',
    async (_name, answer) => {
      const found = await list(answering(answer)).catch((error: unknown) => error)
      if (!Array.isArray(found)) expect(isLlmError(found), String(found)).toBe(true)
      else for (const model of found as object[]) expect(model).toEqual({ id: 'a' })
    },
  )

  test('pages without end are not read without end', async () => {
    let page = 0
    const found = await list(() => {
      page++
      const model = { id: `m${page}`, name: `m${page}` }
      return Promise.resolve(
        Response.json({
          data: [model],
          models: [model],
          has_more: true,
          last_id: `m${page}`,
          nextPageToken: `m${page}`,
        }),
      )
    })
    expect(found).toHaveLength(page)
    expect(page).toBeLessThanOrEqual(100)
  })
})

describe.each(Object.entries(others))('%s', (_, ask) => {
  test.each(answers.map((answer) => [JSON.stringify(answer).slice(0, 60), answer]))(
    'the response %s is a typed error',
    async (_name, answer) => {
      await expect(ask(answering(answer))).rejects.toSatisfy(isLlmError)
    },
  )
})
