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
  const refuse = (what: string): never => {
    const why =
      traits.sampling === 'refused'
        ? `${turn.model} does not take it`
        : 'it cannot be combined with reasoning'
    throw new LlmError('unsupported', `${what}: ${why}; leave it unset`)
  }
  const refused = traits.sampling === 'refused'
  if (refused || thinks) {
    if (temperature !== undefined && temperature !== ownTemperature) refuse('temperature')
    if (topK !== undefined) refuse('topK')
    if (topP !== undefined && (refused || topP < 0.95)) refuse('topP')
    return topP === undefined || refused ? {} : { top_p: topP }
  }
  return defined({ temperature, top_p: topP, top_k: topK })
}

/**
 * The temperature of `defaults: 'reference'` is sent only where the model takes one and nothing
 * contradicts it: newer models refuse it together with `top_p`.
 */
export const takesTemperature = (turn: Turn, traits: ModelTraits): boolean =>
  traits.sampling === 'accepted' && turn.options.topP === undefined && !asksToThink(turn, traits)
