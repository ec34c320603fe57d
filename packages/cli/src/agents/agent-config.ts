import { dirname, resolve } from 'node:path'
import { type Agent, type AgentPolicy, type CardFields, createAgent } from '@modelport/agent'
import { configError, isObject } from '@modelport/core'
import { newProvider, parseYaml } from '@modelport/factory'
import type { Cli } from '../context/cli.js'
import { maxSettingsBytes, readTextFile } from '../files/text-file.js'
import { loadModels } from '../models/configured-models.js'
import { loadTools } from '../tools/tool-module.js'

const fields: ReadonlySet<string> = new Set(['card', 'model', 'system', 'tools', 'policy'])

type Fields = Readonly<Record<string, unknown>>

/**
 * Makes agents of a YAML or JSON file: one `{ card, model?, system?, tools?, policy? }`, or a list
 * of them. `model` is a model of the configuration or `provider:model`; `tools` is a module,
 * relative to the file.
 * @throws {LlmError} `config` — the file is not valid; the message names the field.
 */
export async function readAgents(cli: Cli, file: string): Promise<readonly Agent[]> {
  const { value } = parseYaml(await readTextFile(file, maxSettingsBytes), file)
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  if (!list.length) throw configError(`${file}: the list of agents is empty; add one with a card`)
  return Promise.all(
    list.map((entry, index) =>
      toAgent(cli, file, `${file}${list.length > 1 ? `, agent ${index + 1}` : ''}`, entry),
    ),
  )
}

async function toAgent(cli: Cli, file: string, where: string, entry: unknown): Promise<Agent> {
  const { card, model: name, system, tools, policy } = checkFields(where, entry)
  const models = await loadModels(cli)
  const model = models.pick(name)
  return createAgent({
    card,
    provider: await newProvider(model.config, cli.context),
    tools: tools === undefined ? [] : await loadTools(resolve(dirname(file), tools)),
    ...(model.profile && { profile: model.profile }),
    ...(system !== undefined && { system }),
    ...(policy && { policy }),
  })
}

interface AgentFields {
  readonly card: CardFields
  readonly model: string | undefined
  readonly system: string | undefined
  readonly tools: string | undefined
  readonly policy: AgentPolicy | undefined
}

/** createAgent checks the contents of the card and the policy. */
function checkFields(where: string, entry: unknown): AgentFields {
  if (!isObject(entry)) throw configError(`${where}: expected an object with a card`)
  const unknown = Object.keys(entry).find((name) => !fields.has(name))
  if (unknown !== undefined)
    throw configError(
      `${where}: the field ${JSON.stringify(unknown)} is unknown; known: ${[...fields].join(', ')}`,
    )
  const { card, policy } = entry
  if (
    !isObject(card) ||
    typeof card['name'] !== 'string' ||
    typeof card['description'] !== 'string'
  )
    throw configError(`${where}: card must be an object with a name and a description`)
  if (policy !== undefined && !isObject(policy))
    throw configError(`${where}: policy must be an object with default and rules`)
  if (isObject(policy) && policy['rules'] !== undefined && !isObject(policy['rules']))
    throw configError(`${where}: policy.rules must map capabilities to effects`)
  return {
    card: card as Fields & CardFields,
    model: textField(where, entry, 'model'),
    system: textField(where, entry, 'system'),
    tools: textField(where, entry, 'tools'),
    policy,
  }
}

function textField(where: string, entry: Fields, name: string): string | undefined {
  const value = entry[name]
  if (value === undefined || typeof value === 'string') return value
  throw configError(`${where}: ${name} must be text`)
}
