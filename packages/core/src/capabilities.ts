import type { JsonObject } from './tool.js'

/** Whether something is supported, and where that is written. */
export interface Capability {
  /**
   * `by-model` if the API can express it and the model decides: a {@link ModelProfile} may settle
   * it. Undefined if the vendor says nothing.
   */
  readonly supported: boolean | 'by-model' | undefined
  /** Where it is written or how it was found: an address, or the name of the test that shows it. */
  readonly source: string
}

/**
 * What a provider supports, as data. A call that asks for something the API cannot express rejects
 * `unsupported`.
 */
export interface Capabilities {
  /**
   * Tool calls in the API's own form. Without them, ask the model to write a tool call as JSON
   * text.
   */
  readonly tools: Capability
  /** Several tool calls in one turn. */
  readonly parallelTools: Capability
  /** Images in user messages. */
  readonly images: Capability
  /**
   * Replies held to a JSON schema. `withTools` is true if the vendor does so in calls that offer
   * tools too; default false.
   */
  readonly schema: Capability & { readonly withTools?: boolean }
  /** Probabilities of tokens. */
  readonly logprobs: Capability
  /** Reasoning that can be seen or steered. */
  readonly reasoning: Capability
  /** Smallest `maxTokens` that the API takes. Default 1. */
  readonly fewestTokens?: number
  /** An embedder for the same configuration. */
  readonly embeddings: Capability
  /** A file store for the same configuration. Unset: there is none. */
  readonly files?: Capability
  /** Tools that the vendor runs itself, each in the vendor's own form. Unset: none is known. */
  readonly providerTools?: ProviderToolForms
  /**
   * Fields of `CallOptions.vendor` that restrict the whole reply to one of several texts. The
   * string `{choices}` is replaced by the list of texts, `{grammar}` by a grammar for them in GBNF
   * notation. Unset: none are known.
   */
  readonly choices?: JsonObject
}

/**
 * Vendor tools in the form of `CallOptions.providerTools`. The string `{width}` is replaced by the
 * setting of that name; a field whose setting is unset is left out.
 */
export interface ProviderToolForms {
  /** Search of the web. */
  readonly webSearch?: JsonObject
  /** Control of a screen: `{width}`, `{height}`, `{environment}`. */
  readonly computerUse?: JsonObject
  /**
   * MCP server that the vendor calls: `{label}`, `{url}`, `{requireApproval}` (`never` or
   * `always`), `{allowedTools}`.
   */
  readonly mcp?: JsonObject
}
