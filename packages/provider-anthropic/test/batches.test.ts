// Batches, held to the rules B of the contract by a vendor that is played from its documentation.
import { describe, expect, test } from 'vitest'
import { type BatchHarness, batchConformance } from '../../../test/support/batch-conformance.js'
import { createAnthropic, createAnthropicBatches } from '../src/index.js'

const apiKey = 'sk-ant-test-0123456789'
const model = 'claude-opus-5'
const root = '/v1/messages/batches'
const ok = (body: unknown) => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  pieces: [JSON.stringify(body)],
})
const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model,
  content: [{ type: 'text', text: 'reply 0' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 3, output_tokens: 2 },
}

interface WireBatchBody {
  readonly requests: readonly { readonly custom_id: string; readonly params: unknown }[]
}

const harness: BatchHarness = {
  name: 'anthropic batches',
  create: (config) => createAnthropicBatches({ ...config, apiKey, model }),
  provider: (config) => createAnthropic({ ...config, apiKey, model }),
  creates: ({ method, path }) => method === 'POST' && path === root,
  vendor: () => {
    let bodies: unknown[] = []
    return {
      state: 'running',
      get bodies() {
        return bodies
      },
      respond({ method, path, body, headers }) {
        const ended = this.state === 'ended' || this.state === 'cancelled'
        const cancelled = this.state === 'cancelled'
        const batch = {
          id: 'msgbatch_1',
          type: 'message_batch',
          processing_status: ended ? 'ended' : 'in_progress',
          cancel_initiated_at: cancelled ? '2026-11-22T10:00:00Z' : null,
          created_at: '2026-11-22T09:00:00Z',
          expires_at: '2026-11-23T09:00:00Z',
          request_counts: ended
            ? {
                processing: 0,
                succeeded: 1,
                errored: 1,
                canceled: cancelled ? 1 : 0,
                expired: cancelled ? 0 : 1,
              }
            : { processing: 3, succeeded: 0, errored: 0, canceled: 0, expired: 0 },
          results_url: 'https://elsewhere.example/results',
        }
        if (headers['x-api-key'] !== apiKey) return { ...ok({}), status: 401 }
        if (path === root) {
          const { requests } = body as WireBatchBody
          bodies = requests.map(({ params }) => params)
          expect(requests.map(({ custom_id }) => custom_id)).toEqual([
            'request-0',
            'request-1',
            'request-2',
          ])
          return ok(batch)
        }
        if (path === `${root}/msgbatch_1/cancel` && method === 'POST')
          return ok({ ...batch, processing_status: 'canceling' })
        if (path === `${root}/msgbatch_1/results`) {
          const error = { type: 'error', error: { type: 'invalid_request_error', message: 'bad' } }
          const lines = [
            { custom_id: 'request-2', result: { type: cancelled ? 'canceled' : 'expired' } },
            { custom_id: 'request-1', result: { type: 'errored', error } },
            { custom_id: 'request-0', result: { type: 'succeeded', message } },
          ]
          return {
            status: 200,
            headers: { 'content-type': 'application/x-jsonl' },
            pieces: lines.map((line) => `${JSON.stringify(line)}\n`),
          }
        }
        return path === `${root}/msgbatch_1` && method === 'GET'
          ? ok(batch)
          : { ...ok({}), status: 404 }
      },
    }
  },
}

batchConformance({ describe, test }, harness)

test('a batch has its counts and times, and the betas of its requests', async () => {
  const sent: { readonly url: string; readonly headers: Headers }[] = []
  const fetch = (input: unknown, init: RequestInit = {}) => {
    sent.push({ url: String(input), headers: new Headers(init.headers) })
    return Promise.resolve(
      Response.json({
        id: 'msgbatch_1',
        processing_status: 'in_progress',
        created_at: '2026-11-22T09:00:00Z',
        expires_at: '2026-11-23T09:00:00Z',
        request_counts: { processing: 2, succeeded: 0, errored: 0, canceled: 0, expired: 0 },
      }),
    )
  }
  const runner = createAnthropicBatches({ apiKey, model, betas: ['some-beta-2026-01-01'], fetch })
  const messages = [{ role: 'user', content: 'Hi' }] as const
  expect(await runner.createBatch([{ messages }, { messages }])).toEqual({
    id: 'msgbatch_1',
    status: 'running',
    total: 2,
    succeeded: 0,
    failed: 0,
    createdAt: '2026-11-22T09:00:00Z',
    expiresAt: '2026-11-23T09:00:00Z',
  })
  expect(sent[0]?.url).toBe('https://api.anthropic.com/v1/messages/batches')
  expect(sent[0]?.headers.get('anthropic-beta')).toBe('some-beta-2026-01-01')
})

test('a reply that the vendor paused is an error of its own, not a reply that repeats itself', async () => {
  const batch = {
    id: 'b',
    processing_status: 'ended',
    request_counts: { processing: 0, succeeded: 1, errored: 0, canceled: 0, expired: 0 },
  }
  const line = {
    custom_id: 'request-0',
    result: { type: 'succeeded', message: { ...message, stop_reason: 'pause_turn' } },
  }
  const fetch = (url: unknown) =>
    Promise.resolve(Response.json(String(url).endsWith('/results') ? line : batch))
  const [result] = await createAnthropicBatches({ apiKey, model, fetch }).batchResults('b')
  expect(result?.error).toMatchObject({ code: 'unsupported' })
})
