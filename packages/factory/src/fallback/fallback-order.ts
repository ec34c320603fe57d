import { LlmError } from '@modelport/core'
import type { ModelConfig } from '../config/model-config.js'

/** Depth-first order without repeats: the number of paths can be exponential. */
export function inOrder<T>(first: T, next: (one: T) => readonly T[], onCircle: (path: readonly T[]) => void): T[] {
  const found = new Set<T>()
  const follow = (one: T, path: readonly T[]): void => {
    if (path.includes(one)) onCircle([...path.slice(path.indexOf(one)), one])
    if (found.has(one)) return
    found.add(one)
    for (const other of next(one)) follow(other, [...path, one])
  }
  follow(first, [])
  return [...found]
}

/**
 * A configuration, then its fallbacks and theirs, each once and without fallbacks of its own: the fallbacks of a fallback are asked
 * right after it.
 * @throws {LlmError} `config` — the fallbacks go in a circle, or are not a list.
 */
export function fallbackOrder(model: ModelConfig | string): (ModelConfig | string)[] {
  return inOrder<ModelConfig | string>(model, sparesOf, () => {
    throw new LlmError('config', 'fallback: the fallbacks go in a circle')
  }).map((one) => (typeof one === 'string' ? one : { ...one, fallback: undefined }))
}

/** Skips a model that is not a configuration: `resolveModel` reports it. */
function sparesOf(model: ModelConfig | string): readonly ModelConfig[] {
  const spares: unknown = (model as Partial<ModelConfig> | null)?.fallback ?? []
  if (!Array.isArray(spares)) throw new LlmError('config', 'fallback must be a list of configurations')
  return spares as ModelConfig[]
}
