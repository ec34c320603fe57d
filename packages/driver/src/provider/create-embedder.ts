import {
  addUsage,
  type Embedder,
  type EmbedOptions,
  type TokenUsage,
  toUsage,
  zeroCounts,
} from '@modelport/core'
import { checkSettings, optionNames } from '@modelport/core/settings'
import { namedError } from '../base/named-error.js'

/** One request's worth of vectors. */
export interface EmbeddingBatch {
  /** One vector for each text of the batch, in its order. */
  readonly vectors: readonly (readonly number[])[]
  /** Tokens of the batch; undefined if the vendor does not report them. */
  readonly inputTokens?: number | undefined
}

/** What a provider supplies for an embedder. */
export interface EmbedderDriver {
  /** Name of the provider. */
  readonly name: string
  /** The model that makes the vectors. */
  readonly model: string
  /** Maximum texts the vendor takes in one request. */
  readonly batchSize: number
  /**
   * Requested length of the vectors; any other is refused. Unset: the length of the first vector.
   */
  readonly dimensions?: number | undefined
  /** Embeds at most `batchSize` texts. */
  embedBatch(texts: readonly string[], options: EmbedOptions): Promise<EmbeddingBatch>
}

/**
 * Makes an embedder that cuts its texts into the vendor's batches, one request after the other, and
 * keeps their order. Rejects `protocol` if the server returns too few or too many vectors, vectors
 * of different lengths or not of the requested one, or a value that is not a number.
 */
export function createEmbedder(driver: EmbedderDriver): Embedder {
  const { name, model, batchSize, dimensions } = driver
  return {
    name,
    model,
    embed: async (texts, options = {}) => {
      checkSettings(`${name}: options of embed`, options, optionNames.embed)
      if (!Array.isArray(texts))
        throw new TypeError(`${name}: embed takes a list of texts, not ${typeof texts}`)
      const vectors: (readonly number[])[] = []
      let usage: TokenUsage = toUsage([])
      for (let start = 0; start < texts.length; start += batchSize) {
        const chunk = texts.slice(start, start + batchSize)
        const batch = await driver.embedBatch(chunk, options)
        if (batch.vectors.length !== chunk.length) {
          throw namedError(
            name,
            'protocol',
            `${chunk.length} texts gave ${batch.vectors.length} vectors`,
          )
        }
        for (const vector of batch.vectors) vectors.push(vector)
        usage = addUsage(usage, usageOf(batch))
      }
      checkVectors(name, vectors, dimensions ?? vectors[0]?.length ?? 0)
      return { vectors, usage }
    },
  }
}

function usageOf({ inputTokens }: EmbeddingBatch): TokenUsage {
  const counts = { ...zeroCounts, inputTokens: inputTokens ?? 0 }
  const isReported = inputTokens !== undefined
  return toUsage([counts], 0, isReported)
}

/** Vectors of length 0 are refused too. */
function checkVectors(
  name: string,
  vectors: readonly (readonly number[])[],
  dimensions: number,
): void {
  for (const [index, vector] of vectors.entries()) {
    if (vector.length !== dimensions || !dimensions) {
      throw namedError(
        name,
        'protocol',
        `vector ${index} has ${vector.length} dimensions, not ${dimensions || 'any'}`,
      )
    }
    const odd = vector.findIndex((value) => !Number.isFinite(value))
    if (odd >= 0) throw namedError(name, 'protocol', `vector ${index} has no number at ${odd}`)
  }
}
