import type { JsonObject } from './tool.js'

/** Whether something can be done, and who says so. */
export interface Capability {
  /** `by-model` where the API can say it and the model decides: a {@link ModelProfile} may settle it. Undefined where the vendor says nothing. */
  readonly supported: boolean | 'by-model' | undefined
  /** Where it is written or how it was found: an address, or the name of the test that shows it. */
  readonly source: string
}

/** What can be asked of a provider, as data. A call that asks for more is refused with `unsupported` where the API has no word for it. */
export interface Capabilities {
  /** Tool calls in the API's own form. Where there are none, a tool call is to be asked for as JSON. */
  readonly tools: Capability
  /** Several tool calls in one turn. */
  readonly parallelTools: Capability
  /** Images in user messages. */
  readonly images: Capability
  /** Replies held to a JSON schema. `withTools` is true if the vendor does so in calls that offer tools too; default false. */
  readonly schema: Capability & { readonly withTools?: boolean }
  /** Probabilities of tokens. */
  readonly logprobs: Capability
  /** Reasoning that can be seen or steered. */
  readonly reasoning: Capability
  /** An embedder for the same configuration. */
  readonly embeddings: Capability
  /** Tools that the vendor runs itself, each in the vendor's own form. Unset: none is known. */
  readonly providerTools?: ProviderToolForms
  /**
   * Fields of `CallOptions.vendor` that hold a whole reply to one of several texts. A text that is nothing but `{choices}` stands for
   * the list of texts, `{grammar}` for the same as a grammar in GBNF notation. Unset: none are known.
   */
  readonly choices?: JsonObject
}

/**
 * Vendor tools in the form of `CallOptions.providerTools`. A text that is nothing but `{width}` stands for the setting of that name; a field whose setting is unset
 * is left out.
 */
export interface ProviderToolForms {
  /** Search of the web. */
  readonly webSearch?: JsonObject
  /** Control of a screen: `{width}`, `{height}`, `{environment}`. */
  readonly computerUse?: JsonObject
  /** MCP server that the vendor calls: `{label}`, `{url}`, `{requireApproval}` (`never` or `always`), `{allowedTools}`. */
  readonly mcp?: JsonObject
}
