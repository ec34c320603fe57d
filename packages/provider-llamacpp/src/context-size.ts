import { availableParallelism } from 'node:os'
import type { LlamaModel } from 'node-llama-cpp'
import type { LlamaCppConfig } from './config.js'
import { toError } from './error.js'

/**
 * Unless set: enough for a conversation, and not what a model with a window of a million would
 * take.
 */
const usual = 8192
/**
 * Far above any model. node-llama-cpp's own check of the memory takes memory itself, tens of bytes
 * a token (measured with 3.22.1).
 */
const most = { contextSize: 2 ** 24, parallel: 256, threads: 1024 }

/**
 * Threads of llama.cpp wait for each other at every operation, by spinning: with one that has no
 * core they all stand still. So one core is left for the rest of the program, hyper-threads count
 * for nothing, and neither do cores that the process may not use. node-llama-cpp's own default is
 * four at least, which on two cores takes minutes for what one thread does in a second.
 */
const usualThreads = (physicalCores: number): number =>
  Math.max(1, Math.min(physicalCores, availableParallelism()) - 1)

/** Sizes of a context, checked. */
export interface ContextSize {
  readonly contextSize: number
  readonly parallel: number
  readonly threads: number
}

/**
 * The sizes a configuration asks for.
 * @throws {LlmError} `config` — one is not a possible number.
 */
export function toContextSize(
  model: LlamaModel,
  config: Pick<LlamaCppConfig, 'contextSize' | 'parallel' | 'threads'>,
): ContextSize {
  const { contextSize = Math.min(model.trainContextSize, usual), parallel = 1 } = config
  const threads = config.threads ?? usualThreads(model.llama.cpuMathCores)
  for (const [field, value] of Object.entries({ contextSize, parallel, threads })) {
    const limit = most[field as keyof typeof most]
    if (!Number.isInteger(value) || value < 1 || value > limit)
      throw toError(
        'config',
        `${field} must be a whole number between 1 and ${limit}, not ${value}`,
      )
  }
  if (contextSize * parallel > most.contextSize)
    throw toError(
      'config',
      `contextSize times parallel must be at most ${most.contextSize}, not ${contextSize * parallel}`,
    )
  return { contextSize, parallel, threads }
}
