import type { LanguageModelV4, LanguageModelV4GenerateResult } from '@ai-sdk/provider'
import {
  type ErrorCode,
  type LlmError,
  type Provider,
  ProviderError,
  type ProviderErrorDetails,
} from '@modelport/core'
import { toBase64 } from '@modelport/core/text'
import {
  type CommonConfig,
  createProvider,
  type Driver,
  type DriverIo,
  defined,
  requireConfig,
} from '@modelport/driver'
import { ours } from '../own-options.js'
import { ModelDecoder } from './model-decoder.js'
import { toCallError } from './model-failure.js'
import { type ModelRequest, toModelRequest } from './model-request.js'
import { type AnyLanguageModel, toCurrentModel } from './to-current-model.js'

/** Settings of a provider, but for those of a connection: the model has its own. */
export interface FromLanguageModelConfig<Hosts = 'unknown'>
  extends Omit<
    CommonConfig,
    'model' | 'fetch' | 'proxy' | 'enforceHosts' | 'onResponse' | 'lenientEof'
  > {
  /**
   * The hosts that the model contacts, which only the application knows, for allow-lists. Default
   * `unknown`, which no allow-list takes.
   */
  readonly apiHosts?: Hosts | undefined
  /**
   * Keys of the model, which errors and partial replies must not have. The model keeps its own to
   * itself.
   */
  readonly secrets?: readonly string[] | undefined
}

/** A provider of a model of the AI SDK. */
export interface LanguageModelProvider<Hosts = 'unknown'> extends Provider {
  /** What the application said of the hosts. */
  readonly apiHosts: Hosts | 'unknown'
}

/**
 * Any model of the AI SDK, of `ai` 5, 6 or 7, as a provider: for vendors that only the AI SDK has.
 * Calls are repeated as those of every provider. `vendor` of the options, of a message, a part or a
 * tool is its `providerOptions`.
 * @throws {LlmError} `config` — a setting cannot work, or the specification of the model is not
 * known.
 * @throws {TypeError} a setting is not known.
 */
export function fromLanguageModel<Hosts = 'unknown'>(
  model: AnyLanguageModel,
  config: FromLanguageModelConfig<Hosts> = {},
): LanguageModelProvider<Hosts> {
  const current = toCurrentModel(model)
  const { modelId, provider: name } = current
  const { apiHosts, secrets = [], cheapestModel = modelId, ...settings } = config
  requireConfig({ model: modelId, ...settings }, 'fromLanguageModel')
  const isOurs = ours in model
  const driver: Driver<ModelRequest> = {
    name,
    framing: 'ndjson',
    takes: isOurs
      ? ['cache-hour', 'cache-marks', 'deferred', 'callers', 'files', 'clips', 'details', 'found']
      : ['files'],
    request: (turn) => toModelRequest(turn, name, isOurs),
    send: (request, io) => send(current, request, io),
    decoder: (sink) => new ModelDecoder(sink, name),
    error: ({ body }) => {
      const { code, message, ...details } = body as Failure
      return new ProviderError(code, message, { ...details, provider: name })
    },
  }
  const provider = createProvider(driver, {
    ...settings,
    cheapestModel,
    model: modelId,
    hosts: [],
    secrets,
  })
  return Object.assign(provider, { apiHosts: apiHosts ?? ('unknown' as const) })
}

/** What an error in the middle of a stream says, as JSON. */
type Failure = Partial<ProviderErrorDetails> & {
  readonly code: ErrorCode
  readonly message: string
}

/** Sends the call, and writes the reply as lines of JSON, one a read. */
async function send(
  model: LanguageModelV4,
  { name, ...request }: ModelRequest,
  io: DriverIo,
): Promise<Response> {
  const call = { ...request, abortSignal: io.signal, headers: io.headers }
  try {
    if (!io.stream) {
      const reply = await model.doGenerate(call)
      return new Response(toLine(name, toList(reply)), toHead(reply.response))
    }
    const { stream, response } = await model.doStream(call)
    const reader = stream.getReader()
    const encoder = new TextEncoder()
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
      const { done, value } = await reader
        .read()
        .catch((error: unknown) => ({ done: false, value: { type: 'error', error } }) as const)
      if (done) controller.close()
      else controller.enqueue(encoder.encode(toLine(name, value)))
    }
    return new Response(
      new ReadableStream({ pull, cancel: (reason) => reader.cancel(reason) }, { highWaterMark: 0 }),
      toHead(response),
    )
  } catch (error) {
    io.signal.throwIfAborted()
    throw toCallError(name, error)
  }
}

/** The headers that the package reports, without those that describe the body that it has read. */
const toHead = ({ headers = {} }: { headers?: Record<string, string> } = {}): ResponseInit => ({
  headers: Object.entries(headers).filter(([name]) => !/^content-/i.test(name)),
})

/** A whole reply as the parts of a stream. */
const toList = ({
  content,
  response,
  warnings,
  ...end
}: LanguageModelV4GenerateResult): readonly unknown[] => [
  { type: 'stream-start', warnings },
  ...content,
  { type: 'response-metadata', id: response?.id, modelId: response?.modelId },
  { type: 'finish', ...end, request: undefined },
]

/** A record in one line. Bytes are base64, and what a vendor sent raw is left out. */
function toLine(name: string, record: unknown): string {
  const { type, error } = Object(record) as { readonly type?: string; readonly error?: unknown }
  const shown =
    type === 'raw' ? { type } : type === 'error' ? { type, error: toFailure(name, error) } : record
  return `${JSON.stringify(shown, (_, value: unknown) => (value instanceof Uint8Array ? toBase64(value) : value))}\n`
}

function toFailure(name: string, thrown: unknown): Failure {
  const error: LlmError & Partial<ProviderErrorDetails> = toCallError(name, thrown)
  const { code, message, status, requestId, type, retryAfterMs, reason } = error
  return { code, message, ...defined({ status, requestId, type, retryAfterMs, reason }) }
}
