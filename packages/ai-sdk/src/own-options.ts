import type {
  JSONObject,
  SharedV4ProviderMetadata,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider'
import type { JsonObject } from '@modelport/core'
import { defined } from '@modelport/driver'

/**
 * The name under which `providerOptions` and `providerMetadata` of the AI SDK have what is ours.
 */
const key = 'modelport'

/** Marks a model that `toLanguageModel` made of a provider: it takes all our options. */
export const ours: unique symbol = Symbol.for('modelport.model')

/** Our options of a call, a message, a part or a tool. */
export const ownOptions = (given: SharedV4ProviderOptions | undefined): JsonObject =>
  given?.[key] ?? {}

/** Those of our options that have one of the names: fields of a type of core. */
export const pickOptions = <Name extends string>(
  given: SharedV4ProviderOptions | undefined,
  ...names: readonly Name[]
): Partial<Record<Name, never>> =>
  defined(Object.fromEntries(names.map((name) => [name, ownOptions(given)[name]]))) as Partial<
    Record<Name, never>
  >

/** Our metadata. Fields that are undefined are left out; nothing at all if there are no others. */
export function toMetadata(fields: object): {
  readonly providerMetadata?: SharedV4ProviderMetadata
} {
  const given = defined(fields) as JSONObject
  return Object.keys(given).length ? { providerMetadata: { [key]: given } } : {}
}

/** Our options without those of other vendors; nothing at all if there are none of ours. */
export const toOwnOptions = (
  given: SharedV4ProviderOptions | undefined,
): { readonly providerOptions?: SharedV4ProviderOptions } =>
  given?.[key] ? { providerOptions: { [key]: given[key] } } : {}
