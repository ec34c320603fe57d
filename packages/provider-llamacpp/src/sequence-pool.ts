import type { LlamaContext, LlamaContextSequence, LlamaModel, Token } from 'node-llama-cpp'
import type { LlamaCppConfig } from './config.js'
import { toContextSize } from './context-size.js'
import { toError, toLoadError } from './error.js'
import type { LlamaRuntime } from './llama-runtime.js'

interface Waiter {
  readonly tokens: Token[]
  readonly take: (sequence: LlamaContextSequence) => void
  readonly refuse: () => void
}

/** The places at which replies are made. A call that finds none free waits its turn. */
export class SequencePool {
  /** Maximum tokens of prompt and reply together. */
  readonly contextSize: number
  /** Tokens evaluated at once: between two batches a call can be stopped. */
  readonly batchSize: number
  readonly #context: LlamaContext
  readonly #free: LlamaContextSequence[]
  #waiting: Waiter[] = []
  #allFree: (() => void) | undefined

  constructor(context: LlamaContext) {
    this.#context = context
    this.batchSize = context.batchSize
    this.#free = Array.from({ length: context.totalSequences }, () => context.getSequence())
    this.contextSize = this.#free[0]?.contextSize ?? context.contextSize
  }

  /**
   * A place, the one that has most of these tokens already. Rejects with the signal's reason when
   * it is aborted first.
   */
  acquire(tokens: Token[], signal: AbortSignal): Promise<LlamaContextSequence> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted()
      const free = this.#best(tokens)
      if (free) {
        resolve(free)
        return
      }
      const waiter: Waiter = {
        tokens,
        take: (sequence) => {
          signal.removeEventListener('abort', abort)
          resolve(sequence)
        },
        refuse: () => {
          signal.removeEventListener('abort', abort)
          reject(toError('aborted', 'the provider was closed'))
        },
      }
      const abort = (): void => {
        this.#waiting = this.#waiting.filter((one) => one !== waiter)
        reject(signal.reason as Error)
      }
      signal.addEventListener('abort', abort, { once: true })
      this.#waiting.push(waiter)
    })
  }

  /** Gives a place back. What it has evaluated stays, for prompts that begin alike. */
  release(sequence: LlamaContextSequence): void {
    const next = this.#waiting.shift()
    if (next) next.take(sequence)
    else this.#free.push(sequence)
    if (this.#free.length === this.#context.totalSequences) this.#allFree?.()
  }

  /** Rejects the waiting calls, waits for the running ones, and frees the memory. */
  async close(): Promise<void> {
    for (const { refuse } of this.#waiting.splice(0)) refuse()
    if (this.#free.length < this.#context.totalSequences) {
      await new Promise<void>((resolve) => {
        this.#allFree = resolve
      })
    }
    await this.#context.dispose()
  }

  #best(tokens: Token[]): LlamaContextSequence | undefined {
    const known = (sequence: LlamaContextSequence): number =>
      sequence.compareContextTokens(tokens).firstDifferentIndex
    const best = [...this.#free].sort((a, b) => known(b) - known(a))[0]
    if (best) this.#free.splice(this.#free.indexOf(best), 1)
    return best
  }
}

/**
 * Makes the places of a model.
 * @throws {LlmError} `config` — too little memory, or a number that cannot be.
 */
export async function createSequencePool(
  runtime: LlamaRuntime,
  model: LlamaModel,
  config: LlamaCppConfig,
): Promise<SequencePool> {
  const { contextSize, parallel, threads } = toContextSize(model, config)
  try {
    const context = await model.createContext({
      contextSize,
      sequences: parallel,
      failedCreationRemedy: false,
      threads,
    })
    return new SequencePool(context)
  } catch (cause) {
    throw toLoadError(cause, `a context of ${contextSize} tokens`, await runtime.takeLog())
  }
}
