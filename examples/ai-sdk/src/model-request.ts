import type { LanguageModelV4CallOptions, SharedV4ProviderOptions } from '@ai-sdk/provider'
import { LlmError, type OptionValues } from '@modelport/core'
import { type Turn, withVendor } from '@modelport/driver'
import { type Hints, toMetadata } from './own-options.ts'
import { toPrompt } from './to-prompt.ts'

/** A call of a model of the AI SDK, without its signal and headers. */
export interface ModelRequest extends LanguageModelV4CallOptions {
  /** The name of the provider. */
  readonly name: string
}

/** A model of ours takes all options of ours; any other has `vendor` as its `providerOptions`, and the driver has refused the rest. */
const hintsOf =
  (isOurs: boolean): Hints =>
  (object, ...names) => {
    const { vendor } = object
    const fields = Object.fromEntries(Object.entries(object).filter(([name]) => names.includes(name)))
    const { providerMetadata: ours } = isOurs ? toMetadata({ ...fields, vendor: vendor && withVendor({}, vendor) }) : {}
    const given = isOurs ? ours : vendor && withVendor({}, vendor)
    return given ? { providerOptions: given as SharedV4ProviderOptions } : {}
  }

/** What the specification has no field for. */
const ownOptions = ['parallelToolCalls', 'topLogprobs', 'providerTools', 'cache'] as const

/** @throws {LlmError} `unsupported` — the specification has no field for an option. */
export function toModelRequest(turn: Turn, name: string, isOurs: boolean): ModelRequest {
  const { options, tools } = turn
  const { maxTokens, temperature, topP, topK, seed, stop, reasoning, responseFormat } = options
  const hints = hintsOf(isOurs)
  const lost = ownOptions.find((option) => options[option] !== undefined && options[option] !== 'none')
  if (lost && !isOurs)
    throw new LlmError(
      'unsupported',
      `${name}: unsupported: the AI SDK has no "${lost}"; set it in vendor, as its providerOptions`,
    )
  return {
    name,
    prompt: toPrompt(turn.messages, name, hints),
    ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { topP }),
    ...(topK !== undefined && { topK }),
    ...(seed !== undefined && { seed }),
    ...(stop && { stopSequences: [...stop] }),
    ...(reasoning !== undefined && { reasoning }),
    ...(tools.length && {
      tools: tools.map((tool) => ({
        type: 'function' as const,
        name: tool.name,
        description: tool.description,
        inputSchema: tool.parameters ?? { type: 'object', properties: {}, additionalProperties: false },
        ...(tool.strict !== undefined && { strict: tool.strict }),
        ...hints(tool, 'deferred', 'callers', 'cache'),
      })),
    }),
    ...(options.toolChoice !== undefined && { toolChoice: toToolChoice(options.toolChoice) }),
    ...(responseFormat && { responseFormat: toFormat(responseFormat) }),
    ...hints(options, ...ownOptions),
  }
}

const toToolChoice = (choice: NonNullable<OptionValues['toolChoice']>): NonNullable<ModelRequest['toolChoice']> =>
  typeof choice === 'string' ? { type: choice } : { type: 'tool', toolName: choice.name }

function toFormat(format: NonNullable<OptionValues['responseFormat']>): NonNullable<ModelRequest['responseFormat']> {
  if (format.type !== 'json-schema') return { type: format.type }
  return { type: 'json', schema: format.schema, ...(format.name !== undefined && { name: format.name }) }
}
