import type { CallOptions } from '@modelport/core'
import type { CallLimits } from '../call/limits.js'
import type { AgentConfig } from './agent-config.js'

/**
 * One agent with the names in snake_case that files of agents have. Settings without such a name
 * stand under `limits` and `options`.
 */
export interface AgentEntry {
  /** A name of the application's models, or `provider:model`. */
  readonly model_name: string
  /** Path of the system prompt. */
  readonly system_prompt_path?: string
  /** The API to use, for a provider with two. */
  readonly api_type?: 'completion' | 'response'
  /** `limits.maxParseRetries` */
  readonly max_exception_retry?: number
  /** `limits.maxToolRounds`; 0 stands for 100 rounds here. */
  readonly max_interrupt_times?: number
  /** The newer name of `max_interrupt_times`. */
  readonly max_interrupt_steps?: number
  /** `limits.maxRecalls` */
  readonly max_llm_recall?: number
  /** `options.maxTokens` */
  readonly max_tokens?: number
  /** Limits of this agent that have no name above. */
  readonly limits?: Partial<CallLimits>
  /** Options of this agent's model calls that have no name above. */
  readonly options?: CallOptions
}

/** Where a key in snake_case goes: a setting, or a field of `limits` or `options`. */
interface Place {
  readonly field?: 'limits' | 'options'
  readonly name: string
  /** The value as the setting has it. */
  readonly convert?: (value: unknown) => unknown
}

const endlessRounds = 100
const toRounds = (value: unknown): unknown => (value === 0 ? endlessRounds : value)

const places: Readonly<Record<string, Place>> = {
  model_name: { name: 'model' },
  system_prompt_path: { name: 'systemPath' },
  api_type: { name: 'apiType' },
  max_exception_retry: { field: 'limits', name: 'maxParseRetries' },
  max_interrupt_times: { field: 'limits', name: 'maxToolRounds', convert: toRounds },
  max_interrupt_steps: { field: 'limits', name: 'maxToolRounds', convert: toRounds },
  max_llm_recall: { field: 'limits', name: 'maxRecalls' },
  max_tokens: { field: 'options', name: 'maxTokens' },
}

/** The keys in snake_case. */
export const entryKeys: readonly string[] = Object.keys(places)

/**
 * The settings of an agent, with each key in snake_case at its place.
 * @param refuse throws, with the name of the agent and this problem
 */
export function toAgentConfig(
  entry: AgentConfig | AgentEntry,
  refuse: (problem: string) => never,
): Partial<AgentConfig> {
  const config: Record<string, unknown> = {}
  const fields: Record<'limits' | 'options', Record<string, unknown>> = {
    limits: { ...entry.limits },
    options: { ...entry.options },
  }
  const keys: [string, unknown][] = []
  for (const [key, value] of Object.entries(entry)) {
    if (entryKeys.includes(key)) keys.push([key, value])
    else config[key] = value
  }

  for (const [key, value] of keys) {
    const place = places[key]
    if (!place || value === undefined) continue

    const { field, name, convert } = place
    const target = field ? fields[field] : config
    if (target[name] !== undefined)
      refuse(`: ${key} is ${field ? `${field}.` : ''}${name}, which is set already; leave one out`)
    target[name] = convert ? convert(value) : value
    if (field) config[field] = fields[field]
  }
  return config
}
