import { readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { configError, type Provider } from '@modelport/core'
import { type AgentConfig, createAgents, type DialogCaller, PromptRegistry } from '@modelport/dialog'
import { loadPrompts, parseAgentToml, parseAgentYaml } from '@modelport/dialog/node'
import { newProvider } from '@modelport/factory'
import type { Cli, CommonOptions } from '../context/cli.js'
import { UsageError } from '../errors/exit-codes.js'
import { exists } from '../files/private-file.js'
import { loadModels, type NamedModel } from '../models/configured-models.js'

/** Where an agent and its prompts are found. */
export interface AgentOptions extends CommonOptions {
  readonly agents?: string
  readonly prompts?: string
}

/** An agent of a file, with what its calls need. */
export interface FoundAgent {
  readonly caller: DialogCaller
  readonly model: NamedModel
  /** Empty if no prompt is asked for. */
  readonly prompts: PromptRegistry
}

/**
 * Reads the file of the agents and makes one of them.
 * @param needsPrompts true reads the folder of prompts even if the agent has no system prompt
 * @throws {UsageError} the file has no agent of this name.
 */
export async function findAgent(
  cli: Cli,
  name: string,
  options: AgentOptions,
  needsPrompts: boolean,
): Promise<FoundAgent> {
  const file = options.agents === undefined ? cli.locations.config : resolve(options.agents)
  const source = await readFile(file, 'utf8').catch((error: unknown) => {
    throw configError(`the file of the agents cannot be read: ${(error as Error).message}`, { cause: error })
  })
  const isToml = file.endsWith('.toml')
  const root = isToml ? 'agent_configs' : 'agents'
  // The message about a missing agent says where to add it, not how the file is made.
  if (!source.includes(root))
    throw new UsageError(`there is no agent ${JSON.stringify(name)} in ${file}; add it under ${root}:`)
  const configs = isToml ? parseAgentToml(source, file) : parseAgentYaml(source, file)
  const config = configs.find((one) => one.name === name)
  if (!config) {
    const known = configs.map((one) => one.name).join(', ')
    throw new UsageError(`there is no agent ${JSON.stringify(name)} in ${file}; known: ${known}`)
  }
  const readsPrompts = needsPrompts || config.systemPath !== undefined || options.prompts !== undefined
  const folder = options.prompts ?? join(dirname(file), 'prompts')
  if (readsPrompts && options.prompts === undefined && !(await exists(folder)))
    throw new UsageError(
      `the prompts of the agent ${JSON.stringify(name)} are not in ${folder}; name their folder with --prompts`,
    )
  const prompts = readsPrompts ? await loadPrompts(folder) : new PromptRegistry()
  const model = (await loadModels(cli)).pick(config.model)
  const { [name]: caller } = await createAgents([config], {
    prompts,
    provider: (one) => toProvider(cli, model, one),
    ...(model.profile && { card: model.profile }),
  })
  // createAgents makes one for each of the configurations that it is given.
  return { caller: caller as DialogCaller, model, prompts }
}

/** A model with two APIs gets the one that the agent asks for. */
function toProvider({ context }: Cli, { config }: NamedModel, { apiType }: AgentConfig): Promise<Provider> {
  if (config.provider.toLowerCase() !== 'openai') return newProvider(config, context)
  const settings = { ...config.settings, api: apiType === 'response' ? 'responses' : 'chat' }
  return newProvider({ ...config, settings }, context)
}
