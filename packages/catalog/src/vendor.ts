import type { ChatDialect } from '@modelport/chat-completions'
import type { Capabilities, Capability, JsonObject, ModelPrices } from '@modelport/core'

/**
 * What a page states about one model, and the day that page was read. Prices change, so an
 * application asks for them and can replace them.
 */
export interface ModelFacts {
  /** What to give as `model`. */
  readonly id: string
  /** Largest number of tokens of prompt and reply together. */
  readonly contextWindow?: number
  /** What its tokens cost, in US dollars. A price that the page does not state is unset. */
  readonly prices?: ModelPrices
  /** Page that states these facts. */
  readonly source: string
  /** Day on which the page was read, `YYYY-MM-DD`. */
  readonly date: string
}

/** A claim about an ability: what is supported, and where that is stated. */
export type CapabilityClaim = readonly [supported: Capability['supported'], source: string]

/** One vendor or kind of server, as data. */
export interface Vendor {
  /** Name in configurations, and of its providers. */
  readonly name: string
  /** Name as the vendor writes it. */
  readonly title: string
  /** The npm package of its provider. Unset for a {@link ChatVendor}, which shares one. */
  readonly package?: string
  /**
   * The least that a configuration says besides `provider`, `model` and a key, with made-up names
   * in it. Default: nothing.
   */
  readonly minimal?: JsonObject
  /** Other names in configurations. */
  readonly aliases?: readonly string[]
  /**
   * Root of the API. Unset where it depends on the configuration, or where no connection is opened.
   */
  readonly baseUrl?: string
  /** Further addresses of the vendor that its key variables are meant for. */
  readonly keyOrigins?: readonly string[]
  /** Environment variables that replace `baseUrl`, in order. */
  readonly baseUrlVariables?: readonly string[]
  /** Environment variables that hold the key, in order. */
  readonly keyVariables: readonly string[]
  /** Whether a call to the vendor's own address needs a key. */
  readonly needsKey: boolean
  /** True for a server that users run themselves. */
  readonly selfHosted?: boolean
  /** Page where users get a key. */
  readonly keyUrl?: string
  /** Default model. Unset: the configuration must name one. */
  readonly model?: string
  /** Default model for delegated work. Unset: the model itself. */
  readonly cheapestModel?: string
  /** Default model for embeddings. */
  readonly embeddingModel?: string
  /** Smallest `maxTokens` that every model accepts. Default 5. */
  readonly fewestTokens?: number
  /** Day on which the vendor closed the service; only another `baseUrl` makes it work. */
  readonly retired?: string
  /** Name of the vendor in the list of `@pydantic/genai-prices`. Unset: it has no prices there. */
  readonly priceList?: string
  /** Page that describes the API. */
  readonly docs: string
}

/** What a server of Chat Completions does differently from most. */
export interface ChatQuirks extends Partial<Omit<ChatDialect, 'provider'>> {
  /**
   * Path between the base URL and `/chat/completions`. Default: none after a version segment, else
   * `/v1`.
   */
  readonly apiPath?: string
  /**
   * True if a 429 that names a quota means the quota of this minute. Default: the account's, which
   * waiting does not restore.
   */
  readonly quotaRecovers?: boolean
  /** Whose endpoints count tokens. Default: none, tokens are estimated. */
  readonly tokenizer?: 'llama.cpp' | 'vllm'
}

/** A vendor or server that speaks Chat Completions. */
export interface ChatVendor extends Vendor {
  readonly baseUrl: string
  /** The key to send if there is none. */
  readonly fallbackKey?: string
  /**
   * True if all its models have the API's own tool calls. False where it depends on the model: a
   * `profile` with `supportsTools` then says whether this one has them.
   */
  readonly nativeTools: boolean
  /** Where the server differs from the usual dialect. */
  readonly quirks: ChatQuirks
  /** Waits that differ from the usual, in milliseconds. */
  readonly timeouts?: {
    readonly headersMs: number
    readonly idleMs: number
    readonly semanticIdleMs: number
  }
  /** What is known of its abilities beyond the quirks. */
  readonly claims?: Readonly<Partial<Record<keyof Capabilities, CapabilityClaim>>>
  /**
   * Vendor fields that hold a reply to one of several texts; see `Capabilities.choices`. Default:
   * none.
   */
  readonly choices?: JsonObject
}
