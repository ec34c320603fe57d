import type { SharedV4ProviderMetadata } from '@ai-sdk/provider'
import type { ProviderToolCall, ReplyDetails, TokenUsage } from '@modelport/core'
import { toMetadata } from '../own-options.js'
import type { Seal } from '../seal.js'
import { type ClientCall, toClientCall } from './client-calls.js'
import type { VendorRules } from './vendor-rules.js'

/** What the parts of a reply depend on besides the reply. */
export class ReplyContext {
  readonly seal: Seal
  readonly #names: ReadonlyMap<string, string>
  readonly #rules: VendorRules | undefined

  constructor(seal: Seal, names: ReadonlyMap<string, string>, rules: VendorRules | undefined) {
    this.seal = seal
    this.#names = names
    this.#rules = rules
  }

  /** The application's name of a tool, by that of the reply. */
  nameOf(name: string): string {
    const base = name.replace(/_call$/, '')
    return (
      this.#names.get(name) ??
      this.#names.get(base) ??
      // Both tools of the web report the same.
      this.#names.get(`${base}_preview`) ??
      name
    )
  }

  /** The call, if the application has to run it. */
  clientCall({ data }: ProviderToolCall): ClientCall | undefined {
    const call = this.#rules?.hasClientCalls ? toClientCall(data) : undefined
    return call && this.#names.has(call.name) ? call : undefined
  }

  /** Ours, and what the package of the vendor has under its key. */
  metadata(
    details: ReplyDetails,
    usage: TokenUsage,
  ): { readonly providerMetadata?: SharedV4ProviderMetadata } {
    const { providerMetadata } = toMetadata(details)
    const { key, metadata } = this.#rules ?? {}
    const fields = key && metadata?.(details, usage)
    return fields
      ? {
          providerMetadata: {
            ...providerMetadata,
            [key]: fields as SharedV4ProviderMetadata[string],
          },
        }
      : { ...(providerMetadata && { providerMetadata }) }
  }
}
