import {
  addUsage,
  type CallOptions,
  type ChatMessage,
  configError,
  describeProvider,
  type Generation,
  type JsonObject,
  LlmError,
  mergeOptions,
  type Provider,
  type TokenUsage,
  toUsage,
} from '@modelport/core'
import { namesOf } from '@modelport/core/settings'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { checkMessages, checkProvider, checkRequest } from '../base/check-request.js'
import { toRunMessage } from '../history/run-message.js'
import { toOutputCorrection, toOutputPrompt } from '../reply/corrections.js'
import { findJsonObject } from '../reply/json-object.js'
import { compileParameters } from '../tools/tool-parameters.js'
import { describeRefusal, isFormatRefusal } from './format-refusal.js'
import { describeOpen, type StrictSchema, toStrictSchema } from './strict-schema.js'

/** The request of {@link generateObject}. */
export interface ObjectRequest<Output = unknown> {
  /**
   * What the object must be: any Standard Schema that can be written as JSON Schema, or a JSON
   * Schema.
   */
  readonly schema: StandardSchemaV1<unknown, Output> | JsonObject
  /** The conversation or the question. May be left out if `messages` end with it. */
  readonly prompt?: string | undefined
  /** The conversation so far. Default: none. */
  readonly messages?: readonly ChatMessage[] | undefined
  /** Options of every call. */
  readonly options?: CallOptions | undefined
  /** Maximum replies that are read before the call fails, 1 to 10. Default 3. */
  readonly maxAttempts?: number | undefined
}

/** An object that fits its schema. */
export interface ObjectResult<Output> {
  /** The reply as the schema returned it. */
  readonly object: Output
  /** Every reply, in order; the last one is the object's. */
  readonly generations: readonly Generation[]
  /** Tokens of all calls. */
  readonly usage: TokenUsage
  /** Requests that were made, those that the server refused because of the format included. */
  readonly calls: number
  /** Warnings for the caller: the schema is not strict, or the server refused it. */
  readonly warnings: readonly string[]
}

/** A reply that does not fit the schema, after every attempt. */
export class ObjectError extends LlmError {
  /** The last reply, as text. */
  readonly text: string
  /** Tokens of all calls. */
  readonly usage: TokenUsage

  constructor(message: string, text: string, usage: TokenUsage) {
    super('protocol', `the reply does not fit the schema: ${message}`)
    this.text = text
    this.usage = usage
  }
}
Object.defineProperty(ObjectError.prototype, 'name', { value: 'ObjectError' })

/**
 * Gets one object that fits a schema out of any provider. The server holds the model to the schema
 * where it can; a reply that does not fit is sent back with what is wrong.
 * @throws {ObjectError} `protocol` — no reply fitted.
 * @throws {TypeError} the request has a field that is not known; options of the calls go into
 * `options`.
 * @throws {LlmError} `config` — the schema cannot be shown to a model, or nothing is asked; any
 * other code of the calls.
 * @example
 * ```ts
 * import { createMock } from '@modelport/provider-mock'
 * import { generateObject } from '@modelport/runtime'
 * import { z } from 'zod'
 *
 * const provider = createMock({ responses: ['{"city": "Rome", "temperature": 28}'] })
 * const { object } = await generateObject(provider, {
 *   messages: [{ role: 'user', content: 'How warm is Rome?' }],
 *   schema: z.object({ city: z.string(), temperature: z.number() }),
 * })
 * console.log(object.temperature)
 * ```
 *
 * ```text
 * 28
 * ```
 */
