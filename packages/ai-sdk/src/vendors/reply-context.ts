import type { SharedV4ProviderMetadata } from '@ai-sdk/provider'
import type { ProviderToolCall, ReplyDetails, TokenUsage } from '@modelport/core'
import { toMetadata } from '../own-options.js'
import type { Seal } from '../seal.js'
import { type ClientCall, toClientCall } from './client-calls.js'
import { anyCalls, type ExecutedCall } from './executed-calls.js'
import type { PartOfReply } from './vendor-metadata.js'
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

  /** True for a tool of the vendor that the application has given a name. */
  isDeclared(name: string): boolean {
    return this.nameOf(name) !== name || this.#names.has(name)
  }

  /** The calls that the vendor executed, in the form of its package. */
  executedCalls(calls: readonly ProviderToolCall[]): readonly ExecutedCall[] {
    return (this.#rules?.executedCalls ?? anyCalls)(calls)
  }

  /**
   * The part with what the package of the vendor has of it.
   * @param details those of the reply so far; read only for a vendor that has such metadata
   */
  withItem<Part extends PartOfReply & { readonly providerMetadata?: SharedV4ProviderMetadata }>(
    part: Part,
    details: () => ReplyDetails,
  ): Part {
    const { key, partMetadata } = this.#rules ?? {}
    const fields = key && partMetadata?.(part, details())
    if (!fields) return part
    const ofVendor = { [key]: fields as SharedV4ProviderMetadata[string] }
    return { ...part, providerMetadata: { ...part.providerMetadata, ...ofVendor } }
  }

  /** Metadata of an item of the vendor. */
  itemMetadata(itemId: string | undefined): {
    readonly providerMetadata?: SharedV4ProviderMetadata
  } {
    const { key } = this.#rules ?? {}
    return key && itemId !== undefined ? { providerMetadata: { [key]: { itemId } } } : {}
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
