import { dirname, join } from 'node:path'
import type { DurableStore } from '@modelport/durable'
import { apiHosts, environmentNames, hostPort } from '@modelport/factory'
import {
  createDemoModel,
  createStudio,
  type DoctorStepInfo,
  type HostInfo,
  type StudioModel,
  type StudioOptions,
} from '@modelport/studio'
import { loadPage, openFileStore, serveStudio } from '@modelport/studio/node'
import { type Cli, untilAborted } from '../context/cli.js'
import { checkModel } from '../doctor/check-model.js'
import { exitCodes } from '../errors/exit-codes.js'
import { loadModels, type NamedModel } from '../models/configured-models.js'
import { openCassette } from '../studio/cassette-model.js'
import { toStudioModel } from '../studio/studio-models.js'
import { toStudioAgents } from '../studio/studio-servers.js'
import type { Input } from '../terminal/io.js'
import { type McpFlags, toMcpSources } from '../tools/mcp-sources.js'
import { loadTools } from '../tools/tool-module.js'
import { hasStore, openStore, type StoreCommandOptions } from './agent-store.js'
import { exporters } from './hosts.js'
import { storeFlags, toStoredWaits } from './stored-waits.js'

/** Milliseconds that one step of the connection test may take. */
const stepTimeoutMs = 30_000

/** Options of `modelport studio`. */
export interface StudioCommandOptions extends StoreCommandOptions, McpFlags {
  readonly port: number
  readonly tools?: string
  readonly file?: string
  readonly memory?: boolean
  readonly model?: readonly string[]
  readonly agent?: readonly string[]
  readonly tokenEnv?: string
}

/** Runs `modelport studio`; resolves to the exit code. */
export async function studio(cli: Cli, options: StudioCommandOptions): Promise<number> {
  const { out, json, signal } = cli
  const sources = await toMcpSources(options, cli)
  let store: DurableStore | undefined
  let close = (): Promise<unknown> => Promise.resolve()
  try {
    store = hasStore(options) ? await openStore(cli, options, false) : undefined
    const durableStore = store && toStored(store, storeFlags(options))
    const page = createStudio({ ...(await toStudioOptions(cli, options)), sources, durableStore })
    close = () => page.close()
    const addressFile = join(dirname(cli.locations.sessions), 'studio-address')
    const served = await serveStudio(page, { port: options.port, addressFile })
    close = () => served.close()
    if (json) out.json({ url: served.url, port: served.port, programUrl: served.programUrl })
    else {
      out.line(`studio: ${served.url}`)
      const more = cli.io.stdin.isTTY
        ? 'Press Enter for another address, for example for a second browser. '
        : ''
      out.line(`Open it within a minute; the address works once. ${more}Ctrl-C ends the studio.`)
      const { origin, hash } = new URL(served.programUrl)
      out.line('To see a program here: node --import @modelport/studio/attach app.mjs')
      out.line('To see any other program that has OpenTelemetry, run these two lines before it:')
      out.line(`export OTEL_EXPORTER_OTLP_ENDPOINT=${origin}`)
      out.line(`export OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer%20${hash.slice(1)}`)
    }
    const forget =
      cli.io.stdin.isTTY && !json
        ? onEnter(cli.io.stdin, () => out.line(`studio: ${served.newUrl()}`))
        : undefined
    await untilAborted(signal)
    forget?.()
  } finally {
    await close()
    await Promise.all(sources.map((source) => source.close()))
    await store?.close()
  }
  return exitCodes.done
}

/** Items of a store that are looked at for what waits. */
const mostStored = 200

/** What waits in a durable store, and its budgets. */
const toStored =
  (store: DurableStore, flags: string): NonNullable<StudioOptions['durableStore']> =>
  async () => {
    const [items, budgets] = await Promise.all([
      store.operations.list({ limit: mostStored }),
      store.budgets.list(),
    ])
    return { waits: toStoredWaits(items, flags), budgets }
  }

/** Calls the listener at each line of the terminal until the returned function is called. */
function onEnter(stdin: Input, listener: () => void): () => void {
  const read = (chunk: Buffer | string): void => {
    if (String(chunk).includes('\n')) listener()
  }
  stdin.on('data', read)
  return () => {
    stdin.off('data', read)
    stdin.pause()
  }
}

async function toStudioOptions(cli: Cli, options: StudioCommandOptions): Promise<StudioOptions> {
  const named = await chosenModels(cli, options.model)
  const models: StudioModel[] = [
    ...named.map((model) => toStudioModel(model, cli)),
    createDemoModel(),
  ]
  const agents = toStudioAgents(options.agent ?? [], options.tokenEnv, cli)
  const tools = options.tools === undefined ? [] : await loadTools(options.tools)
  const assets = await loadPage()
  const file = options.memory
    ? undefined
    : (options.file ?? join(dirname(cli.locations.sessions), 'studio.db'))
  return {
    models,
    tools,
    agents,
    assets,
    hosts: () => Promise.resolve(named.flatMap((model) => toHosts(model, cli))),
    allowLists: toAllowLists(named, cli),
    doctor: (id, aborted) => examine(named, id, cli, aborted),
    openCassette: (cassette) => openCassette(cassette, cli),
    // Opened last: nothing above can leave it open.
    ...(file !== undefined && { file, store: openFileStore(file) }),
  }
}

function toAllowLists(
  named: readonly NamedModel[],
  { context }: Cli,
): NonNullable<StudioOptions['allowLists']> {
  const configs = named.map(({ config }) => config)
  return Object.fromEntries(
    Object.entries(exporters).map(([name, write]) => [
      name,
      () => {
        const facts = { env: environmentNames(configs, context), addresses: {} }
        const { text, requires } = write(apiHosts(configs, context), facts)
        const variables = requires.env.map(
          (variable) => `The program may read the variable ${variable}.`,
        )
        return Promise.resolve({
          text,
          notes: [...variables, ...requires.notes, ...requires.warnings],
        })
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
  apiHosts(config, context).map((entry) => ({
    host: hostPort(entry),
    usedBy: name,
    purpose: entry.purpose,
  }))

async function* examine(
  named: readonly NamedModel[],
  id: string,
  cli: Cli,
  signal: AbortSignal,
): AsyncGenerator<DoctorStepInfo> {
  const model = named.find(({ name }) => name === id)
  if (!model) {
    yield {
      name: 'model',
      status: 'skipped',
      detail: 'this model contacts no host, so there is nothing to test',
    }
    return
  }
  const examined = { ...cli, signal: AbortSignal.any([cli.signal, signal]) }
  for await (const { id, status, detail, fix } of checkModel(model, examined, {
    until: 'schema',
    timeoutMs: stepTimeoutMs,
  }))
    yield { name: id, status, detail, ...(fix !== undefined && { fix }) }
}
