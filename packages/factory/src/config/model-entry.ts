import { configError } from '@modelport/core'
import { inOrder } from '../base/in-order.js'
import type { ModelConfig } from './model-config.js'

/** A model of the pool: a configuration with a name. */
export interface ModelEntry extends Omit<ModelConfig, 'fallback'> {
  /** The name that roles and fallbacks use. */
  readonly name: string
  /** The purpose of the model in words, for people and for models that choose models. */
  readonly purpose?: string | undefined
  /** Names of models to ask, in order, when this one fails before its reply begins. */
  readonly fallback?: readonly string[] | undefined
}

/** A pool of models, and who uses which. */
export interface ModelPool {
  /** The models that roles and fallbacks name. */
  readonly models: readonly ModelEntry[]
  /** Role → name of a model. */
  readonly roles: Readonly<Record<string, string>>
}

/**
 * The configuration of a model of a pool, with every model that it falls back to, in the order they
 * are asked.
 * @throws {LlmError} `config` — the fallbacks form a cycle; and the errors of `entryOf` for an
 * unknown name.
 */
export function poolConfig(name: string, entryOf: (name: string) => ModelEntry): ModelConfig {
  const names = inOrder(
    name,
    (one) => entryOf(one).fallback ?? [],
    (path) => {
      throw configError(`model "${name}": the fallbacks form a cycle: ${path.join(' → ')}`)
    },
  )
  const fallback = names.slice(1).map((one) => withoutName(entryOf(one)))
  return { ...withoutName(entryOf(name)), ...(fallback.length && { fallback }) }
}

const withoutName = ({
  name: _name,
  purpose: _purpose,
  fallback: _fallback,
  ...config
}: ModelEntry): ModelConfig => config
