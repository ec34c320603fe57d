import { intro, isCancel, log, outro, select } from '@clack/prompts'
import { isLlmError, LlmError } from '@modelport/core'
import { findRow, parseModel, testConnection } from '@modelport/factory'
import type { Cli, CommonOptions } from '../context/cli.js'
import { given } from '../context/given.js'
import { exitCodes, Interrupted, UsageError } from '../errors/exit-codes.js'
import { toFailureReport } from '../errors/failure.js'
import { freeKeyName, saveKey } from '../files/key-file.js'
import { askNewModel } from '../init/ask-new-model.js'
import { addModel, freeName, readConfig } from '../init/config-file.js'
import {
  cloudAnswer,
  cloudsWith,
  type GivenAnswers,
  type NewModel,
  toModelConfig,
} from '../init/new-model.js'
import { asksForTools } from '../models/server-facts.js'
import { withProgress } from '../terminal/progress.js'
import { shellWord } from '../terminal/shell-word.js'
import { toTerminalText } from '../terminal/terminal-text.js'
import { readAll } from './read-prompt.js'

/** Options of `modelport init`. */
export interface InitOptions extends CommonOptions {
  readonly provider?: string
  readonly model?: string
  readonly name?: string
  readonly baseUrl?: string
  readonly region?: string
  readonly keyEnv?: string
  readonly keyStdin?: boolean
  readonly test: boolean
}

/** Runs `modelport init`; resolves to the exit code. */
export async function init(cli: Cli, options: InitOptions): Promise<number> {
  const { io, json, locations } = cli
  const file = await readConfig(locations.config)
  const known = file.pool?.models.find(({ name }) => name === options.name)
  if (known)
    throw new UsageError(
      `there is a model ${JSON.stringify(known.name)} already; choose another --name`,
    )
  const name = options.name ?? freeName(file)
  const interactive =
    io.stdin.isTTY === true && io.stdout.isTTY === true && !json && !options.keyStdin
  const answers: GivenAnswers = {
    ...given(options, 'provider', 'model', 'baseUrl', 'region'),
    ...(options.keyEnv !== undefined && { apiKeyEnv: options.keyEnv }),
    ...(options.keyStdin && { key: await readKey(cli), saveKey: true }),
    name,
  }
  const taken = (file.pool?.models ?? []).flatMap(({ apiKeyEnv }) => apiKeyEnv ?? [])
  const ownVariable = await freeKeyName(locations.keys, name, taken)
  if (interactive) intro(cli.out.style('bold', 'modelport'), { output: io.stdout })
  const asked = interactive
    ? await askNewModel(cli, answers, name, ownVariable)
    : fromOptions(cli, answers, name, ownVariable)
  const tested = options.test ? await test(cli, asked, interactive) : undefined
  // A server that did not answer the test is not asked again.
  const supportsTools =
    tested === undefined ? undefined : await asksForTools(toModelConfig(asked), cli, asked.key)
  const model = { ...asked, ...(supportsTools !== undefined && { supportsTools }) }
  if (model.key !== undefined && model.saveKey && model.apiKeyEnv !== undefined)
    await saveKey(locations.keys, model.apiKeyEnv, model.key)
  await addModel(
    locations.config,
    file,
    model,
    options.name === undefined && file.pool === undefined,
  )
  report(
    cli,
    model,
    tested,
    interactive && toChat(options, file.pool?.roles['chat'] === undefined ? undefined : name),
  )
  return exitCodes.done
}

async function readKey({ io, signal }: Cli): Promise<string> {
  if (io.stdin.isTTY) throw new UsageError('--key-stdin needs the key piped in')
  const key = (await readAll(io.stdin, signal)).trim()
  if (!key) throw new UsageError('--key-stdin: nothing was piped in')
  return key
}

