/**
 * What an application knows of a model, given by configuration. Unset means not known: core has no price, window or ability of any
 * model, and the factory uses those of the catalog only where a configuration asks for them.
 */
export interface ModelProfile {
  /** Name of the provider, for a profile that is kept apart from its configuration. */
  readonly provider?: string
  /** Name of the model, likewise. */
  readonly model?: string
  /** Most tokens of prompt and answer together. */
  readonly contextWindow?: number
  /** Price of a million tokens of the prompt. */
  readonly inputCostPerMillion?: number
  /** Price of a million generated tokens. */
  readonly outputCostPerMillion?: number
  /** Of both prices. Default `USD`. */
  readonly currency?: string
  /** Tool calls in the API's own form. */
  readonly supportsTools?: boolean
  /** Answers piece by piece. */
  readonly supportsStreaming?: boolean
  /** Answers held to a JSON schema. */
  readonly supportsJsonSchema?: boolean
}
