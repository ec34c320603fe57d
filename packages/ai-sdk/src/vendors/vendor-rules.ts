import type { LanguageModelV4CallOptions, LanguageModelV4ProviderTool } from '@ai-sdk/provider'
import { type CallOptions, isObject, type JsonObject, mergeOptions } from '@modelport/core'
import { toSnake } from '@modelport/core/text'
import type { ExecutedCallsOf } from './executed-calls.js'
import type { MetadataOf, responsesPart } from './vendor-metadata.js'

/** A call of the AI SDK. */
export type ModelCall = LanguageModelV4CallOptions

/** Fields of a message, a part or a tool of ours. */
export type Fields = Readonly<Record<string, unknown>>

/** What an option becomes, or the advice of the warning that it is left out. */
export type Rule<To> = (value: unknown, call: ModelCall) => To | string

/** A tool of the vendor in the form of its API. */
export interface WireTool {
  readonly tool: JsonObject
  /** The name that the vendor's replies have for it. */
  readonly name: string
  /** What the request needs besides. */
  readonly options?: CallOptions
}

/** Translates the options of a vendor's AI SDK package for one API. */
export interface VendorRules {
  /** Keys of `providerOptions`. Only the first one that is set is read, as the packages do. */
  readonly namespaces: readonly string[]
  /** The key of the vendor in `providerMetadata`. */
  readonly key: string
  /** The metadata that the package of the vendor makes of a reply. */
  readonly metadata?: MetadataOf
  /** The metadata that the package of the vendor makes of a part. */
  readonly partMetadata?: typeof responsesPart
  /** The calls that the vendor executed, in the form of its package. */
  readonly executedCalls?: ExecutedCallsOf
  /** True if calls of the vendor's tools that the application runs are items of their own. */
  readonly hasClientCalls?: boolean
  /** The rule of an option of a call. */
  readonly call: (name: string, namespace: string) => Rule<CallOptions>
  /** The rule of an option of a function tool. */
  readonly tool: (name: string) => Rule<Fields>
  /** The field of a function tool for examples of its input. Unset: there is none. */
  readonly examples?: (inputs: readonly unknown[]) => Fields
  /** The rule of an option of a part; those of a message are those of its last part. */
  readonly part: (name: string) => Rule<Fields>
  /** The rule of an option of the result of a tool. Default: that of a part. */
  readonly result?: (name: string) => Rule<Fields>
  /** The rule of an option of a message, ahead of that of its last part. */
  readonly message?: (name: string) => Rule<Fields> | undefined
  /** A tool that the vendor defines. Undefined: this API does not have it. */
  readonly providerTool: (tool: LanguageModelV4ProviderTool) => WireTool | undefined
  /** The fields that make the model call a tool of the vendor's. */
  readonly choose?: (tool: JsonObject) => JsonObject
  /** The field of a penalty. Unset: there is none. */
  readonly penalty?: (name: 'presencePenalty' | 'frequencyPenalty', value: number) => CallOptions
  /** What a call needs besides its options, which override it. */
  readonly besides?: (call: ModelCall, options: CallOptions) => CallOptions
  /** Files that the vendor fetches itself, by media type. */
  readonly supportedUrls: Readonly<Record<string, RegExp[]>>
}

/** Rules by name, and one for every other option. */
export const rulesOf =
  <To>(rules: Readonly<Record<string, Rule<To>>>, rest: (name: string) => Rule<To>) =>
  (name: string): Rule<To> =>
    Object.hasOwn(rules, name) ? (rules[name] as Rule<To>) : rest(name)

/** Fields of the request, as options of a call. */
export const vendor = (fields: JsonObject): CallOptions => ({ vendor: fields })

/** The value with its own keys, and those within it, in snake case. */
export function toSnakeDeep(value: unknown, verbatim: readonly string[] = []): unknown {
  if (Array.isArray(value)) return value.map((one) => toSnakeDeep(one, verbatim))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== null && inner !== undefined)
      .map(([name, inner]) => [
        toSnake(name),
        verbatim.includes(name) ? inner : toSnakeDeep(inner, verbatim),
      ]),
  )
}

/** Lists of `vendor` that add up. Every other field replaces the one before. */
const joined = ['input', 'include', 'betas'] as const

/** Merges options from left to right as `mergeOptions` does, and concatenates those lists. */
export function joinOptions(...given: readonly CallOptions[]): CallOptions {
  const merged = mergeOptions(...given)
  const lists = joined.flatMap((name) => {
    const all = given.flatMap((one) => (one.vendor?.[name] ?? []) as readonly unknown[])
    return all.length ? [[name, all] as const] : []
  })
  return lists.length
    ? { ...merged, vendor: { ...merged.vendor, ...Object.fromEntries(lists) } }
    : merged
}

/** The id of a file at a vendor. */
export const idOf = (reference: unknown, origin: string): unknown =>
  isObject(reference) ? reference[origin] : reference

/** Marks of a prompt cache, as options of a part or a tool. */
export const toCache: Rule<Fields> = (value) => ({
  cache: isObject(value) && value['ttl'] === '1h' ? 'hour' : 'auto',
})

/** Advice for a field of the request that no object of ours has. */
export const ofCall = 'set the field of the vendor in `providerOptions.modelport.vendor`'
