import { configError, LlmError } from '@modelport/core'
import { defined, type Turn } from '@modelport/driver'
import { asksToThink } from './reasoning.js'
import type { ModelTraits } from './traits.js'
import type { WireRequest } from './wire.js'

/** Temperature of the API when none is sent. */
const ownTemperature = 1

/**
 * How tokens are chosen.
 * @throws {LlmError} `config` — temperature above 1; `unsupported` — the model, or its thinking,
 * does not allow the value.
 * @see https://platform.claude.com/docs/en/api/messages (read 2026-11-21)
 */
export function toSampling(
  turn: Turn,
  traits: ModelTraits,
  thinks: boolean,
): Pick<WireRequest, 'temperature' | 'top_p' | 'top_k'> {
  const { temperature, topP, topK } = turn.options
  if (temperature !== undefined && temperature > 1)
    throw configError(`temperature must be between 0 and 1, not ${temperature}`)

  const isFixed = traits.sampling === 'refused'
  if (!isFixed && !thinks) return defined({ temperature, top_p: topP, top_k: topK })

  const refuse = (option: string): never => {
    const why = isFixed ? `${turn.model} does not take it` : 'it cannot be combined with reasoning'
    throw new LlmError('unsupported', `${option}: ${why}; leave it unset`)
  }
  if (temperature !== undefined && temperature !== ownTemperature) refuse('temperature')
  if (topK !== undefined) refuse('topK')
  if (topP === undefined) return {}

  // A model that thinks takes `top_p` from 0.95 on.
  if (isFixed || topP < 0.95) refuse('topP')
  return { top_p: topP }
}

/**
 * The temperature of `defaults: 'reference'` is sent only where the model takes one and nothing
 * contradicts it: newer models refuse it together with `top_p`.
 */
export const takesTemperature = (turn: Turn, traits: ModelTraits): boolean =>
  traits.sampling === 'accepted' && turn.options.topP === undefined && !asksToThink(turn, traits)
