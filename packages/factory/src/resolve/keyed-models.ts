import { fallbackOrder } from '../config/fallback-order.js'
import type { ModelConfig } from '../config/model-config.js'
import { MissingKeyError, resolveApiKey } from './api-key.js'
import { apiHost } from './hosts.js'
import { type FactoryContext, resolveModel } from './resolve.js'

/** The models of a configuration that can be asked, in order. */
export interface KeyedModels {
  readonly models: readonly (ModelConfig | string)[]
  /** For the application: which models are left out, and which one gets their prompts. */
  readonly warning?: string
}

/**
 * The models of a configuration, in the order they are asked. With `missingKey: 'next'`, models
 * without their key are left out, unless none has one.
 * @throws {LlmError} `config`, `invalid-base-url` — the fallbacks form a cycle, or `missingKey` is
 * set and a model cannot be read.
 */
export function keyedModels(
  config: ModelConfig | string,
  context: FactoryContext = {},
): KeyedModels {
  const models = fallbackOrder(config)
  const { missingKey } = (config as Partial<ModelConfig> | null)?.fallbackOptions ?? {}
  if (missingKey !== 'next') return { models }

  const missing = new Map(models.map((model) => [model, missingKeyOf(model, context)]))
  const withKey = models.filter((model) => missing.get(model) === undefined)
  if (withKey.length === models.length) return { models }

  const [first] = models
  const [next] = withKey
  if (next === undefined || first === undefined) return { models }

  const reasons = [...missing.values()].filter((reason) => reason !== undefined)
  const place = (model: ModelConfig | string): string =>
    apiHost(model, context) || resolveModel(model, context).row.name
  const effect =
    next === first
      ? 'it is no longer a fallback'
      : `prompts go to ${place(next)} in place of ${place(first)}`
  return { models: withKey, warning: `${reasons.join('; ')}; ${effect}` }
}

/** Why a model has no key; undefined if it has one, or needs none. */
export function missingKeyOf(
  model: ModelConfig | string,
  context: FactoryContext,
): string | undefined {
  const resolved = resolveModel(model, context)
  if (resolved.row.offline) return undefined
  try {
    resolveApiKey(resolved, context)
    return undefined
  } catch (error) {
    if (error instanceof MissingKeyError) return error.message
    throw error
  }
}
