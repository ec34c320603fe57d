import { type CallOptions, isObject, LlmError } from '@modelport/core'
import { suggest } from '@modelport/core/settings'
import { checkOption, optionKeys } from '../base/option-keys.js'
import { shown } from '../base/shown.js'
import { type CallLimits, defaultCallLimits, toCallLimits } from '../call/limits.js'
import type { AgentConfig } from './agent-config.js'

/** A configuration file as data, and how its places are named. */
export interface AgentSource {
  readonly agents: unknown
  /** The key that holds them: `agent_configs` or `agents`. */
  readonly root: string
  /** File and line of a key, for messages. */
  where(path: readonly string[]): string
  /** True maps the limit 0 of tool rounds, which means no limit in such a file, to 100. */
  readonly zeroMeansMany: boolean
}

/** Limits by the names a file may use. */
const limitKeys: Readonly<Record<string, keyof CallLimits>> = {
  max_exception_retry: 'maxParseRetries',
  max_interrupt_times: 'maxToolRounds',
  max_interrupt_steps: 'maxToolRounds',
  max_llm_recall: 'maxRecalls',
  repeatable_tools: 'repeatableTools',
  tool_timeout_ms: 'toolTimeoutMs',
  ...Object.fromEntries((Object.keys(defaultCallLimits) as (keyof CallLimits)[]).map((name) => [name, name])),
}

const ownKeys = ['model_name', 'model', 'system_prompt_path', 'system', 'api_type', 'apiType']
const ownVendor = '; fields of the vendor itself go under vendor'
const knownKeys = [...ownKeys, ...Object.keys(limitKeys), ...optionKeys.keys()]

/**
 * Reads the agents of a configuration.
 * @throws {LlmError} `config` — lists every problem with file and line, what was found and what to do.
 */
export function readAgents(source: AgentSource): readonly AgentConfig[] {
  const { agents, root } = source
  if (!isObject(agents)) {
    const missing = agents === undefined ? `; add ${root} with an entry for each agent` : ''
    throw new LlmError(
      'config',
      `${source.where([root])}: ${root} must be agents by name, found ${shown(agents)}${missing}`,
    )
  }
  const problems: string[] = []
  const configs = Object.entries(agents).map(([name, value]) => readAgent(name, value, source, problems))
  if (problems.length) throw new LlmError('config', problems.join('\n'))
  return configs
}

function readAgent(name: string, value: unknown, source: AgentSource, problems: string[]): AgentConfig {
  const at = (...key: readonly string[]): string =>
    `${source.where([source.root, name, ...key])}: ${[source.root, name, ...key].join('.')}`
  const entry = isObject(value) ? value : {}
  if (!isObject(value)) problems.push(`${at()} must be settings by name, not ${shown(value)}`)
  for (const key of Object.keys(entry))
    if (!knownKeys.includes(key))
      problems.push(`${at(key)} is not a setting of an agent${suggest(key, knownKeys, ownVendor)}`)
  const textOf = (...keys: readonly string[]): string | undefined => {
    const key = keys.find((one) => entry[one] !== undefined)
    if (key === undefined) return undefined
    const found = entry[key]
    if (typeof found === 'string' && found) return found
    problems.push(`${at(key)} must be a text, not ${shown(found)}`)
    return undefined
  }
  const model = textOf('model_name', 'model')
  if (model === undefined && entry['model_name'] === undefined && entry['model'] === undefined)
    problems.push(`${at()} has no model; set model_name to a name of your models or to "provider:model"`)
  const systemPath = textOf('system_prompt_path', 'system')
  const apiType = textOf('api_type', 'apiType') ?? 'completion'
  if (apiType !== 'completion' && apiType !== 'response')
    problems.push(`${at('api_type')} must be "completion" or "response", not ${JSON.stringify(apiType)}`)
  return {
    name,
    model: model ?? '',
    ...(systemPath !== undefined && { systemPath }),
    apiType: apiType === 'response' ? 'response' : 'completion',
    limits: readLimits(entry, source.zeroMeansMany, at, problems),
    options: readOptions(entry, at, problems),
    where: at(),
  }
}

function readLimits(
  entry: Readonly<Record<string, unknown>>,
  zeroMeansMany: boolean,
  at: (key: string) => string,
  problems: string[],
): Partial<CallLimits> {
  const limits: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(entry)) {
    const name = Object.hasOwn(limitKeys, key) ? limitKeys[key] : undefined
    if (!name) continue
    const isForeign = key.startsWith('max_interrupt')
    limits[name] = zeroMeansMany && isForeign && value === 0 ? 100 : value
    collect(problems, at(key), () => toCallLimits({ [name]: limits[name] }))
  }
  return limits
}

function readOptions(
  entry: Readonly<Record<string, unknown>>,
  at: (key: string) => string,
  problems: string[],
): CallOptions {
  const options: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(entry)) {
    const name = optionKeys.get(key)
    if (name === undefined) continue
    options[name] = value
    collect(problems, at(key), () => checkOption(name, value))
  }
  return options
}

function collect(problems: string[], where: string, check: () => unknown): void {
  try {
    check()
  } catch (error) {
    if (!(error instanceof LlmError)) throw error
    problems.push(`${where}: ${error.message}`)
  }
}
