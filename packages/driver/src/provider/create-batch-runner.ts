import {
  type Batch,
  type BatchRequest,
  type BatchResult,
  type BatchRunner,
  isLlmError,
  type JsonObject,
  LlmError,
  type Provider,
  type RequestOptions,
} from '@modelport/core'
import { checkSettings, optionNames } from '@modelport/core/settings'
import type { Fetch } from '../base/driver.js'
import { namedError } from '../base/named-error.js'
import { parseJson } from '../base/parse-json.js'

/** One request, encoded as the provider sends it by itself. */
export interface BatchItem {
  /** Which request, counted from 0. */
  readonly index: number
  /** URL that the provider would send it to. */
  readonly url: string
  /** Headers that the provider would send, the key among them; lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  /** The body. */
  readonly body: JsonObject
}

/**
 * The result of one request: the response that it would have outside a batch, or the reason for its
 * absence.
 */
export interface BatchLine {
  /** Which request, counted from 0. */
  readonly index: number
  /** Status and body of the response. */
  readonly response?: { readonly status: number; readonly body: unknown }
  /** Why there is none. */
  readonly error?: LlmError
}

/** What a provider package supplies for batches. */
export interface BatchDriver {
  /** Makes the provider with this transport: it encodes requests and reads replies. */
  provider(fetch: Fetch): Provider
  /** Submits encoded requests. */
  create(items: readonly BatchItem[], options: RequestOptions): Promise<Batch>
  /** Asks for the state of a batch. */
  get(id: string, options: RequestOptions): Promise<Batch>
  /** Reads what the vendor has of an ended batch, in any order. */
  lines(batch: Batch, options: RequestOptions): Promise<readonly BatchLine[]>
  /** Asks the vendor to stop. */
  cancel(id: string, options: RequestOptions): Promise<Batch>
}

/**
 * Makes a batch runner. The provider itself encodes requests and reads replies, exactly as for
 * `generate`.
 */
export function createBatchRunner(driver: BatchDriver): BatchRunner {
  const { name, model } = driver.provider(() => Promise.reject(new Error('nothing is sent here')))
  return {
    name,
    model,
    createBatch: async (requests, options = {}) => {
      check(name, options)
      if (!requests.length)
        throw namedError(name, 'invalid-request', 'the batch is empty; give it requests')
      options.signal?.throwIfAborted()
      const items: BatchItem[] = []
      for (const [index, request] of requests.entries())
        items.push(await encode(driver, request, index))
      return driver.create(items, { ...options, retry: options.retry ?? { attempts: 1 } })
    },
    getBatch: async (id, options = {}) => driver.get(checkId(name, id), check(name, options)),
    cancelBatch: async (id, options = {}) => driver.cancel(checkId(name, id), check(name, options)),
    batchResults: async (id, options = {}) => {
      check(name, options)
      const batch = await driver.get(checkId(name, id), options)
      const { status, error = 'the vendor gives no reason' } = batch
      if (status === 'running' || status === 'cancelling')
        throw namedError(name, 'invalid-request', `the batch ${id} is ${status}; ask again later`)
      if (status === 'failed') throw namedError(name, 'server', `the batch ${id} failed: ${error}`)
      return toResults(driver, name, batch, await driver.lines(batch, options), options.signal)
    },
  }
}

function check(name: string, options: RequestOptions): RequestOptions {
  checkSettings(`${name}: options of the batch`, options, optionNames.request)
  return options
}

/** An id becomes part of an address, so it must be one name, or a path of them. */
function checkId(name: string, id: unknown): string {
  if (typeof id === 'string' && /^[\w-]+(\/[\w-]+)?$/.test(id)) return id
  throw namedError(name, 'invalid-request', `${JSON.stringify(id)} is not the id of a batch`)
}

/** Options of a call that a request in a batch cannot have. */
const refusedOptions = ['signal', 'deadlineMs', 'retry'] as const

