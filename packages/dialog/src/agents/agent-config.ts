import type { CallOptions } from '@modelport/core'
import { namesOf } from '@modelport/core/settings'
import type { CallLimits } from '../call/limits.js'

/** One agent of a system, as plain data. */
export interface AgentConfig {
  /** A name of the application's models, or `provider:model`. */
  readonly model: string
  /** Path of the system prompt. Default: no instructions. */
  readonly systemPath?: string
  /** The API to use, for a provider with two. Default `completion`. */
  readonly apiType?: 'completion' | 'response'
  /** Limits of this agent, over those of all. */
  readonly limits?: Partial<CallLimits>
  /** Options of this agent's model calls, over those of all. */
  readonly options?: CallOptions
}

/** The names of the settings. */
export const configNames: readonly string[] = namesOf<AgentConfig>({
  model: true,
  systemPath: true,
  apiType: true,
  limits: true,
  options: true,
})
