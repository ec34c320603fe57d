import { configError, isObject, type Provider } from '@modelport/core'
import { checkSettings, optionNames, suggest } from '@modelport/core/settings'
import { shown } from '../base/shown.js'
import { defaultCallLimits } from '../call/limits.js'
import type { CallerSettings } from '../call/settings.js'
import { createDialogCaller, type DialogCaller } from '../caller/caller.js'
import type { PromptRegistry } from '../prompt/registry.js'
import { type AgentConfig, configNames } from './agent-config.js'
import { type AgentEntry, entryKeys, toAgentConfig } from './agent-entry.js'

/** Settings that stand a level lower, so that an error can say where. */
const nestedNames = { limits: Object.keys(defaultCallLimits), options: optionNames.call }

/** What the agents of a system have in common. */
export interface AgentSetup
  extends Omit<CallerSettings, 'name' | 'provider' | 'system' | 'apiType'> {
  /** Where system prompts are found. */
  readonly prompts: PromptRegistry
  /** Makes the provider of an agent: chooses the API by its `apiType`, where a provider has two. */
  readonly provider: (config: AgentConfig, name: string) => Provider | Promise<Provider>
}

/**
 * Makes the agents of a system, by name. An agent may have the names in snake_case that files of
 * agents use.
 * @throws {LlmError} `config` — an agent has no model, or its system prompt is not registered; the
 * message names the agent. Also what `provider` and `createDialogCaller` throw.
 * @throws {TypeError} an agent has a setting that does not exist.
 */
export async function createAgents<Name extends string>(
  configs: Readonly<Record<Name, AgentConfig | AgentEntry>>,
  setup: AgentSetup,
): Promise<Readonly<Record<Name, DialogCaller>>> {
  const { prompts, provider, ...common } = setup
  const callers: [string, DialogCaller][] = []
  for (const [name, entry] of Object.entries<AgentConfig | AgentEntry>(configs)) {
    const refuse: (problem: string) => never = (problem) => {
      throw configError(`agent "${name}"${problem}`)
    }
    if (!isObject(entry)) refuse(` must be settings by name, not ${shown(entry)}`)
    checkSettings(`agent "${name}"`, entry, [...configNames, ...entryKeys], nestedNames)
    const config = toAgentConfig(entry, refuse)
    const { model, systemPath, apiType, limits, options } = config
    if (typeof model !== 'string' || !model)
      refuse(`: model must be a name of your models, not ${shown(model)}`)
    if (![undefined, 'completion', 'response'].includes(apiType))
      refuse(`: apiType must be "completion" or "response", not ${shown(apiType)}`)
    if (systemPath !== undefined && typeof systemPath !== 'string')
      refuse(`: systemPath must be the path of a prompt, not ${shown(systemPath)}`)
    if (systemPath !== undefined && !prompts.has(systemPath)) {
      const known = prompts.list().map(({ path }) => path)
      refuse(`: there is no prompt "${systemPath}"${suggest(systemPath, known)}`)
    }
    const caller = createDialogCaller({
      ...common,
      name,
      provider: await provider({ ...config, model }, name),
      ...(systemPath !== undefined && { system: prompts.get(systemPath) }),
      apiType,
      limits: { ...common.limits, ...limits },
      options: { ...common.options, ...options },
    })
    callers.push([name, caller])
  }
  return Object.fromEntries(callers) as Record<Name, DialogCaller>
}
