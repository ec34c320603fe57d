import type { HarnessConfig } from '@modelport/conformance'
import { openaiChat } from '@modelport/conformance'
import type { Batch, BatchRunner, BatchStatus } from '@modelport/core'
import {
  type BatchLine,
  createBatchRunner,
  createEndpointClient,
  type HttpFailure,
  toProviderError,
} from '@modelport/driver'
import type { BatchHarness, BatchVendor } from '../../../test/support/batch-conformance.js'
import { apiKey, providerOf, referenceDriver } from './reference-driver.js'

const root = 'https://reference.example/batches'
const headers = { 'content-type': 'application/json' }
const turn = { text: ['reply 0'], finish: 'stop', usage: {} } as const
const request = { method: 'POST', path: '/v1/chat/completions', headers: {}, body: {} }

/** The error of a failed response. */
function toReferenceError(failure: HttpFailure): ReturnType<typeof toProviderError> {
  const { error } = (failure.body ?? {}) as { readonly error?: { readonly message?: string } }
  const message = error?.message
  return toProviderError('reference', failure, {
    ...(failure.inBand && { code: 'invalid-request' as const }),
    ...(message !== undefined && { message }),
  })
}

/** The smallest batch runner that passes everything. */
function createReferenceBatches(config: HarnessConfig): BatchRunner {
  const settings = {
    ...config,
    model: 'm',
    cheapestModel: 'm',
    hosts: ['reference.example:443'],
    secrets: [apiKey],
  }
  const client = createEndpointClient('reference', toReferenceError, settings)
  const toBatch = ({ status = 'failed' }: { readonly status?: BatchStatus }): Batch => ({
    id: 'b1',
    status,
    total: 3,
  })
  return createBatchRunner({
    provider: (fetch) => providerOf(referenceDriver(apiKey), { ...config, fetch }),
    create: async (items, options) =>
      toBatch(await client.json({ url: root, body: items.map(({ body }) => body) }, options)),
    get: async (id, options) => toBatch(await client.json({ url: `${root}/${id}` }, options)),
    cancel: async (id, options) =>
      toBatch(await client.json({ url: `${root}/${id}/cancel`, method: 'POST' }, options)),
    lines: ({ id }, options) => client.json<BatchLine[]>({ url: `${root}/${id}/results` }, options),
  })
}

function createVendor(): BatchVendor {
  let bodies: readonly unknown[] = []
  const ok = (body: unknown) => ({ status: 200, headers, pieces: [JSON.stringify(body)] })
  const whole = openaiChat.respond(turn, { ...request, body: { stream: false } }).pieces.join('')
  return {
    state: 'running',
    get bodies() {
      return bodies
    },
    respond({ method, path, body }) {
      if (method === 'POST' && path === '/batches') bodies = body as readonly unknown[]
      if (path.endsWith('/cancel')) return ok({ status: 'cancelling' })
      if (!path.endsWith('/results')) return ok({ status: this.state })
      return ok([
        { index: 1, response: { status: 400, body: { error: { message: 'bad' } } } },
        { index: 0, response: { status: 200, body: JSON.parse(whole) as unknown } },
      ])
    },
  }
}

/** A harness of the reference, its runner changed. */
export const referenceBatches = (
  change: (runner: BatchRunner) => Partial<BatchRunner> = () => ({}),
): BatchHarness => ({
  name: 'the reference batches',
  create: (config) => {
    const runner = createReferenceBatches(config)
    return { ...runner, ...change(runner) }
  },
  provider: (config) => providerOf(referenceDriver(apiKey), config),
  vendor: createVendor,
  creates: ({ method, path }) => method === 'POST' && path === '/batches',
})
