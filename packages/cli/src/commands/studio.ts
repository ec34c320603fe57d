import { dirname, join } from 'node:path'
import { apiHosts, environmentNames, hostPort, type ModelConfig } from '@modelport/factory'
import {
  createDemoModel,
  createStudio,
  demoTools,
  type DoctorStepInfo,
  type HostInfo,
  type StudioModel,
  type StudioOptions,
} from '@modelport/studio'
import { loadPage, openFileStore, serveStudio } from '@modelport/studio/node'
import { type Command, InvalidArgumentError } from 'commander'
import { checkModel } from '../doctor/check-model.js'
import type { DoctorStep } from '../doctor/doctor-step.js'
import { exitCodes } from '../errors/exit-codes.js'
import { loadModels, type NamedModel } from '../models/configured-models.js'
import { type Cli, type CommonOptions, untilAborted } from '../context/cli.js'
import { openCassette } from '../studio/cassette-model.js'
import { toStudioModel } from '../studio/studio-models.js'
import { toMcpSources, toStudioAgents } from '../studio/studio-servers.js'
import { loadTools } from '../tools/tool-module.js'
import { exporters } from './hosts.js'
import { type Start, withCommonOptions } from '../context/start.js'

/** Milliseconds that one step of the connection test may take. */
const stepTimeoutMs = 30_000

interface StudioCommandOptions extends CommonOptions {
  readonly port: number
  readonly tools?: string
  readonly file?: string
  readonly memory?: boolean
  readonly model?: readonly string[]
  readonly agent?: readonly string[]
  readonly tokenEnv?: string
  readonly mcp?: readonly string[]
}

function toPort(text: string): number {
  const port = Number(text)
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new InvalidArgumentError('must be a port, 0 to 65535.')
  return port
}

/** `modelport studio`: a page on this machine that shows streams, runs, costs and hosts. */
export function addStudio(program: Command, start: Start): void {
  withCommonOptions(program.command('studio'))
    .description('open a page on this machine to chat, and to look at runs, raw requests, costs and hosts')
    .option('-m, --model <name...>', 'only these models, or provider:model (default: all of the configuration)')
    .option('-p, --port <port>', 'port on 127.0.0.1; 0 takes a free one', toPort, 0)
    .option('--tools <file>', 'module with the tools that models may call (default: a demo tool)')
    .option('-a, --agent <url...>', 'addresses of agents to talk to')
    .option('--token-env <name>', 'environment variable that holds the bearer token of the one agent')
    .option('--mcp <server...>', 'MCP servers whose tools models may call: an address, or a command in quotes')
    .option('--file <file>', "SQLite file that keeps the runs (default: in the user's state folder)")
    .option('--memory', 'keep runs in memory only')
    .action((options: StudioCommandOptions) => start(options, (cli) => studio(cli, options)))
}

async function studio(cli: Cli, options: StudioCommandOptions): Promise<number> {
  const { out, json, signal } = cli
  const sources = await toMcpSources(options.mcp ?? [])
  let close = (): Promise<unknown> => Promise.resolve()
  try {
    const page = createStudio({ ...(await toStudioOptions(cli, options)), sources })
    close = () => page.close()
    const served = await serveStudio(page, { port: options.port })
    close = () => served.close()
    if (json) out.json({ url: served.url, port: served.port })
    else {
      out.line(`studio: ${served.url}`)
      out.line('Open it within a minute; the address works once. Ctrl-C ends the studio.')
    }
    await untilAborted(signal)
  } finally {
    await close()
    await Promise.all(sources.map((source) => source.close()))
  }
  return exitCodes.done
}

async function toStudioOptions(cli: Cli, options: StudioCommandOptions): Promise<StudioOptions> {
  const named = await chosenModels(cli, options.model)
  const models: StudioModel[] = [...named.map((model) => toStudioModel(model, cli)), createDemoModel()]
  const agents = toStudioAgents(options.agent ?? [], options.tokenEnv, cli)
  const tools = options.tools === undefined ? demoTools : await loadTools(options.tools)
  const assets = await loadPage()
  const file = options.memory ? undefined : (options.file ?? join(dirname(cli.locations.sessions), 'studio.db'))
  return {
    models,
    tools,
    agents,
    assets,
    hosts: () => Promise.resolve(named.flatMap((model) => toHosts(model, cli))),
    allowLists: toAllowLists(
      named.map(({ config }) => config),
      cli,
    ),
    doctor: (id, aborted) =>
      examine(
        named.find(({ name }) => name === id),
        cli,
        aborted,
      ),
    openCassette: (cassette) => openCassette(cassette, cli),
    // Opened last: nothing above can leave it open.
    ...(file !== undefined && { file, store: openFileStore(file) }),
  }
}

function toAllowLists(configs: readonly ModelConfig[], { context }: Cli): NonNullable<StudioOptions['allowLists']> {
  return Object.fromEntries(
    Object.entries(exporters).map(([name, write]) => [
      name,
      () => {
        const facts = { env: environmentNames(configs, context), addresses: {} }
        const { text, requires } = write(apiHosts(configs, context), facts)
        const variables = requires.env.map((variable) => `The program needs the variable ${variable}.`)
        return Promise.resolve({ text, notes: [...variables, ...requires.notes, ...requires.warnings] })
      },
    ]),
  )
}

/** The models of the configuration; none when there is no configuration and none was named. */
async function chosenModels(cli: Cli, names: readonly string[] | undefined): Promise<NamedModel[]> {
  const models = await loadModels(cli)
  if (names) return names.map((name) => models.pick(name))
  return models.isEmpty ? [] : models.all()
}

const toHosts = ({ name, config }: NamedModel, { context }: Cli): HostInfo[] =>
  apiHosts(config, context).map((entry) => ({ host: hostPort(entry), usedBy: name, purpose: entry.purpose }))

async function* examine(model: NamedModel | undefined, cli: Cli, signal: AbortSignal): AsyncGenerator<DoctorStepInfo> {
  if (!model) {
    yield {
      name: 'model',
      status: 'skipped' as const,
      detail: 'this model contacts no host, so there is nothing to test',
    }
    return
  }
  const steps: DoctorStep[] = []
  const state: { wake?: () => void; isOver: boolean } = { isOver: false }
  const options = {
    until: 'schema' as const,
    timeoutMs: stepTimeoutMs,
    onBegin: () => undefined,
    onStep: (step: DoctorStep) => {
      steps.push(step)
      state.wake?.()
    },
  }
  const work = checkModel(model, { ...cli, signal: AbortSignal.any([cli.signal, signal]) }, options).finally(() => {
    state.isOver = true
    state.wake?.()
  })
  while (steps.length > 0 || !state.isOver) {
    const step = steps.shift()
    if (step)
      yield {
        name: step.id,
        status: step.status,
        detail: step.detail,
        ...(step.fix !== undefined && { fix: step.fix }),
      }
    else
      await new Promise<void>((resolve) => {
        state.wake = resolve
      })
  }
  await work
}
