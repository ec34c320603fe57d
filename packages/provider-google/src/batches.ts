import {
  type Batch,
  type BatchRunner,
  type BatchStatus,
  type RequestOptions,
} from '@modelport/core'
import {
  type BatchLine,
  createBatchRunner,
  createEndpointClient,
  defined,
  listOf,
  namedError,
  requireConfig,
  stringOf,
} from '@modelport/driver'
import { configNames, fieldNames, type GoogleConfig } from './config.js'
import { toGoogleError } from './error.js'
import { providerName } from './model-state.js'
import { createClient, createGoogle } from './provider.js'

/** @see https://ai.google.dev/api/batch-api#BatchState (read 2026-11-22) */
const statuses: Readonly<Record<string, BatchStatus>> = {
  BATCH_STATE_PENDING: 'running',
  BATCH_STATE_RUNNING: 'running',
  BATCH_STATE_SUCCEEDED: 'ended',
  BATCH_STATE_FAILED: 'failed',
  BATCH_STATE_CANCELLED: 'cancelled',
  BATCH_STATE_EXPIRED: 'expired',
}

interface WireStats {
  readonly requestCount?: unknown
  readonly successfulRequestCount?: unknown
  readonly failedRequestCount?: unknown
}

interface WireOutput {
  readonly inlinedResponses?: { readonly inlinedResponses?: readonly WireLine[] } | null
}

interface WireLine {
  readonly metadata?: { readonly key?: unknown } | null
  readonly response?: object | null
  readonly error?: { readonly code?: unknown } | null
}

/** A long-running operation over a `GenerateContentBatch`. */
interface WireOperation {
  readonly name?: unknown
  readonly error?: { readonly message?: unknown } | null
  readonly response?: WireOutput | null
  readonly metadata?: {
    readonly state?: unknown
    readonly createTime?: unknown
    readonly batchStats?: WireStats | null
    readonly output?: WireOutput | null
  } | null
}

/**
 * A batch runner by `batchGenerateContent` with inlined requests, at most 20 MB, with replies
 * within 24 hours.
 * @see https://ai.google.dev/api/batch-api (read 2026-11-22)
 * @throws {LlmError} `config`, `invalid-base-url` — the configuration does not work; `unsupported`
 * — Vertex AI, whose batches read files of Cloud Storage.
 */
export function createGoogleBatches(config: GoogleConfig): BatchRunner {
  requireConfig(config, 'createGoogleBatches', configNames, fieldNames)
  if (config.vertex)
    throw namedError(providerName, 'unsupported', 'batches of Vertex AI; use the Gemini API')
  const client = createClient(config)
  const endpoint = createEndpointClient(providerName, toGoogleError, client.settings)
  const address = async (): Promise<{
    readonly root: string
    readonly url: string
    readonly headers: object
  }> => {
    const { url, headers } = await client.request('generateContent', config.model)
    return {
      url: url.replace(/:generateContent$/, ':batchGenerateContent'),
      headers,
      root: url.slice(0, url.search(/\/(models|tunedModels)\//)),
    }
  }
  const ask = async (
    path: string,
    more: object,
    options: RequestOptions,
  ): Promise<WireOperation> => {
    const { root, headers } = await address()
    const request = {
      headers: { ...headers },
      url: `${root}/${path}`,
      inBandErrors: false,
      ...more,
    }
    return (await endpoint.json<WireOperation | null>(request, options)) ?? {}
  }
  const get = async (id: string, options: RequestOptions): Promise<Batch> =>
    toBatch(await ask(id, {}, options))
  return createBatchRunner({
    provider: (fetch) => createGoogle({ ...config, fetch }),
    get,
    create: async (items, options) => {
      const { url, headers } = await address()
      const requests = items.map(({ index, body }) => ({
        request: body,
        metadata: { key: `request-${index}` },
      }))
      const body = {
        batch: { display_name: 'modelport', input_config: { requests: { requests } } },
      }
      const request = { url, headers: { ...headers }, body, inBandErrors: false }
      const operation = await endpoint.json<WireOperation | null>(request, options)
      return { ...toBatch(operation ?? {}), total: items.length }
    },
    cancel: async (id, options) => {
      // The response is empty.
      await ask(`${id}:cancel`, { method: 'POST', body: {} }, options)
      const batch = await get(id, options)
      return batch.status === 'running' ? { ...batch, status: 'cancelling' } : batch
    },
    lines: async ({ id }, options) => {
      const { metadata, response } = await ask(id, {}, options)
      const output = metadata?.output?.inlinedResponses ?? response?.inlinedResponses
      return listOf(output?.inlinedResponses).map(toLine)
    },
  })
}

function toBatch({ name, error, metadata }: WireOperation): Batch {
  const id = stringOf(name)
  const status = statuses[stringOf(metadata?.state) ?? '']
  if (id === undefined || !status)
    throw namedError(providerName, 'protocol', 'the response is not a batch that this API defines')
  const { requestCount, successfulRequestCount, failedRequestCount } = metadata?.batchStats ?? {}
  const [total, succeeded, failed] = [requestCount, successfulRequestCount, failedRequestCount].map(
    toCount,
  )
  const createdAt = stringOf(metadata?.createTime)
  const why = stringOf(error?.message)
  return {
    id,
    status,
    ...(total && { total }),
    ...defined({ succeeded, failed, createdAt, error: why }),
  }
}

/** Counts are int64, which JSON has as text. */
const toCount = (value: unknown): number | undefined =>
  typeof value === 'number' || (typeof value === 'string' && /^\d+$/.test(value))
    ? Number(value)
    : undefined

/**
 * Codes of `google.rpc.Status` and the status of HTTP that each stands for.
 * @see https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto
 */
const httpStatuses: Readonly<Record<number, number>> = {
  3: 400,
  5: 404,
  7: 403,
  8: 429,
  13: 500,
  14: 503,
  16: 401,
}

function toLine({ metadata, response, error }: WireLine, position: number): BatchLine {
  const key = stringOf(metadata?.key)
  const index = key === undefined ? position : Number(/^request-(\d+)$/.exec(key)?.[1] ?? NaN)
  if (response) return { index, response: { status: 200, body: response } }
  const code = Number(error?.code)
  return {
    index,
    response: { status: httpStatuses[code] ?? (code >= 400 ? code : 500), body: { error } },
  }
}
