import type {
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider'
import type { CallOptions, JsonObject } from '@modelport/core'
import { ownOptions } from '../own-options.js'
import {
  type Fields,
  joinOptions,
  type ModelCall,
  type Rule,
  type VendorRules,
} from './vendor-rules.js'

/** A call whose options of the vendor have become ours. */
export interface TranslatedCall {
  readonly call: ModelCall
  /** What the options of the call say, and what the request needs with its tools. */
  readonly options: CallOptions
  /** Tools of the vendor, in the form of its API. */
  readonly providerTools: readonly JsonObject[]
  /** The application's names of the vendor's tools, by the names in replies. */
  readonly names: ReadonlyMap<string, string>
  /** Options that no request can carry, with advice. */
  readonly lost: ReadonlyMap<string, string>
}

/**
 * Reads the options that are meant for the package of the vendor that is asked: those of the call
 * become options of ours, those of tools, messages and parts become their `modelport` options,
 * under what the application wrote there. Options of other vendors stay where they are.
 */
export function translateCall(call: ModelCall, rules: VendorRules): TranslatedCall {
  const translator = new Translator(rules, call)
  const { namespace, fields } = translator.read(call.providerOptions)
  const options = translator.say(call.providerOptions, (name) => rules.call(name, namespace))
  const { tools, ...known } = readTools(call, translator)
  const { penalty } = rules
  const penalties = (['presencePenalty', 'frequencyPenalty'] as const).flatMap((name) => {
    const { [name]: value } = call
    return penalty && value !== undefined ? [{ name, options: penalty(name, value) }] : []
  })
  const besides = rules.besides?.(call, options) ?? {}
  return {
    call: {
      ...call,
      ...Object.fromEntries(penalties.map(({ name }) => [name, undefined])),
      ...(Object.keys(fields).length && {
        providerOptions: without(call.providerOptions, namespace),
      }),
      tools,
      prompt: call.prompt.map((message) => translator.message(message)),
      ...(known.chosen && { toolChoice: { type: 'auto' } }),
    },
    options: joinOptions(besides, ...penalties.map((one) => one.options), options, ...known.needed),
    providerTools: known.providerTools,
    names: known.names,
    lost: translator.lost,
  }
}

/** The tools of a call: functions, and those of the vendor in the form of its API. */
function readTools({ tools = [], toolChoice }: ModelCall, translator: Translator) {
  const { rules } = translator
  const names = new Map<string, string>()
  const providerTools: JsonObject[] = []
  const needed: CallOptions[] = []
  let chosen: JsonObject | undefined
  const left = tools.flatMap((tool): NonNullable<ModelCall['tools']> => {
    if (tool.type === 'function') return [translator.tool(tool)]
    const known = rules.providerTool(tool)
    if (!known) return [tool]
    providerTools.push(known.tool)
    names.set(known.name, tool.name)
    if (known.options) needed.push(known.options)
    if (toolChoice?.type === 'tool' && toolChoice.toolName === tool.name)
      chosen = rules.choose?.(known.tool)
    return []
  })
  if (chosen) needed.push({ vendor: chosen })
  return { tools: left, providerTools, names, needed, chosen }
}

const without = (
  given: SharedV4ProviderOptions | undefined,
  namespace: string,
): SharedV4ProviderOptions =>
  Object.fromEntries(Object.entries(given ?? {}).filter(([name]) => name !== namespace))

/** The options of others, with those of this vendor that are left. */
const ownAnd = (
  given: SharedV4ProviderOptions | undefined,
  namespace: string,
  left: readonly (readonly [string, unknown])[],
): SharedV4ProviderOptions =>
  ({
    ...without(given, namespace),
    ...(left.length && { [namespace]: Object.fromEntries(left) }),
  }) as SharedV4ProviderOptions

class Translator {
  readonly rules: VendorRules
  /** Options that no request can carry, with advice. */
  readonly lost = new Map<string, string>()
  readonly #call: ModelCall

  constructor(rules: VendorRules, call: ModelCall) {
    this.rules = rules
    this.#call = call
  }

  /** The options under the first key that is read, as the packages do. */
  read(given: SharedV4ProviderOptions | undefined): {
    readonly namespace: string
    readonly fields: Fields
  } {
    const namespace = this.rules.namespaces.find((name) => given?.[name]) ?? ''
    const fields = Object.entries(given?.[namespace] ?? {}).filter(
      ([, value]) => value !== null && value !== undefined,
    )
    return { namespace, fields: Object.fromEntries(fields) }
  }

  /** What the rules make of the options. */
  say<To>(given: SharedV4ProviderOptions | undefined, ruleOf: (name: string) => Rule<To>): To {
    const { namespace, fields } = this.read(given)
    const said = Object.entries(fields).flatMap(([name, value]) => {
      const outcome = ruleOf(name)(value, this.#call)
      if (typeof outcome !== 'string') return [outcome as CallOptions]
      this.lost.set(`providerOptions.${namespace}.${name}`, outcome)
      return []
    })
    return joinOptions(...said) as To
  }

  tool(tool: LanguageModelV4FunctionTool): LanguageModelV4FunctionTool {
    const { inputExamples = [], ...rest } = tool
    const { examples } = this.rules
    if (!examples || !inputExamples.length) return this.#translated(tool, this.rules.tool)
    const translated = this.#translated(rest, this.rules.tool)
    const { providerOptions } = translated
    const given = examples(inputExamples.map(({ input }) => input))
    const modelport = joinOptions(given, ownOptions(providerOptions))
    return {
      ...translated,
      providerOptions: { ...providerOptions, modelport } as SharedV4ProviderOptions,
    }
  }

  /**
   * A message. An option that no message of ours has is of its last part, as for the packages. What
   * vendors keep with the parts of a reply stays: ours are sealed, and kept elsewhere.
   */
  message(message: LanguageModelV4Message): LanguageModelV4Message {
    const { rules } = this
    if (message.role === 'assistant') return message
    const { namespace, fields } = this.read(message.providerOptions)
    const ofMessage = Object.entries(fields).filter(([name]) => rules.message?.(name))
    const ofPart = Object.entries(fields).filter(([name]) => !rules.message?.(name))
    if (message.role === 'system') {
      const given = { [namespace]: Object.fromEntries(ofPart) } as SharedV4ProviderOptions
      const ofText = ofPart.length ? this.say(given, rules.part) : {}
      const translated = this.#translated(
        { ...message, providerOptions: ownAnd(message.providerOptions, namespace, ofMessage) },
        (name) => rules.message?.(name) ?? rules.part(name),
      )
      if (!ofPart.length) return translated
      const { providerOptions } = translated
      const modelport = { ...ownOptions(providerOptions), ofText }
      return {
        ...translated,
        providerOptions: { ...providerOptions, modelport } as SharedV4ProviderOptions,
      }
    }

    const own = ownAnd(message.providerOptions, namespace, ofMessage)
    const last = message.content.length - 1
    const content = message.content.map((part, index) => {
      if (part.type === 'tool-approval-response') return part
      const inherited = index === last && ofPart.length ? Object.fromEntries(ofPart) : undefined
      const given = part.providerOptions?.[namespace]
      const providerOptions = {
        ...part.providerOptions,
        ...(inherited && { [namespace]: { ...inherited, ...given } }),
      } as SharedV4ProviderOptions
      return this.#translated(
        { ...part, providerOptions },
        part.type === 'tool-result' ? (rules.result ?? rules.part) : rules.part,
      )
    })
    const translated = this.#translated(
      { ...message, providerOptions: own },
      (name) => rules.message?.(name) ?? rules.part(name),
    )
    return { ...translated, content } as LanguageModelV4Message
  }

  /** The same with the options of the vendor as ours. */
  #translated<Holder extends { providerOptions?: SharedV4ProviderOptions }>(
    holder: Holder,
    ruleOf: (name: string) => Rule<Fields>,
  ): Holder {
    const { providerOptions: given, ...rest } = holder
    if (!given || !Object.keys(given).length) return rest as Holder
    const { namespace, fields } = this.read(given)
    if (!Object.keys(fields).length) return holder
    const own = joinOptions(this.say(given, ruleOf), ownOptions(given))
    const providerOptions = {
      ...without(given, namespace),
      ...(Object.keys(own).length && { modelport: own }),
    }
    return { ...rest, providerOptions } as Holder
  }
}