/** Encodes a request: the provider sends it to a transport that only records it. */
async function encode(
  driver: BatchDriver,
  { messages, options = {} }: BatchRequest,
  index: number,
): Promise<BatchItem> {
  let item: BatchItem | undefined
  const provider = driver.provider((input, init) => {
    const url = typeof input === 'object' && 'url' in input ? input.url : String(input)
    const headers = Object.fromEntries(new Headers(init?.headers))
    item = { index, url, headers, body: parseJson<JsonObject>(init?.body as string) }
    return Promise.reject(new Error('the request is kept for the batch'))
  })

  const refused =
    refusedOptions.find((option) => options[option] !== undefined) ??
    (options.vendor?.['headers'] ? 'headers' : undefined)
  if (refused)
    throw namedError(
      provider.name,
      'unsupported',
      `request ${index} of a batch cannot have ${refused}`,
    )

  // The transport always rejects: what matters is whether it had got the request by then.
  const failure = await provider
    .generate(messages, options, { retry: { attempts: 1 } })
    .catch((error: unknown) => error)
  if (item) return item
  if (!isLlmError(failure)) throw failure
  const message = `request ${index} of the batch: ${failure.message}`
  throw new LlmError(failure.code, message, { cause: failure })
}

/**
 * Maximum requests of a batch: no vendor takes more. Without this limit, a server could decide how
 * much memory is used.
 */
const mostRequests = 100_000

/** Results in the order of the requests. */
async function toResults(
  driver: BatchDriver,
  name: string,
  { status, total }: Batch,
  lines: readonly BatchLine[],
  signal: AbortSignal | undefined,
): Promise<readonly BatchResult[]> {
  const count = lines.reduce((most, { index }) => Math.max(most, index + 1), total ?? 0)
  if (count > mostRequests)
    throw namedError(
      name,
      'limit-exceeded',
      `the server says that the batch has ${count} requests; at most ${mostRequests} are read`,
    )
  const linesByIndex = new Map<number, BatchLine>()
  for (const line of lines) {
    if (
      !Number.isInteger(line.index) ||
      line.index < 0 ||
      line.index >= (total ?? Infinity) ||
      linesByIndex.has(line.index)
    )
      throw namedError(
        name,
        'protocol',
        'the batch has a result for an unknown request, or two for the same request',
      )
    linesByIndex.set(line.index, line)
  }
  const results: BatchResult[] = []
  for (let index = 0; index < count; index++) {
    // Decoding never waits. Without a pause, no timer would fire before the last result, and no
    // timer could abort the signal.
    if (index % 64 === 63) await new Promise((resolve) => setTimeout(resolve))
    signal?.throwIfAborted()
    const { response, error } = linesByIndex.get(index) ?? { index }
    if (response) results.push(await decode(driver, response))
    else results.push({ error: error ?? missingResult(name, index, status) })
  }
  return results
}

function missingResult(name: string, index: number, status: Batch['status']): LlmError {
  return status === 'ended'
    ? new LlmError('protocol', `${name}: request ${index}: the vendor has no result for it`)
    : new LlmError(
        'aborted',
        `${name}: request ${index}: the batch was ${status} before it was done`,
      )
}

/** Decodes a response: the provider receives it from a transport that returns it at once. */
async function decode(
  driver: BatchDriver,
  { status, body }: NonNullable<BatchLine['response']>,
): Promise<BatchResult> {
  let requests = 0
  const provider = driver.provider(() => {
    requests++
    if (requests === 1) return Promise.resolve(Response.json(body, { status }))
    // The provider continues a turn that the vendor paused; a batch cannot.
    return Promise.reject(new Error('a batch cannot continue a turn'))
  })
  try {
    return {
      generation: await provider.generate([{ role: 'user', content: '-' }], {
        retry: { attempts: 1 },
      }),
    }
  } catch (error) {
    if (!isLlmError(error)) throw error
    if (requests === 1) return { error }
    const why =
      'the vendor paused this reply, and a batch cannot continue it; ask again with generate'
    return { error: namedError(provider.name, 'unsupported', why) }
  }
}
