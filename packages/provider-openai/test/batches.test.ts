// Batches, held to the rules B of the contract by a vendor that is played from its documentation.
import { describe, expect, test } from 'vitest'
import { type BatchHarness, batchConformance } from '../../../test/support/batch-conformance.js'
import { createOpenAI, createOpenAIBatches } from '../src/index.js'
import { completion, recordingFetch, response } from './support.js'

const apiKey = 'sk-test-0123456789'
const json = { 'content-type': 'application/json' }
const ok = (body: unknown) => ({ status: 200, headers: json, pieces: [JSON.stringify(body)] })
const said = (text: string) => ({
  ...response(),
  output: [
    {
      type: 'message',
      id: 'm',
      status: 'completed',
      role: 'assistant',
      content: [{ type: 'output_text', text, annotations: [] }],
    },
  ],
})

const harness: BatchHarness = {
  name: 'openai batches',
  create: (config) => createOpenAIBatches({ ...config, apiKey, model: 'gpt-5.4' }),
  provider: (config) => createOpenAI({ ...config, apiKey, model: 'gpt-5.4' }),
  creates: ({ method, path }) => method === 'POST' && path === '/v1/batches',
  vendor: () => {
    let bodies: unknown[] = []
    const words = {
      running: 'in_progress',
      ended: 'completed',
      cancelled: 'cancelled',
      failed: 'failed',
    } as const
    const lines = [
      {
        custom_id: 'request-1',
        response: {
          status_code: 400,
          body: { error: { message: 'bad', type: 'invalid_request_error' } },
        },
      },
      {
        custom_id: 'request-0',
        response: { status_code: 200, request_id: 'r', body: said('reply 0') },
        error: null,
      },
    ]
    return {
      state: 'running',
      get bodies() {
        return bodies
      },
      respond({ method, path, body, headers }) {
        const batch = {
          id: 'batch_1',
          object: 'batch',
          status: words[this.state],
          created_at: 1_780_000_000,
          output_file_id: 'file-out',
          error_file_id: 'file-err',
          errors:
            this.state === 'failed' ? { data: [{ code: 'x', message: 'the file is bad' }] } : null,
          request_counts: { total: 3, completed: 1, failed: 1 },
        }
        if (headers['authorization'] !== `Bearer ${apiKey}`) return { ...ok({}), status: 401 }
        if (path === '/v1/files') {
          bodies = String(body)
            .split(/\r?\n/)
            .filter((line) => line.startsWith('{'))
            .map((line) => (JSON.parse(line) as { body: unknown }).body)
          return ok({ id: 'file-in', object: 'file', purpose: 'batch' })
        }
        if (path === '/v1/batches') {
          expect(body).toEqual({
            input_file_id: 'file-in',
            endpoint: '/v1/responses',
            completion_window: '24h',
          })
          return ok({
            ...batch,
            status: 'validating',
            request_counts: { total: 0, completed: 0, failed: 0 },
          })
        }
        if (path === '/v1/batches/batch_1/cancel' && method === 'POST')
          return ok({ ...batch, status: 'cancelling' })
        if (path === '/v1/files/file-out/content')
          return { status: 200, headers: {}, pieces: [`${JSON.stringify(lines[1])}\n`] }
        if (path === '/v1/files/file-err/content')
          return { status: 200, headers: {}, pieces: [`${JSON.stringify(lines[0])}\n`] }
        return path === '/v1/batches/batch_1' && method === 'GET'
          ? ok(batch)
          : { ...ok({}), status: 404 }
      },
    }
  },
}

batchConformance({ describe, test }, harness)

test('a batch of Chat Completions asks that endpoint, with its times and counts', async () => {
  const { fetch, sent } = recordingFetch(
    { id: 'file-in' },
    { id: 'batch_1', status: 'validating', created_at: 1_780_000_000, expires_at: 1_780_086_400 },
  )
  const runner = createOpenAIBatches({ apiKey, model: 'gpt-4.1', api: 'chat', fetch })
  expect(await runner.createBatch([{ messages: [{ role: 'user', content: 'Hi' }] }])).toEqual({
    id: 'batch_1',
    status: 'running',
    total: 1,
    createdAt: '2026-05-28T20:26:40.000Z',
    expiresAt: '2026-05-29T20:26:40.000Z',
  })
  expect(sent[1]?.body).toMatchObject({ endpoint: '/v1/chat/completions' })
})

test('a request that expired has an error of its own, next to replies', async () => {
  const lines = [
    {
      custom_id: 'request-1',
      response: null,
      error: { code: 'batch_expired', message: 'It could not be done in time.' },
    },
    { custom_id: 'request-0', response: { status_code: 200, body: completion('Hi') } },
  ]
  const file = () => new Response(lines.map((line) => JSON.stringify(line)).join('\n'))
  const batch = { id: 'b', status: 'expired', output_file_id: 'f', request_counts: { total: 2 } }
  const { fetch } = recordingFetch(batch, batch, file)
  const results = await createOpenAIBatches({
    apiKey,
    model: 'gpt-4.1',
    api: 'chat',
    fetch,
  }).batchResults('b')
  expect(results.map(({ generation, error }) => generation?.text ?? error?.code)).toEqual([
    'Hi',
    'aborted',
  ])
})

test('results of no request, and lines that are not JSON, are protocol errors', async () => {
  const batch = { id: 'b', status: 'completed', output_file_id: 'f', request_counts: { total: 1 } }
  for (const text of [
    '{"custom_id":"request-7","response":{"status_code":200,"body":{}}}',
    '{"custom_id":"mine"}',
    'not JSON',
  ]) {
    const { fetch } = recordingFetch(batch, batch, () => new Response(text))
    const results = createOpenAIBatches({ apiKey, model: 'm', fetch }).batchResults('b')
    await expect(results).rejects.toMatchObject({ code: 'protocol' })
  }
})

test('an Azure resource is refused', () => {
  const azure = { endpoint: 'https://r.openai.azure.com' }
  expect(() => createOpenAIBatches({ apiKey, model: 'm', azure })).toThrow(
    expect.objectContaining({ code: 'unsupported' }),
  )
})