/** Without a terminal nobody can be asked. */
function fromOptions(cli: Cli, given: GivenAnswers, name: string, ownVariable: string): NewModel {
  if (given.provider === undefined)
    throw new UsageError(
      'not a terminal: pass --provider and --model, and --base-url for a server of your own',
    )
  const { provider, model: named } = parseModel(given.provider)
  const row = findRow(provider)
  const model = given.model ?? named ?? row.model
  if (model === undefined)
    throw new UsageError(`give --model: ${row.name} has no model that is the usual one`)
  const { region: _, ...rest } = given
  const answer = cloudAnswer(cli, row, given)
  const { question } = row
  if (question && answer === undefined && given.baseUrl === undefined)
    throw new UsageError(
      `give --${question.setting}: neither ${question.variables.join(' nor ')} is set`,
    )
  const apiKeyEnv = given.apiKeyEnv ?? (given.key === undefined ? undefined : ownVariable)
  return {
    ...rest,
    name,
    provider: row.name,
    model,
    ...(answer !== undefined && { clouds: cloudsWith(row, answer) }),
    ...(apiKeyEnv !== undefined && { apiKeyEnv }),
  }
}

/**
 * Tests the connection, repeatedly if the user wants; undefined if the user saves it without a
 * successful test.
 */
async function test(cli: Cli, model: NewModel, interactive: boolean): Promise<number | undefined> {
  const { out, io, signal, context } = cli
  for (;;) {
    try {
      const { latencyMs } = await withProgress(out, 'testing the connection', () =>
        testConnection(toModelConfig(model), model.key, { signal, context }),
      )
      return Math.round(latencyMs)
    } catch (error) {
      signal.throwIfAborted()
      if (!interactive) throw withoutTest(error)
      const { message, fix } = toFailureReport(error).error
      log.error([toTerminalText(message), ...(fix === undefined ? [] : [fix])].join('\n'), {
        output: io.stdout,
      })
    }
    const next = await select({
      message: 'It does not work yet.',
      options: [
        { value: 'again', label: 'try again' },
        { value: 'save', label: 'save it all the same' },
        { value: 'quit', label: 'quit, save nothing' },
      ],
      showInstructions: false,
      input: io.stdin,
      output: io.stdout,
    })
    if (isCancel(next) || next === 'quit') throw new Interrupted('interrupted')
    if (next === 'save') return undefined
  }
}

/** The command that chats with the new model; `name` unless it has the role `chat`. */
function toChat({ config }: InitOptions, name: string | undefined): string {
  return [
    'modelport chat',
    ...(config === undefined ? [] : [`--config ${shellWord(config)}`]),
    ...(name === undefined ? [] : [`--model ${shellWord(name)}`]),
  ].join(' ')
}

/** A slow server, for example one that loads a model, may still be configured correctly. */
const withoutTest = (error: unknown): unknown =>
  isLlmError(error, 'timeout')
    ? new LlmError(
        'timeout',
        `${error.message}; nothing is saved: add --no-test to save the model without the test`,
      )
    : error

function report(
  { json, out, io, locations }: Cli,
  { name, provider, model, key, saveKey: saved, apiKeyEnv, supportsTools }: NewModel,
  latencyMs: number | undefined,
  chat: string | false,
): void {
  const unset = key !== undefined && !saved ? apiKeyEnv : undefined
  if (json) {
    out.json({
      name,
      provider,
      model,
      config: locations.config,
      ...(key !== undefined && saved && { keys: locations.keys }),
      ...(latencyMs !== undefined && { latencyMs }),
      ...(supportsTools !== undefined && { supportsTools }),
    })
    return
  }
  const lines = [
    ...(latencyMs === undefined ? [] : [`${provider}:${model} answered after ${latencyMs} ms`]),
    ...(supportsTools === undefined
      ? []
      : [`its server says that it ${supportsTools ? 'calls' : 'does not call'} tools`]),
    `${name} is in ${locations.config}`,
    ...(unset === undefined ? [] : [`set ${unset} before you use it`]),
  ]
  if (chat === false) {
    for (const line of lines) out.line(line)
    return
  }
  log.success(toTerminalText(lines.join('\n')), { output: io.stdout })
  outro(toTerminalText(`Try it: ${chat}`), { output: io.stdout })
}
