import type { LanguageModelV4CallOptions, SharedV4ProviderOptions } from '@ai-sdk/provider'
import { LlmError } from '@modelport/core'
import { defined, type Turn, withVendor } from '@modelport/driver'
import { toMetadata } from '../own-options.js'
import { type Hints, toPrompt } from './to-prompt.js'

/** A call of a model of the AI SDK, without its signal and headers. */
export interface ModelRequest extends LanguageModelV4CallOptions {
  /** The name of the provider. */
  readonly name: string
}

/**
 * A model of ours takes all options of ours; any other has `vendor` as its `providerOptions`, and
 * the driver has refused the rest.
 */
const hintsOf =
  (isOurs: boolean): Hints =>
  (object, ...names) => {
    const vendor = object.vendor
      ? (withVendor({}, object.vendor) as SharedV4ProviderOptions)
      : undefined
    const fields = Object.entries(object).filter(([name]) => names.includes(name))
    const given = isOurs
      ? toMetadata({ ...Object.fromEntries(fields), vendor }).providerMetadata
      : vendor
    return given ? { providerOptions: given } : {}
  }

/** What the driver does, and what the specification has a field for. */
const written =
  'system tools signal deadlineMs retry vendor maxTokens temperature topP topK seed stop reasoning responseFormat toolChoice'
const isWritten = new Set(written.split(' '))

/** @throws {LlmError} `unsupported` — the specification has no field for an option. */
export function toModelRequest(
  { options, tools, messages }: Turn,
  name: string,
  isOurs: boolean,
): ModelRequest {
  const {
    maxTokens,
    temperature,
    topP,
    topK,
    seed,
    stop,
    reasoning,
    responseFormat: format,
    toolChoice,
  } = options
  const hints = hintsOf(isOurs)
  const ownOptions = Object.keys(defined(options)).filter((option) => !isWritten.has(option))
  const lost = ownOptions.find((option) => option !== 'cache' || options.cache !== 'none')
  if (lost && !isOurs) {
    const advice = 'set the field of its package in vendor, as its providerOptions'
    throw new LlmError(
      'unsupported',
      `${name}: unsupported: the AI SDK has no "${lost}"; ${advice}`,
    )
  }
  return {
    name,
    prompt: toPrompt(messages, name, hints),
    ...defined({ maxOutputTokens: maxTokens, temperature, topP, topK, seed, reasoning }),
    ...(stop && { stopSequences: [...stop] }),
    ...(tools.length && {
      tools: tools.map((tool) => ({
        type: 'function' as const,
        name: tool.name,
        description: tool.description,
        inputSchema: tool.parameters ?? {
          type: 'object',
          properties: {},
          additionalProperties: false,
        },
        ...defined({ strict: tool.strict }),
        ...hints(tool, 'deferred', 'callers', 'cache'),
      })),
    }),
    ...(toolChoice && {
      toolChoice:
        typeof toolChoice === 'string'
          ? { type: toolChoice }
          : { type: 'tool', toolName: toolChoice.name },
    }),
    ...(format && {
      responseFormat:
        format.type === 'json-schema'
          ? { type: 'json', schema: format.schema, ...defined({ name: format.name }) }
          : { type: format.type },
    }),
    ...hints(options, ...ownOptions),
  }
}
