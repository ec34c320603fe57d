import { configError } from '@modelport/core'
import { inOrder } from '../base/in-order.js'
import type { ModelConfig } from './model-config.js'

/**
 * A configuration, then its fallbacks and their fallbacks, each once and without its own list: the
 * fallbacks of a fallback are asked right after it.
 * @throws {LlmError} `config` — the fallbacks form a cycle, or are not a list.
 */
export function fallbackOrder(model: ModelConfig | string): (ModelConfig | string)[] {
  return inOrder<ModelConfig | string>(model, sparesOf, () => {
    throw configError('fallback: the fallbacks form a cycle; remove one of them')
  }).map((one) => (typeof one === 'string' ? one : { ...one, fallback: undefined }))
}

/** Skips a model that is not a configuration: `resolveModel` reports it. */
function sparesOf(model: ModelConfig | string): readonly ModelConfig[] {
  const spares: unknown = (model as Partial<ModelConfig> | null)?.fallback ?? []
  if (!Array.isArray(spares)) throw configError('fallback must be a list of configurations')
  return spares as ModelConfig[]
}
