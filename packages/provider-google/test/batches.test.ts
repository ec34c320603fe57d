// Batches, held to the rules B of the contract by a vendor that is played from its documentation.
import { describe, expect, test } from 'vitest'
import { type BatchHarness, batchConformance } from '../../../test/support/batch-conformance.js'
import { createGoogle, createGoogleBatches } from '../src/index.js'

const apiKey = 'AIza-test-0123456789'
const model = 'gemini-3-flash-preview'
const ok = (body: unknown) => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  pieces: [JSON.stringify(body)],
})

interface WireBatchBody {
  readonly batch: {
    readonly input_config: {
      readonly requests: { readonly requests: readonly { readonly request: unknown }[] }
    }
  }
}

const harness: BatchHarness = {
  name: 'google batches',
  create: (config) => createGoogleBatches({ ...config, apiKey, model }),
  provider: (config) => createGoogle({ ...config, apiKey, model }),
  creates: ({ method, path }) => method === 'POST' && path.endsWith(':batchGenerateContent'),
  vendor: () => {
    let bodies: unknown[] = []
    const words = {
      running: 'RUNNING',
      ended: 'SUCCEEDED',
      cancelled: 'CANCELLED',
      failed: 'FAILED',
    } as const
    const lines = [
      { metadata: { key: 'request-1' }, error: { code: 3, message: 'bad' } },
      {
        metadata: { key: 'request-0' },
        response: {
          candidates: [
            { content: { role: 'model', parts: [{ text: 'reply 0' }] }, finishReason: 'STOP' },
          ],
        },
      },
    ]
    return {
      state: 'running',
      get bodies() {
        return bodies
      },
      respond({ method, path, body, headers }) {
        const done = this.state !== 'running'
        const operation = {
          name: 'batches/123',
          done,
          metadata: {
            '@type': 'type.googleapis.com/google.ai.generativelanguage.v1main.GenerateContentBatch',
            name: 'batches/123',
            state: `BATCH_STATE_${words[this.state]}`,
            createTime: '2026-11-22T09:00:00Z',
            batchStats: { requestCount: '3', successfulRequestCount: '1', failedRequestCount: '1' },
          },
          ...(this.state === 'failed' && { error: { code: 13, message: 'it broke' } }),
          ...((this.state === 'ended' || this.state === 'cancelled') && {
            response: { inlinedResponses: { inlinedResponses: lines } },
          }),
        }
        if (headers['x-goog-api-key'] !== apiKey) return { ...ok({}), status: 401 }
        if (path === `/v1beta/models/${model}:batchGenerateContent`) {
          bodies = (body as WireBatchBody).batch.input_config.requests.requests.map(
            ({ request }) => request,
          )
          return ok({
            ...operation,
            metadata: { ...operation.metadata, state: 'BATCH_STATE_PENDING' },
          })
        }
        if (path === '/v1beta/batches/123:cancel' && method === 'POST') return ok({})
        return path === '/v1beta/batches/123' && method === 'GET'
          ? ok(operation)
          : { ...ok({}), status: 404 }
      },
    }
  },
}

batchConformance({ describe, test }, harness)

test('Vertex AI is refused, since its batches read files of Cloud Storage', () => {
  const vertex = { project: 'demo', accessToken: () => 'token' }
  expect(() => createGoogleBatches({ model, vertex })).toThrow(
    expect.objectContaining({ code: 'unsupported' }),
  )
})
