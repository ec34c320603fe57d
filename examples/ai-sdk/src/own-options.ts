import type { JSONObject, SharedV4ProviderOptions } from '@ai-sdk/provider'
import { isObject, type JsonObject, type MessageOrigin } from '@modelport/core'

/** The name under which `providerOptions` and `providerMetadata` of the AI SDK have what is ours. */
const key = 'modelport'

/** Marks a model that is made of a provider: it takes all our options. */
export const ours: unique symbol = Symbol.for('modelport.model')

type ProviderOptions = Readonly<Record<string, JSONObject | undefined>> | undefined

/** What one part of each reply carries, so that the next request can replay the reply as its model wrote it. */
export interface CarriedReply {
  readonly origin?: MessageOrigin
  readonly refusal?: string
}

/** Our options of a call, a message, a part or a tool. */
export const ownOptions = (given: ProviderOptions): JsonObject => given?.[key] ?? {}

/** Those of our options that have one of the names: fields of a type of core. */
export const pickOptions = <Name extends string>(given: ProviderOptions, ...names: readonly Name[]): Picked<Name> =>
  Object.fromEntries(Object.entries(ownOptions(given)).filter(([name]) => names.includes(name as Name))) as Picked<Name>

type Picked<Name extends string> = Readonly<Partial<Record<Name, never>>>

/** Writes what an object has for its vendor, and those of its fields that only modelport has, as `providerOptions`. */
export type Hints = (
  object: { readonly vendor?: unknown },
  ...names: readonly string[]
) => { providerOptions?: SharedV4ProviderOptions }

/** Our metadata. Fields that are undefined are left out; nothing at all if there are no others. */
export function toMetadata(fields: object): { readonly providerMetadata?: Record<string, JSONObject> } {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined)
  return given.length
    ? { providerMetadata: { [key]: Object.fromEntries<JSONObject[string]>(given as [string, JSONObject[string]][]) } }
    : {}
}

/** Adds fields to the metadata of a part. */
export function addMetadata<Part extends { readonly providerMetadata?: ProviderOptions }>(
  part: Part,
  fields: object,
): Part {
  return { ...part, ...toMetadata({ ...ownOptions(part.providerMetadata), ...fields }) }
}

/** What a part carries of its reply. */
export function carriedBy(given: ProviderOptions): CarriedReply | undefined {
  const { reply } = ownOptions(given)
  return isObject(reply) ? reply : undefined
}
