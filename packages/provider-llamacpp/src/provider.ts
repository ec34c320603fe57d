import {
  type CallOptions,
  type ChatMessage,
  type LlmError,
  type Provider,
  type TokenCount,
  zeroCounts,
} from '@modelport/core'
import {
  createNeutralDecoder,
  createProvider,
  type Driver,
  defined,
  type NeutralSource,
  type ProviderSettings,
  toNeutralError,
  toNeutralResponse,
} from '@modelport/driver'
import { capabilities } from './capabilities.js'
import { checkConfig, configNames, type LlamaCppConfig } from './config.js'
import { toError } from './error.js'
import { startReply } from './generation.js'
import { type LoadedModel, readTemplate } from './loaded-model.js'
import { name } from './messages.js'
import { modelName } from './model-file.js'
import { leaseModel } from './model-pool.js'
import { toPrompt } from './prompt.js'
import { type LlamaRequest, toRequest } from './request.js'
import { createSequencePool, type SequencePool } from './sequence-pool.js'

/** A provider whose model is in this process. */
export interface LlamaCppProvider extends Provider, AsyncDisposable {
  /** Loads the model now instead of at the first call. Throws what a call would. */
  load(): Promise<void>
  /**
   * How many tokens a text has, or the whole prompt of a conversation: template, system, tools and
   * thinking marks included. Exact: the model's own tokenizer counts. Loads the model. Throws like
   * `Provider.complete`.
   */
  countTokens(
    input: string | readonly ChatMessage[],
    ...options: CallOptions[]
  ): Promise<TokenCount>
  /**
   * Ends running calls with `aborted` and frees the memory; a model that other providers use stays
   * for them. Idempotent.
   */
  close(): Promise<void>
}

interface Loaded extends LoadedModel {
  readonly pool: SequencePool
  free(): Promise<void>
}

/**
 * Longer than the driver's defaults: loading and a long prompt take minutes, and a reply that is
 * not streamed counts as one delta.
 */
const patience = { headersMs: 3_600_000, idleMs: 600_000, semanticIdleMs: 3_600_000 }

/**
 * A provider of a GGUF file, run in this process. It opens no connection: its `apiHosts` is empty.
 * Nothing is loaded before the first call. `estimateTokens` is exact once the model is loaded.
 * @throws {LlmError} `config` — no `modelPath`.
 */
export function createLlamaCpp(config: LlamaCppConfig): LlamaCppProvider {
  checkConfig(config, 'createLlamaCpp', configNames)
  const memory = new Memory(config)
  const settings = toSettings(config)
  const driver: Driver<LlamaRequest> = {
    name,
    framing: 'ndjson',
    request: toRequest,
    send: async (request, { signal, stream }) => {
      const loaded = await memory.load()
      signal.throwIfAborted()
      const source = await startReply(loaded, loaded.pool, request, signal)
      return toNeutralResponse(memory.endedByClose(source), stream)
    },
    decoder: createNeutralDecoder,
    error: (failure) => toNeutralError(name, failure),
  }
  const provider = createProvider(driver, settings)

  // A second provider, so that a prompt is checked and built for counting as it is for a call.
  const sendCount: typeof driver.send = async (request, { stream }) =>
    toNeutralResponse(promptCount(await memory.load(), request), stream)
  const counter = createProvider({ ...driver, send: sendCount }, settings)

  return {
    ...provider,
    load: async () => {
      await memory.load()
    },
    countTokens: async (input, ...options) => {
      const tokens =
        typeof input === 'string'
          ? (await memory.load()).model.tokenize(input).length
          : (await counter.generate(input, ...options)).usage.inputTokens
      return { tokens, source: 'tokenizer' }
    },
    estimateTokens: (text) =>
      memory.loaded?.model.tokenize(text).length ?? provider.estimateTokens(text),
    close: () => memory.close(),
    [Symbol.asyncDispose]: () => memory.close(),
  }
}

/** What the driver layer needs of the configuration. */
function toSettings(config: LlamaCppConfig): ProviderSettings {
  const {
    model = modelName(config.modelPath),
    profile,
    defaults,
    timeouts,
    limits,
    tokenFactor,
    clock,
  } = config
  return {
    model,
    capabilities: capabilities(config),
    cheapestModel: config.cheapestModel ?? model,
    hosts: [],
    selfHosted: true,
    timeouts: { ...patience, ...timeouts },
    ...defined({ profile, defaults, limits, tokenFactor, clock }),
  }
}

/** A reply that only says how long its prompt is. */
function promptCount({ model, template }: Loaded, request: LlamaRequest): NeutralSource {
  const inputTokens = toPrompt(model, template, request).tokens.length
  const records = [
    { type: 'end' as const, finish: 'stop' as const, usage: { ...zeroCounts, inputTokens } },
  ]
  return { next: () => Promise.resolve(records.shift()), cancel: () => undefined }
}

/** What a provider keeps in memory: the lease of the model and its sequences. */
class Memory {
  /** Undefined until the model is loaded, and after {@link Memory.close}. */
  loaded: Loaded | undefined
  readonly #config: LlamaCppConfig
  readonly #running = new Set<NeutralSource>()
  #loading: Promise<Loaded> | undefined
  #closing: Promise<void> | undefined

  constructor(config: LlamaCppConfig) {
    this.#config = config
  }

  /** Loads once; a failure is tried again at the next call. */
  load(): Promise<Loaded> {
    if (this.#closing) return Promise.reject(closed())
    this.#loading ??= this.#load().catch((error: unknown) => {
      this.#loading = undefined
      throw error
    })
    return this.#loading
  }

  /** The source, ended with an error when the provider is closed. */
  endedByClose(source: NeutralSource): NeutralSource {
    const ended: NeutralSource = {
      next: async () => {
        if (this.#isClosed()) throw closed()
        this.#running.add(ended)
        const record = await source.next()
        if (this.#isClosed()) throw closed()
        if (record === undefined || record.type === 'end') this.#running.delete(ended)
        return record
      },
      cancel: () => {
        this.#running.delete(ended)
        source.cancel()
      },
    }
    return ended
  }

  close(): Promise<void> {
    this.#closing ??= (async () => {
      for (const source of this.#running) source.cancel()
      const loaded = await this.#loading?.catch(() => undefined)
      this.loaded = undefined
      await loaded?.free()
    })()
    return this.#closing
  }

  #isClosed(): boolean {
    return this.#closing !== undefined
  }

  async #load(): Promise<Loaded> {
    const { runtime, model, release } = await leaseModel(this.#config)
    try {
      const template = await readTemplate(model, this.#config)
      const pool = await createSequencePool(runtime, model, this.#config)
      const free = async (): Promise<void> => {
        await pool.close()
        await release()
      }
      this.loaded = { runtime, model, template, pool, free }
      return this.loaded
    } catch (error) {
      await release()
      throw error
    }
  }
}

const closed = (): LlmError => toError('aborted', 'the provider was closed')
