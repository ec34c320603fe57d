import type { CallOptions, Provider } from '@modelport/core'
import { LlmError } from '@modelport/core'
import { suggest } from '@modelport/core/settings'
import type { CallLimits } from '../call/limits.js'
import type { CallerSettings } from '../call/settings.js'
import { createDialogCaller, type DialogCaller } from '../caller/caller.js'
import type { PromptRegistry } from '../prompt/registry.js'

/** One agent as a configuration file describes it. */
export interface AgentConfig {
  /** Name of the agent. */
  readonly name: string
  /** A name of the application's models, or `provider:model`. */
  readonly model: string
  /** Path of the system prompt. Unset: no instructions. */
  readonly systemPath?: string
  /** The API to use, for a provider with two. */
  readonly apiType: 'completion' | 'response'
  /** Limits that the file sets. */
  readonly limits: Partial<CallLimits>
  /** Options of model calls that the file sets. */
  readonly options: CallOptions
  /** Where the agent is described, for messages. */
  readonly where: string
}

/** What agents of a configuration are made with. */
export interface AgentSetup extends Omit<CallerSettings, 'name' | 'provider' | 'system' | 'apiType'> {
  /** Where system prompts are found. */
  readonly prompts: PromptRegistry
  /** Makes the provider of an agent: chooses the API by its `apiType`, where a provider has two. */
  readonly provider: (config: AgentConfig) => Provider | Promise<Provider>
}

/**
 * Makes the agents of a configuration, by name.
 * @throws {LlmError} `config` — a system prompt is not registered; the message says where the agent is described. Also what `provider` throws.
 */
export async function createAgents(
  configs: readonly AgentConfig[],
  setup: AgentSetup,
): Promise<Readonly<Record<string, DialogCaller>>> {
  const { prompts, provider, ...common } = setup
  const known = prompts.list().map(({ path }) => path)
  const callers: [string, DialogCaller][] = []
  for (const config of configs) {
    const { name, systemPath, apiType, where } = config
    if (systemPath !== undefined && !prompts.has(systemPath))
      throw new LlmError('config', `${where}: there is no prompt "${systemPath}"${suggest(systemPath, known)}`)
    const caller = createDialogCaller({
      ...common,
      name,
      provider: await provider(config),
      ...(systemPath !== undefined && { system: prompts.get(systemPath) }),
      apiType,
      limits: { ...common.limits, ...config.limits },
      options: { ...common.options, ...config.options },
    })
    callers.push([name, caller])
  }
  return Object.fromEntries(callers)
}
