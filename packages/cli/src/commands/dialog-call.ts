import type { Dialog, DialogCaller, DialogEvent, PromptRegistry } from '@modelport/dialog'
import type { Cli } from '../context/cli.js'
import { exitCodes, UsageError } from '../errors/exit-codes.js'
import { formatUsage } from '../terminal/usage-line.js'
import { type AgentOptions, findAgent } from './dialog-agent.js'
import { readPrompt } from './read-prompt.js'

/** Options of `modelport dialog call`. */
export interface DialogCallOptions extends AgentOptions {
  readonly prompt?: string
  readonly task?: string
  readonly arg?: Readonly<Record<string, string>>
  readonly usage?: boolean
}

/** Makes one agent call; its states go to the error output as they happen, its value to the output. */
export async function callDialog(cli: Cli, name: string, options: DialogCallOptions): Promise<number> {
  const { out, err, json, signal } = cli
  const { caller, model, prompts } = await findAgent(cli, name, options, options.prompt !== undefined)
  const dialog = await openDialog(cli, caller, options, prompts)
  const reader = caller.run(dialog, { signal })
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

async function openDialog(
  cli: Cli,
  caller: DialogCaller,
  { prompt: path, task, arg = {} }: DialogCallOptions,
  prompts: PromptRegistry,
): Promise<Dialog> {
  const { system } = caller.settings
  const pick = (names: readonly string[], values: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)))
  const opened = caller.open(typeof system === 'object' ? pick(system.placeholders, arg) : {})
  const prompt = path === undefined ? undefined : prompts.get(path)
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
