import type { ModelConfig } from './model-config.js'

/** A model of the pool: a configuration with a name. */
export interface ModelEntry extends Omit<ModelConfig, 'fallback'> {
  /** What roles and fallbacks call it. */
  readonly name: string
  /** What it is good for, in words; for people, and for models that choose models. */
  readonly purpose?: string | undefined
  /** Names of models to ask, in order, when this one fails before its answer begins. */
  readonly fallback?: readonly string[] | undefined
}

/** A pool of models, and who uses which. */
export interface ModelPool {
  /** The models that roles and fallbacks name. */
  readonly models: readonly ModelEntry[]
  /** Role → name of a model. */
  readonly roles: Readonly<Record<string, string>>
}
