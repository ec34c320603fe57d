import type { ModelPrices } from './prices.js'

/**
 * What an application knows of a model, given by configuration. Unset means not known: core knows
 * no price, window or ability of any model, and the factory uses those of the catalog only if a
 * configuration asks for them.
 */
export interface ModelProfile {
  /** Name of the provider, for a profile that is kept apart from its configuration. */
  readonly provider?: string | undefined
  /** Name of the model, likewise. */
  readonly model?: string | undefined
  /** Maximum tokens of prompt and reply together. */
  readonly contextWindow?: number | undefined
  /** What its tokens cost. */
  readonly prices?: ModelPrices | undefined
  /**
   * Tool calls in the API's own form. False makes runtimes ask for actions as JSON; unset: they
   * try, and use JSON if the server refuses.
   */
  readonly supportsTools?: boolean | undefined
  /** Streamed replies. */
  readonly supportsStreaming?: boolean | undefined
  /** Replies that follow a JSON schema. */
  readonly supportsJsonSchema?: boolean | undefined
}
