import { type Embedder, type EmbedOptions } from '@modelport/core'
import { createEmbedder, type EmbeddingBatch, systemClock } from '@modelport/driver'
import type { LlamaEmbeddingContext } from 'node-llama-cpp'
import { checkConfig, configNames, type LlamaCppModelConfig } from './config.js'
import { toContextSize } from './context-size.js'
import { toError, toEvaluationError, toLoadError } from './error.js'
import { name as providerName } from './messages.js'
import { modelName } from './model-file.js'
import { leaseModel, type ModelLease } from './model-pool.js'

/**
 * Configuration of {@link createLlamaCppEmbedder}. `contextSize` is the most tokens of one text.
 */
export interface LlamaCppEmbedderConfig extends LlamaCppModelConfig {
  /**
   * True scales each vector to length 1, as llama.cpp's own server does. False leaves vectors as
   * the model makes them. Default true.
   */
  readonly normalize?: boolean
}

/** An embedder whose model is in this process. */
export interface LlamaCppEmbedder extends Embedder, AsyncDisposable {
  /** Frees the memory; a model that other providers use stays for them. Idempotent. */
  close(): Promise<void>
}

/** A leased model, with the context that makes its vectors. */
interface LoadedContext extends ModelLease {
  readonly context: LlamaEmbeddingContext
  readonly contextSize: number
}

/**
 * An embedder of a GGUF file. It opens no connection, and loads nothing before the first call.
 * `purpose` changes nothing: if the model expects a prefix for queries, put it into the texts. The
 * deadline is checked before each text.
 */
export function createLlamaCppEmbedder(config: LlamaCppEmbedderConfig): LlamaCppEmbedder {
  checkConfig(config, 'createLlamaCppEmbedder', [...configNames, 'normalize'])
  const { modelPath, model = modelName(modelPath), normalize = true } = config
  let loading: Promise<LoadedContext> | undefined
  let closing: Promise<void> | undefined

  const load = (): Promise<LoadedContext> => {
    if (closing) return Promise.reject(toError('aborted', 'the embedder was closed'))
    loading ??= loadContext(config).catch((error: unknown) => {
      loading = undefined
      throw error
    })
    return loading
  }

  const free = async (): Promise<void> => {
    const loaded = await loading?.catch(() => undefined)
    await loaded?.context.dispose()
    await loaded?.release()
  }
  const close = (): Promise<void> => (closing ??= free())

  const embedder = createEmbedder({
    name: providerName,
    model,
    batchSize: 256,
    embedBatch: async (texts, options) => embedTexts(await load(), texts, normalize, options),
  })
  return { ...embedder, close, [Symbol.asyncDispose]: close }
}

async function loadContext(config: LlamaCppEmbedderConfig): Promise<LoadedContext> {
  const lease = await leaseModel(config)
  try {
    return { ...lease, ...(await createContext(lease, config)) }
  } catch (error) {
    await lease.release()
    throw error
  }
}

async function createContext(
  { runtime, model }: ModelLease,
  config: LlamaCppEmbedderConfig,
): Promise<Pick<LoadedContext, 'context' | 'contextSize'>> {
  const { threads, contextSize } = toContextSize(model, config)
  try {
    return { context: await model.createEmbeddingContext({ contextSize, threads }), contextSize }
  } catch (cause) {
    throw toLoadError(
      cause,
      `an embedding context of ${contextSize} tokens`,
      await runtime.takeLog(),
    )
  }
}

async function embedTexts(
  loaded: LoadedContext,
  texts: readonly string[],
  normalize: boolean,
  options: EmbedOptions,
): Promise<EmbeddingBatch> {
  const { context, contextSize } = loaded
  if (options.vendor)
    throw toError('unsupported', 'vendor: nothing is sent, so there is nothing to add fields to')

  const { deadlineMs, signal } = options
  const endsAt = deadlineMs === undefined ? Infinity : systemClock.now() + deadlineMs
  const vectors: (readonly number[])[] = []
  let inputTokens = 0
  for (const [index, text] of texts.entries()) {
    signal?.throwIfAborted()
    if (systemClock.now() >= endsAt)
      throw toError('timeout', `the deadline of ${deadlineMs ?? 0} ms has passed`)

    const tokens = context.calculateInputLength(text)
    if (!text || tokens < 1)
      throw toError(
        'invalid-request',
        `texts[${index}] is empty; a model makes no vector of nothing`,
      )
    if (tokens > contextSize)
      throw toError(
        'context-length',
        `texts[${index}] has ${tokens} tokens, the context ${contextSize}; cut the text or raise contextSize`,
      )
    inputTokens += tokens

    const { vector } = await context.getEmbeddingFor(text).catch(async (cause: unknown) => {
      throw toEvaluationError(cause, await loaded.runtime.takeLog())
    })
    vectors.push(normalize ? toUnitLength(vector) : vector)
  }
  return { vectors, inputTokens }
}

function toUnitLength(vector: readonly number[]): readonly number[] {
  const length = Math.hypot(...vector)
  return length > 0 ? vector.map((value) => value / length) : vector
}
