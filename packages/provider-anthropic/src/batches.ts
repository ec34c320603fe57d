import {
  asText,
  type Batch,
  type BatchRunner,
  type BatchStatus,
  LlmError,
  type RequestOptions,
} from '@modelport/core'
import { tryParseJson } from '@modelport/core/text'
import {
  type BatchLine,
  createBatchRunner,
  createEndpointClient,
  namedError,
  requireConfig,
} from '@modelport/driver'
import { notIn } from './cloud.js'
import { ownRequest, toConnection } from './connection.js'
import { providerName, statusOf, toAnthropicError } from './error.js'
import {
  type AnthropicConfig,
  configNames,
  createAnthropic,
  fieldNames,
  toSettings,
} from './provider.js'

/**
 * @see https://platform.claude.com/docs/en/api/messages/batches (as in @anthropic-ai/sdk 1.11.0
 * `resources/messages/batches`, read 2026-11-22)
 */
const statuses: Readonly<Record<string, BatchStatus>> = {
  in_progress: 'running',
  canceling: 'cancelling',
  ended: 'ended',
}

type Wire = Readonly<Record<string, unknown>>

const root = '/v1/messages/batches'
const asObject = (value: unknown): Wire =>
  typeof value === 'object' && value !== null ? (value as Wire) : {}
const asCount = (value: unknown): number => (typeof value === 'number' ? value : 0)

/**
 * A batch runner by `POST /v1/messages/batches`, with replies within 24 hours. Results are read
 * from the batch's own address, never from the one that the response names.
 * @throws {LlmError} `config`, `invalid-base-url` — the configuration names no key, or no usable
 * address; `unsupported` — a cloud.
 */
export function createAnthropicBatches(config: AnthropicConfig): BatchRunner {
  requireConfig(config, 'createAnthropicBatches', configNames, fieldNames)
  const connection = toConnection(config)
  if (connection.cloud) throw notIn(connection.cloud, 'batches')
  const client = createEndpointClient(
    providerName,
    toAnthropicError,
    toSettings(config, connection),
  )
  const ask = async (path: string, more: object, options: RequestOptions): Promise<Batch> =>
    toBatch(
      await client.json(
        { ...(await ownRequest(connection, path)), inBandErrors: false, ...more },
        options,
      ),
    )
  return createBatchRunner({
    provider: (fetch) => createAnthropic({ ...config, fetch }),
    create: async (items, options) => {
      const { url, headers } = await ownRequest(connection, root)
      // Betas of any request are those of the batch: it has no header for each.
      const betas = new Set(
        items.flatMap((item) => item.headers['anthropic-beta']?.split(',') ?? []),
      )
      const body = {
        requests: items.map(({ index, body: { stream: _, ...params } }) => ({
          custom_id: `request-${index}`,
          params,
        })),
      }
      const beta = betas.size > 0 && { 'anthropic-beta': [...betas].join(',') }
      return toBatch(
        await client.json(
          { url, headers: { ...headers, ...beta }, body, inBandErrors: false },
          options,
        ),
      )
    },
    get: (id, options) => ask(`${root}/${id}`, {}, options),
    cancel: (id, options) => ask(`${root}/${id}/cancel`, { method: 'POST' }, options),
    lines: async ({ id }, options) => {
      const request = await ownRequest(connection, `${root}/${id}/results`)
      const text = await client.text(request, options)
      return text.split('\n').flatMap((line) => (line.trim() ? [toLine(line)] : []))
    },
  })
}

function toBatch(value: unknown): Batch {
  const {
    id,
    processing_status,
    cancel_initiated_at,
    created_at,
    expires_at,
    request_counts,
    error,
  } = asObject(value)
  const status = statuses[asText(processing_status)]
  if (!asText(id) || !status) {
    const { message } = asObject(error)
    throw new LlmError(
      'protocol',
      `${providerName}: protocol: the response is not a batch that this API defines${asText(message) && `: ${asText(message)}`}`,
    )
  }
  const { processing, succeeded, errored, canceled, expired } = asObject(request_counts)
  const failed = asCount(errored) + asCount(canceled) + asCount(expired)
  const total = asCount(processing) + asCount(succeeded) + failed
  const cancelled =
    status === 'ended' && asText(cancel_initiated_at) !== '' && asCount(canceled) > 0
  return {
    id: asText(id),
    status: cancelled ? 'cancelled' : status,
    ...(total > 0 && { total, succeeded: asCount(succeeded), failed }),
    ...(asText(created_at) && { createdAt: asText(created_at) }),
    ...(asText(expires_at) && { expiresAt: asText(expires_at) }),
  }
}

function toLine(text: string): BatchLine {
  const line = tryParseJson(text)
  if (typeof line !== 'object' || line === null)
    throw namedError(providerName, 'protocol', 'a line of the results is not JSON')
  const { custom_id, result } = asObject(line)
  const index = Number(/^request-(\d+)$/.exec(asText(custom_id))?.[1] ?? NaN)
  const { type, message, error } = asObject(result)
  if (type === 'succeeded') return { index, response: { status: 200, body: message } }
  if (type !== 'errored')
    return {
      index,
      error: new LlmError(
        'aborted',
        `${providerName}: request ${index}: ${asText(type) || 'it has no result'}`,
      ),
    }
  return {
    index,
    response: { status: statusOf(error) ?? 500, body: error },
  }
}
