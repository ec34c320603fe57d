import type { LlmError } from '@modelport/core'
import { expect, test } from 'vitest'
import { createFactory, newBatchRunner, providerRows } from '../src/index.js'

const none = { environment: () => undefined }
const apiKey = 'k-0123456789'
const failureOf = (
  promise: Promise<unknown>,
): Promise<{ readonly code?: string; readonly message?: string }> =>
  promise.then(
    () => ({}),
    (error: unknown) => error as LlmError,
  )

test.each([
  ['openai', 'gpt-5.4'],
  ['anthropic', 'claude-opus-5'],
  ['google', 'gemini-3-flash-preview'],
])('a configuration of %s makes a batch runner for %s', async (provider, model) => {
  expect((await newBatchRunner({ provider, model, apiKey }, none)).model).toBe(model)
})

test('a batch runner of a vendor without batches is unsupported', async () => {
  expect(
    await failureOf(newBatchRunner({ provider: 'groq', model: 'm', apiKey }, none)),
  ).toMatchObject({
    code: 'unsupported',
    message: 'groq: modelport has no batches for it; choose another provider',
  })
})

test('the key, the address and the transport of a batch runner are those of the configuration', async () => {
  const sent: string[] = []
  const fetch = (input: unknown, init: RequestInit = {}): Promise<Response> => {
    sent.push(`${String(input)} ${new Headers(init.headers).get('x-api-key')}`)
    return Promise.resolve(
      Response.json({ id: 'b', processing_status: 'in_progress', request_counts: {} }),
    )
  }
  const config = { provider: 'anthropic', model: 'm', apiKey, baseUrl: 'http://127.0.0.1:9', fetch }
  expect(await (await newBatchRunner(config, none)).getBatch('b')).toMatchObject({
    id: 'b',
    status: 'running',
  })
  expect(sent).toEqual([`http://127.0.0.1:9/v1/messages/batches/b ${apiKey}`])
})

test('a factory of imported rows makes the batch runners that its rows have', async () => {
  const row = {
    ...providerRows.find(({ name }) => name === 'openai-compatible'),
    keyEnv: [],
    needsKey: false,
  }
  const unused = () => {
    throw new Error('not made here')
  }
  const refused = () => Promise.reject(new Error('not asked'))
  const createBatches = () => ({
    name: 'house',
    model: 'm',
    createBatch: refused,
    getBatch: refused,
    batchResults: refused,
    cancelBatch: refused,
  })
  const factory = createFactory({
    rows: [
      { ...row, name: 'house', creators: { createProvider: unused, createBatches } },
      { ...row, name: 'plain', creators: { createProvider: unused } },
    ],
  })
  expect((await factory.newBatchRunner('house:m')).name).toBe('house')
  expect((await failureOf(factory.newBatchRunner('plain:m'))).code).toBe('unsupported')
})
