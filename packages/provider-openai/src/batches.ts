import {
  asText,
  type Batch,
  type BatchRunner,
  type BatchStatus,
  type JsonObject,
  LlmError,
  type RequestOptions,
} from '@modelport/core'
import { tryParseJson } from '@modelport/core/text'
import {
  type BatchItem,
  type BatchLine,
  createBatchRunner,
  dateOf,
  defined,
  namedError,
  requireConfig,
  toProviderError,
} from '@modelport/driver'
import { apiClient } from './api-client.js'
import { configNames, fieldNames, type OpenAIConfig } from './config.js'
import { createOpenAIFiles } from './files.js'
import { createOpenAI } from './provider.js'

/**
 * @see https://developers.openai.com/api/reference/resources/batches (as in openai 7.55.0
 * `resources/batches`, read 2026-11-22)
 */
const statuses: Readonly<Record<string, BatchStatus>> = {
  validating: 'running',
  in_progress: 'running',
  finalizing: 'running',
  completed: 'ended',
  expired: 'expired',
  cancelling: 'cancelling',
  cancelled: 'cancelled',
  failed: 'failed',
}

interface WireBatch {
  readonly id?: unknown
  readonly status?: unknown
  readonly output_file_id?: unknown
  readonly error_file_id?: unknown
  readonly created_at?: unknown
  readonly expires_at?: unknown
  readonly errors?: { readonly data?: readonly { readonly message?: unknown }[] | null } | null
  readonly request_counts?: {
    readonly total?: unknown
    readonly completed?: unknown
    readonly failed?: unknown
  } | null
}

/** A name of a request, and the number in it. */
const nameOf = (index: number): string => `request-${index}`
const indexOf = (name: unknown): number => Number(/^request-(\d+)$/.exec(asText(name))?.[1] ?? NaN)

/**
 * A batch runner by `POST /files` and `POST /batches`: up to 50,000 requests and 200 MB, with
 * replies within 24 hours.
 * @throws {LlmError} `invalid-base-url`, `config` — the address or the key is missing or malformed;
 * `unsupported` — an Azure resource.
 */
export function createOpenAIBatches(config: OpenAIConfig): BatchRunner {
  requireConfig(config, 'createOpenAIBatches', configNames, fieldNames)
  if (config.azure)
    throw new LlmError(
      'unsupported',
      'azure-openai: unsupported: batches of Azure; use the API of the vendor',
    )
  const { api: _api, traits: _traits, dangerouslyAllowBrowser: _browser, ...connection } = config
  const { name, client, request } = apiClient(connection, 'resource')
  const files = createOpenAIFiles(connection)
  const ask = async (path: string, more: object, options: RequestOptions): Promise<WireBatch> =>
    (await client.json<WireBatch | null>(
      { ...(await request(path)), inBandErrors: false, ...more },
      options,
    )) ?? {}
  return createBatchRunner({
    provider: (fetch) => createOpenAI({ ...config, fetch }),
    create: async (items, options) => {
      const { endpoint, text } = toFile(items)
      const file = {
        content: new TextEncoder().encode(text),
        name: 'batch.jsonl',
        mediaType: 'application/jsonl',
      }
      const { retry: _, vendor, ...again } = options
      const input = await files.upload(file, {
        ...again,
        vendor: { purpose: 'batch', headers: vendor?.['headers'] },
      })
      const body = { input_file_id: input.id, endpoint, completion_window: '24h' }
      // The vendor has not counted them yet.
      return { ...toBatch(name, await ask('/batches', { body }, options)), total: items.length }
    },
    get: async (id, options) => toBatch(name, await ask(`/batches/${id}`, {}, options)),
    cancel: async (id, options) =>
      toBatch(name, await ask(`/batches/${id}/cancel`, { method: 'POST' }, options)),
    lines: async ({ id }, options) => {
      const { output_file_id, error_file_id } = await ask(`/batches/${id}`, {}, options)
      const lines: BatchLine[] = []
      for (const file of [asText(output_file_id), asText(error_file_id)].filter(Boolean)) {
        const text = await client.text(
          await request(`/files/${encodeURIComponent(file)}/content`),
          options,
        )
        for (const line of text.split('\n')) if (line.trim()) lines.push(toLine(name, line))
      }
      return lines
    },
  })
}

/** The lines of the input file. All of a batch ask one endpoint. */
function toFile(items: readonly BatchItem[]): { readonly endpoint: string; readonly text: string } {
  const paths = items.map(
    ({ url }) => `/v1${/\/(responses|chat\/completions)$/.exec(new URL(url).pathname)?.[0] ?? ''}`,
  )
  const lines = items.map(({ index, body }) =>
    JSON.stringify({ custom_id: nameOf(index), method: 'POST', url: paths[index], body }),
  )
  return { endpoint: paths[0] ?? '', text: `${lines.join('\n')}\n` }
}

function toBatch(name: string, wire: WireBatch): Batch {
  const { id, request_counts, errors } = wire
  const status = statuses[asText(wire.status)]
  if (!asText(id) || !status)
    throw namedError(name, 'protocol', 'the response is not a batch that this API defines')
  const why = (errors?.data ?? []).map(({ message }) => asText(message)).filter(Boolean)
  const { total, completed, failed } = request_counts ?? {}
  const createdAt = dateOf(wire.created_at)
  const expiresAt = dateOf(wire.expires_at)
  return {
    id: asText(id),
    status,
    ...(typeof total === 'number' && total > 0 && { total }),
    ...(typeof completed === 'number' && { succeeded: completed }),
    ...(typeof failed === 'number' && { failed }),
    ...defined({ createdAt, expiresAt }),
    ...(why.length > 0 && { error: why.join('; ') }),
  }
}

function toLine(name: string, text: string): BatchLine {
  const line = tryParseJson(text) as
    | {
        readonly custom_id?: unknown
        readonly response?: { readonly status_code?: unknown; readonly body?: unknown } | null
        readonly error?: { readonly code?: unknown; readonly message?: unknown } | null
      }
    | undefined
    | null
  if (typeof line !== 'object' || line === null)
    throw namedError(name, 'protocol', 'a line of the results is not JSON')
  const index = indexOf(line.custom_id)
  const { response, error } = line
  if (typeof response?.status_code === 'number')
    return { index, response: { status: response.status_code, body: response.body } }
  return { index, error: toFailure(name, error ?? {}) }
}

/** A request that was never asked: expired, cancelled, or not understood. */
function toFailure(name: string, { code, message }: JsonObject): LlmError {
  const headers = new Headers()
  const failure = { status: 200, headers, body: undefined, text: '', inBand: true }
  const why = asText(message) || asText(code) || 'the vendor gives no reason'
  const expired = asText(code) === 'batch_expired' || asText(code) === 'batch_cancelled'
  return toProviderError(name, failure, {
    code: expired ? 'aborted' : 'server',
    type: asText(code),
    message: why,
  })
}
