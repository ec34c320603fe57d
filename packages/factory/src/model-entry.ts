import type { ModelConfig } from './model-config.js'

/** What a model can do and costs, as its user states it. */
export interface ModelProfile {
  /** Tokens of prompt and answer together. */
  readonly contextWindow?: number
  /** Price of a million tokens of prompt. */
  readonly inputCostPerMillion?: number
  /** Price of a million tokens of answer. */
  readonly outputCostPerMillion?: number
  /** Currency of the prices. */
  readonly currency?: string
  readonly supportsTools?: boolean
  readonly supportsStreaming?: boolean
  readonly supportsJsonSchema?: boolean
  /** Name of the tokenizer, for whoever counts tokens by it. */
  readonly tokenizer?: string
  /** Whose model it is, where the provider is a gateway. */
  readonly provider?: string
  /** The model's own name, where the provider's is another. */
  readonly model?: string
}

/** A model of the pool: a configuration with a name. */
export interface ModelEntry extends Omit<ModelConfig, 'fallback'> {
  /** What roles and fallbacks call it. */
  readonly name: string
  /** What it is good for, in words; for people, and for models that choose models. */
  readonly purpose?: string | undefined
  readonly profile?: ModelProfile | undefined
  /** Names of models to ask, in order, when this one fails before its answer begins. */
  readonly fallback?: readonly string[] | undefined
}

/** A pool of models, and who uses which. */
export interface ModelPool {
  readonly models: readonly ModelEntry[]
  /** Role → name of a model. */
  readonly roles: Readonly<Record<string, string>>
}
