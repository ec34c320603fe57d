import type {
  JSONObject,
  SharedV4ProviderMetadata,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider'
import type { JsonObject } from '@modelport/core'

/**
 * The name under which `providerOptions` and `providerMetadata` of the AI SDK have what is ours.
 */
const key = 'modelport'

/** Marks a model that `toLanguageModel` made of a provider: it takes all our options. */
export const ours: unique symbol = Symbol.for('modelport.model')

/** Our options of a call, a message, a part or a tool. */
export const ownOptions = (given: SharedV4ProviderOptions | undefined): JsonObject =>
  given?.[key] ?? {}

/** Our options without those of other vendors; nothing at all if there are none of ours. */
export const toOwnOptions = (
  given: SharedV4ProviderOptions | undefined,
): { readonly providerOptions?: SharedV4ProviderOptions } =>
  given?.[key] ? { providerOptions: { [key]: given[key] } } : {}

/** Our metadata; nothing at all if there are no fields. */
export const toMetadata = (
  fields: object,
): { readonly providerMetadata?: SharedV4ProviderMetadata } =>
  Object.keys(fields).length ? { providerMetadata: { [key]: fields as JSONObject } } : {}
