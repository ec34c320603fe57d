// The batches of the three vendors that have them, ended as soon as they are made: each request of
// a batch gets the reply that the same request gets alone.
import type { WireRequest, WireResponse } from '@modelport/conformance'
import type { Api, Body } from './apis.js'

type Respond = (request: WireRequest) => WireResponse

const ok = (body: unknown): WireResponse => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  pieces: [JSON.stringify(body)],
})
const lines = (all: readonly unknown[]): WireResponse => ({
  status: 200,
  headers: { 'content-type': 'application/x-jsonl' },
  pieces: all.map((one) => `${JSON.stringify(one)}\n`),
})
const times = { created_at: '2026-11-22T09:00:00Z', expires_at: '2026-11-23T09:00:00Z' }

/**
 * Answers the requests of a cell that are not conversations. `respond` gives the reply to one
 * request of a batch.
 */
export function batchEndpoints(api: Api, respond: Respond): Respond {
  let results: unknown[] = []
  const alone = (
    request: WireRequest,
    path: string,
    body: unknown,
  ): { readonly status: number; readonly body: unknown } => {
    const { status, pieces } = respond({
      ...request,
      method: 'POST',
      path: request.path.replace(/\/cell-(\d+)\/.*/, `/cell-$1${path}`),
      body,
      headers: { ...request.headers, 'content-type': 'application/json' },
    })
    return { status, body: JSON.parse(pieces.join('')) as unknown }
  }
  const ofOpenai = (request: WireRequest, path: string, endpoint: string): WireResponse => {
    const done = {
      id: 'batch_1',
      object: 'batch',
      created_at: 1_780_000_000,
      output_file_id: 'file-out',
      errors: null,
      request_counts: { total: results.length, completed: results.length, failed: 0 },
    }
    if (path === '/v1/files') {
      results = String(request.body)
        .split(/\r?\n/)
        .filter((line) => line.startsWith('{'))
        .map((line) => {
          const { custom_id: id, body: one } = JSON.parse(line) as Body
          const { status, body } = alone(request, endpoint, one)
          return {
            custom_id: id as string,
            response: { status_code: status, request_id: 'r', body },
            error: null,
          }
        })
      return ok({ id: 'file-in', object: 'file', purpose: 'batch' })
    }
    if (path === '/v1/batches') return ok({ ...done, status: 'validating' })
    if (path.endsWith('/content')) return lines(results)
    return ok({ ...done, status: 'completed' })
  }
  const endpoints: Readonly<
    Record<string, (request: WireRequest, path: string) => WireResponse | undefined>
  > = {
    'anthropic-messages': (request, path) => {
      const batch = {
        id: 'msgbatch_1',
        type: 'message_batch',
        processing_status: 'ended',
        cancel_initiated_at: null,
        ...times,
        request_counts: {
          processing: 0,
          succeeded: results.length,
          errored: 0,
          canceled: 0,
          expired: 0,
        },
        results_url: 'https://elsewhere.example/results',
      }
      if (path.endsWith('/results')) return lines(results)
      if (request.method !== 'POST') return ok(batch)
      const { requests } = request.body as { readonly requests: readonly Body[] }
      results = requests.map(({ custom_id: id, params }) => {
        const { status, body } = alone(request, '/v1/messages', params)
        return {
          custom_id: id,
          result:
            status === 200
              ? { type: 'succeeded', message: body }
              : { type: 'errored', error: body },
        }
      })
      return ok({ ...batch, processing_status: 'in_progress' })
    },
    'openai-responses': (request, path) => ofOpenai(request, path, '/v1/responses'),
    'openai-chat': (request, path) =>
      api.needsKey ? ofOpenai(request, path, '/v1/chat/completions') : undefined,
    gemini: (request, path) => {
      const operation = (done: boolean) => ({
        name: 'batches/123',
        done,
        metadata: {
          name: 'batches/123',
          state: done ? 'BATCH_STATE_SUCCEEDED' : 'BATCH_STATE_PENDING',
          batchStats: { requestCount: String(results.length) },
        },
        ...(done && { response: { inlinedResponses: { inlinedResponses: results } } }),
      })
      const model = /\/models\/([^:]+):batchGenerateContent/.exec(path)?.[1]
      if (model === undefined) return ok(operation(true))
      const { batch } = request.body as Body
      results = (batch.input_config.requests.requests as readonly Body[]).map(
        ({ request: one, metadata }) => {
          const { status, body } = alone(request, `/v1beta/models/${model}:generateContent`, one)
          return {
            metadata: metadata as unknown,
            ...(status === 200
              ? { response: body }
              : { error: (body as Body)['error'] as unknown }),
          }
        },
      )
      return ok(operation(false))
    },
  }
  return (request) => {
    const path = request.path.replace(/^\/cell-\d+/, '')
    const found = endpoints[api.format.api]?.(request, path)
    return found ?? api.format.failure(404, `no such endpoint: ${request.method} ${path}`)
  }
}