export async function generateObject<Output = unknown>(
  provider: Provider,
  request: ObjectRequest<Output>,
): Promise<ObjectResult<Output>> {
  const plan = planObject(provider, request)
  const { maxAttempts = 3 } = request
  if (!Number.isInteger(maxAttempts) || maxAttempts < 1 || maxAttempts > 10)
    throw configError(`maxAttempts must be a whole number between 1 and 10, not ${maxAttempts}`)
  const messages = [...plan.messages]
  const generations: Generation[] = []
  let calls = 0
  for (;;) {
    calls++
    let generation: Generation
    try {
      generation = await provider.generate(messages, plan.options())
    } catch (error) {
      if (!plan.relax(error)) throw error
      continue
    }
    generations.push(generation)
    const usage = generations.reduce((sum, one) => addUsage(sum, one.usage), toUsage([]))
    const read = await plan.read(generation.text)
    if (read.ok)
      return { object: read.value as Output, generations, usage, calls, warnings: plan.warnings }
    if (generation.finishReason === 'content-filter')
      throw new LlmError('content-filter', `${provider.name}: the reply was refused or filtered`)
    const cut =
      generation.finishReason === 'length' ? ' (the reply was cut off: raise maxTokens)' : ''
    if (cut || generations.length >= maxAttempts)
      throw new ObjectError(read.message + cut, generation.text, usage)
    messages.push(generation.message, toRunMessage(toOutputCorrection(read.message)))
  }
}

/** How an object is asked for, and how a reply is read. */
export interface ObjectPlan {
  readonly messages: readonly ChatMessage[]
  readonly warnings: readonly string[]
  options(): CallOptions
  /** Asks for less after a refusal of the format. False for any other failure. */
  relax(error: unknown): boolean
  read(text: string): Promise<{ ok: true; value: unknown } | { ok: false; message: string }>
  /** Removes the nulls that the strict form added to an object, which may be incomplete. */
  withoutAddedNulls(value: unknown): unknown
}

const known = namesOf<ObjectRequest>({
  schema: true,
  prompt: true,
  messages: true,
  options: true,
  maxAttempts: true,
})

/** Prepares the calls of {@link generateObject} and `streamObject`, which has no `maxAttempts`. */
export function planObject(
  provider: Provider,
  request: ObjectRequest,
  where = 'generateObject',
): ObjectPlan {
  checkProvider(provider)
  checkRequest(request, {
    where,
    toolsAre: 'tools',
    known: where === 'streamObject' ? known.slice(0, -1) : known,
  })
  const { prompt, messages: given = [], options = {} } = request
  const messages: readonly ChatMessage[] =
    prompt === undefined ? given : [...given, { role: 'user', content: prompt }]
  if (!messages.length) throw configError(`${where}: give a prompt or messages`)
  checkMessages(messages)
  const { schema, validate } = compileParameters(request.schema, 'schema')
  const closed = toStrictSchema(schema)
  const strict: StrictSchema | undefined = 'schema' in closed ? closed : undefined
  const warnings: string[] = []
  if ('reason' in closed) warnings.push(describeOpen(closed))
  const { capabilities, profile } = describeProvider(provider)
  const formats: readonly CallOptions[] = [
    {
      responseFormat: {
        type: 'json-schema',
        name: 'answer',
        schema: strict?.schema ?? schema,
        ...(strict && { strict: true }),
      },
    },
    { responseFormat: { type: 'json' } },
    {},
  ]
  let level =
    capabilities?.schema.supported === false || profile?.supportsJsonSchema === false ? 1 : 0
  const withoutAddedNulls = (value: unknown): unknown =>
    level === 0 && strict ? strict.dropAddedNulls(value) : value
  return {
    messages,
    warnings,
    options: () => {
      const system =
        level > 0
          ? [options.system, toOutputPrompt(schema)].filter(Boolean).join('\n\n')
          : options.system
      return mergeOptions(options, formats[level], system === undefined ? {} : { system })
    },
    relax: (error) => {
      if (!isFormatRefusal(error) || level >= formats.length - 1) return false
      warnings.push(describeRefusal(level, error))
      level++
      return true
    },
    read: async (text) => {
      const found = findJsonObject(text)
      if (!found.ok) return found
      return validate(withoutAddedNulls(found.value) as JsonObject)
    },
    withoutAddedNulls,
  }
}
