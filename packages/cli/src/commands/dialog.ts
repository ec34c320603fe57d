import { readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { LlmError, type Provider } from '@modelport/core'
import {
  type AgentConfig,
  createAgents,
  type Dialog,
  type DialogCaller,
  type DialogEvent,
  PromptRegistry,
} from '@modelport/dialog'
import { loadPrompts, parseAgentToml, parseAgentYaml } from '@modelport/dialog/node'
import { newProvider } from '@modelport/factory'
import { Argument, type Command, InvalidArgumentError } from 'commander'
import { exitCodes, UsageError } from '../errors/exit-codes.js'
import { loadModels, type NamedModel } from '../models/configured-models.js'
import type { Cli, CommonOptions } from '../program/cli.js'
import { formatUsage } from '../terminal/usage-line.js'
import { readPrompt } from './read-prompt.js'
import { type Start, withCommonOptions } from './start.js'

interface DialogOptions extends CommonOptions {
  readonly agents?: string
  readonly prompts?: string
  readonly prompt?: string
  readonly task?: string
  readonly arg?: Readonly<Record<string, string>>
  readonly usage?: boolean
}

/** `modelport dialog call NAME`: one agent call, with its states as they happen. */
export function addDialog(program: Command, start: Start): void {
  withCommonOptions(program.command('dialog'))
    .description('call an agent of the configuration; shows the states of the call on the error output')
    .addArgument(new Argument('<action>', 'what to do').choices(['call']))
    .argument('<name>', 'name of the agent')
    .option('-a, --agents <file>', 'TOML with agent_configs or YAML with agents (default: the configuration)')
    .option('-p, --prompts <folder>', 'Markdown prompts (default: "prompts" next to the file of the agents)')
    .option('--prompt <path>', 'open the turn with this prompt (default: with the task as it stands)')
    .option('-t, --task <text>', 'what to do, as {task} for the prompt (default: what is piped in)')
    .option('--arg <name=value>', 'a value for a placeholder; may be given several times', addArg)
    .option('--usage', 'print tokens and cost to the error output')
    .action((_action: string, name: string, options: DialogOptions) =>
      start(options, (cli) => callDialog(cli, name, options)),
    )
}

function addArg(text: string, before: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const at = text.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('write it as name=value.')
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) }
}

async function callDialog(cli: Cli, name: string, options: DialogOptions): Promise<number> {
  const { out, err, json, signal } = cli
  const file = options.agents === undefined ? cli.locations.config : resolve(options.agents)
  const source = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new LlmError('config', `the file of the agents cannot be read: ${(error as Error).message}`, { cause: error })
  })
  const configs = file.endsWith('.toml') ? parseAgentToml(source, file) : parseAgentYaml(source, file)
  const config = configs.find((one) => one.name === name)
  if (!config) {
    const known = configs.map((one) => one.name).join(', ')
    throw new UsageError(`there is no agent ${JSON.stringify(name)} in ${file}; known: ${known}`)
  }
  const needsPrompts = config.systemPath !== undefined || options.prompt !== undefined || options.prompts !== undefined
  const prompts = needsPrompts ? await loadPrompts(options.prompts ?? join(dirname(file), 'prompts')) : undefined
  const models = await loadModels(cli)
  const model = models.pick(config.model)
  const setup = {
    prompts: prompts ?? new PromptRegistry(),
    provider: (one: AgentConfig): Promise<Provider> => toProvider(cli, model, one),
    ...(model.profile && { card: model.profile }),
  }
  const { [name]: caller } = await createAgents([config], setup)
  const dialog = await openDialog(cli, caller as DialogCaller, options, prompts)
  const reader = (caller as DialogCaller).run(dialog, { signal })
  for await (const event of reader) if (!json) showEvent(cli, event)
  const outcome = await reader.result()
  if (outcome.status === 'failure') {
    signal.throwIfAborted()
    throw outcome.error
  }
  const { value, usage, cost, trace } = outcome
  if (json) out.json({ value, usage, ...(cost !== undefined && { cost }), trace })
  else out.line(out.foreign(typeof value === 'string' ? value : JSON.stringify(value, undefined, 2)))
  if (options.usage && !json) err.line(formatUsage(usage, model.profile))
  return exitCodes.done
}

/** A model with two APIs gets the one that the agent asks for. */
function toProvider({ context }: Cli, { config }: NamedModel, { apiType }: AgentConfig): Promise<Provider> {
  if (config.provider.toLowerCase() !== 'openai') return newProvider(config, context)
  const settings = { ...config.settings, api: apiType === 'response' ? 'responses' : 'chat' }
  return newProvider({ ...config, settings }, context)
}

async function openDialog(
  cli: Cli,
  caller: DialogCaller,
  { prompt: path, task, arg = {} }: DialogOptions,
  prompts: Awaited<ReturnType<typeof loadPrompts>> | undefined,
): Promise<Dialog> {
  const { system } = caller.settings
  const pick = (names: readonly string[], values: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)))
  const opened = caller.open(typeof system === 'object' ? pick(system.placeholders, arg) : {})
  const prompt = path === undefined ? undefined : prompts?.get(path)
  const needsTask = !prompt || prompt.placeholders.includes('task')
  const text = needsTask ? (task ?? (await readPrompt(cli, []))) : ''
  const used = new Set([...(prompt?.placeholders ?? []), ...(typeof system === 'object' ? system.placeholders : [])])
  const unknown = Object.keys(arg).find((name) => !used.has(name))
  if (unknown !== undefined)
    throw new UsageError(`--arg ${unknown}: no prompt of this call has the placeholder {${unknown}}`)
  if (!prompt) return opened.send(text)
  return opened.send(prompt, pick(prompt.placeholders, { ...arg, ...(needsTask && { task: text }) }))
}

/** One line for each step; deltas of the text are left to the result. */
function showEvent({ err }: Cli, event: DialogEvent): void {
  const line = describeEvent(event)
  if (line) err.line(err.style('dim', err.foreign(line)))
}

function describeEvent(event: DialogEvent): string | undefined {
  switch (event.type) {
    case 'state':
      return `state: ${event.to}`
    case 'tool-call':
      return `tool ${event.call.name}: ${event.call.success ? 'done' : (event.call.errorMessage ?? 'failed')}`
    case 'parse-error':
      return `reply ${event.attempt} was refused: ${event.problems.join('; ')}`
    case 'recall':
      return `recall ${event.attempt} in ${event.delayMs} ms: ${event.message}`
    case 'retry':
      return `request ${event.attempt} failed (${event.code}); again in ${event.delayMs} ms`
    default:
      return undefined
  }
}
