import {
  type Generation,
  type Provider,
  type Reader,
  ReaderBase,
  type ToolStreamReader,
} from '@modelport/core'
import { readTurn } from '../middleware/turns.js'
import {
  ObjectError,
  type ObjectPlan,
  type ObjectRequest,
  type ObjectResult,
  planObject,
} from './generate-object.js'
import { GrowingObject } from './growing-object.js'

/** An object while it is written. Every value may still be missing, and texts may be unfinished. */
export type PartialObject<Output> = Output extends readonly (infer Item)[]
  ? readonly PartialObject<Item>[]
  : Output extends object
    ? { readonly [Key in keyof Output]?: PartialObject<Output[Key]> }
    : Output

/** The growing object of one call. */
export interface ObjectReader<Output> extends Reader<PartialObject<Output>> {
  /**
   * The whole object, checked. Reads what is left.
   * @throws {ObjectError} `protocol` — the reply does not fit the schema.
   */
  result(): Promise<ObjectResult<Output>>
}

/**
 * Streams one object: each read gives the object so far. The reply is not asked for again if it
 * does not fit: `result()` then rejects. Throws like {@link generateObject}.
 * @example
 * ```ts
 * import { createMock } from '@modelport/provider-mock'
 * import { streamObject } from '@modelport/runtime'
 * import { z } from 'zod'
 *
 * const provider = createMock({ responses: ['{"city": "Rome", "temperature": 28}'] })
 * const reader = await streamObject(provider, {
 *   messages: [{ role: 'user', content: 'How warm is Rome?' }],
 *   schema: z.object({ city: z.string(), temperature: z.number() }),
 * })
 * for await (const partial of reader) console.log(partial)
 * ```
 *
 * ```text
 * …
 * { city: 'Ro' }
 * …
 * { city: 'Rome', temperature: 28 }
 * ```
 */
export async function streamObject<Output = unknown>(
  provider: Provider,
  request: Omit<ObjectRequest<Output>, 'maxAttempts'>,
): Promise<ObjectReader<Output>> {
  const plan = planObject(provider, request, 'streamObject')
  for (let calls = 1; ; calls++) {
    try {
      const reader = await provider.streamWithTools(plan.messages, [], plan.options())
      return new PartialObjectReader<Output>(reader, plan, calls)
    } catch (error) {
      if (!plan.relax(error)) throw error
    }
  }
}

class PartialObjectReader<Output>
  extends ReaderBase<PartialObject<Output>>
  implements ObjectReader<Output>
{
  readonly #reader: ToolStreamReader
  readonly #turn: ReturnType<typeof readTurn>
  readonly #plan: ObjectPlan
  readonly #calls: number
  readonly #growing = new GrowingObject()
  #isClosed = false
  #generation: Generation | undefined
  #reads: Promise<unknown> = Promise.resolve()

  constructor(reader: ToolStreamReader, plan: ObjectPlan, calls: number) {
    super()
    this.#reader = reader
    this.#turn = readTurn(reader)
    this.#plan = plan
    this.#calls = calls
  }

  next(): Promise<IteratorResult<PartialObject<Output>, undefined>> {
    const read = this.#reads.then(() => this.#read())
    this.#reads = read.catch(() => undefined)
    return read
  }

  async result(): Promise<ObjectResult<Output>> {
    for (let read = await this.next(); !read.done; read = await this.next());
    const generation = this.#generation
    if (!generation)
      throw new ObjectError('the reader was closed', this.#reader.fullText(), this.#reader.usage())
    const { text, usage, finishReason } = generation
    const checked = await this.#plan.read(text)
    const cut = finishReason === 'length' ? ' (the reply was cut off: raise maxTokens)' : ''
    if (!checked.ok) throw new ObjectError(checked.message + cut, text, usage)
    const object = checked.value as Output
    return {
      object,
      generations: [generation],
      usage,
      calls: this.#calls,
      warnings: this.#plan.warnings,
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#reader.close()
  }

  async #read(): Promise<IteratorResult<PartialObject<Output>, undefined>> {
    while (!this.#isClosed) {
      const step = await this.#turn.next()
      if (step.done) {
        this.#generation ??= step.value
        return { done: true, value: undefined }
      }
      if (step.value.type !== 'text-delta') continue
      const value = this.#growing.push(step.value.text)
      if (value === undefined) continue
      return { done: false, value: this.#plan.withoutAddedNulls(value) as PartialObject<Output> }
    }
    return { done: true, value: undefined }
  }
}
