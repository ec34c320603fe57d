import { lookup } from 'node:dns/promises'
import {
  apiHosts,
  environmentNames,
  type HostEntry,
  hostPort,
  type ModelConfig,
} from '@modelport/factory'
import * as sandbox from '@modelport/factory/sandbox'
import { createAgentClient } from '@modelport/serve'
import type { Cli, CommonOptions } from '../context/cli.js'
import { exitCodes } from '../errors/exit-codes.js'
import { loadModels } from '../models/configured-models.js'
import { withProgress } from '../terminal/progress.js'
import type { allowListFormats, HostFormat } from './host-formats.js'

interface Facts {
  readonly env: readonly string[]
  readonly addresses: Readonly<Record<string, readonly string[]>>
}

type Exporter = (hosts: readonly HostEntry[], facts: Facts) => sandbox.AllowList

/** The function that writes each format. */
export const exporters: Readonly<Record<(typeof allowListFormats)[number], Exporter>> = {
  deno: (hosts, { env }) => sandbox.toDeno(hosts, { env }),
  srt: (hosts) => sandbox.toSrt(hosts),
  'claude-code': (hosts) => sandbox.toClaudeCode(hosts),
  codex: (hosts) => sandbox.toCodex(hosts),
  squid: (hosts) => sandbox.toSquid(hosts),
  cilium: (hosts) => sandbox.toCilium(hosts),
  kubernetes: (hosts, { addresses }) => sandbox.toKubernetes(hosts, { addresses }),
  nftables: (hosts) => sandbox.toNftables(hosts),
  docker: (hosts) => sandbox.toDocker(hosts),
  node: (hosts) => sandbox.toNode(hosts),
}

/** Options of `modelport hosts`. */
export interface HostsOptions extends CommonOptions {
  readonly format: HostFormat
  readonly model?: readonly string[]
  readonly resolve?: boolean
  readonly agent?: readonly string[]
}

/** Runs `modelport hosts`; resolves to the exit code. */
export async function hosts(
  cli: Cli,
  { format, model: names, resolve = false, agent = [] }: HostsOptions,
): Promise<number> {
  const { out, err, json, context } = cli
  const models = await loadModels(cli)
  const chosen =
    names?.map((name) => models.pick(name)) ?? (agent.length && models.isEmpty ? [] : models.all())
  const configs: ModelConfig[] = chosen.map(({ config }) => config)
  const entries = withAgentHosts(apiHosts(configs, context), agent)
  const facts = {
    env: environmentNames(configs, context),
    addresses: resolve ? await withProgress(err, 'looking names up', () => lookUp(entries)) : {},
  }
  const list = format === 'list' ? undefined : exporters[format](entries, facts)
  if (json) {
    out.json({ hosts: entries, environment: facts.env, ...(list && { allowList: list }) })
    return exitCodes.done
  }
  if (!list) {
    for (const entry of entries) out.line(`${hostPort(entry)}${describe(entry)}`)
    return exitCodes.done
  }
  out.write(list.text)
  // Notes that the format cannot express must not end up in the file.
  for (const note of [
    ...list.requires.env.map((name) => `the program may read the environment variable ${name}`),
    ...list.requires.notes,
  ])
    err.line(err.style('dim', `note: ${note}`))
  for (const warning of list.requires.warnings) err.line(err.style('yellow', `warning: ${warning}`))
  return exitCodes.done
}

/** Adds the hosts of agents that the list does not have yet. Contacts nothing. */
function withAgentHosts(entries: readonly HostEntry[], urls: readonly string[]): HostEntry[] {
  const list = [...entries]
  for (const url of urls) {
    for (const address of createAgentClient(url).hosts()) {
      const colon = address.lastIndexOf(':')
      const scheme = url.startsWith('https:') ? 'https' : 'http'
      const entry = {
        host: address.slice(0, colon),
        port: Number(address.slice(colon + 1)),
        scheme,
      } as const
      if (!list.some(({ host, port }) => host === entry.host && port === entry.port))
        list.push({ ...entry, purpose: 'api', phase: 'runtime', required: true, source: 'config' })
    }
  }
  return list
}

function describe({ purpose, scheme, required, when, viaProxy }: HostEntry): string {
  const facts = [
    ...(purpose === 'api' ? [] : [purpose]),
    ...(scheme === 'http' ? ['http'] : []),
    ...(required ? [] : [when ?? 'optional']),
    ...(viaProxy ? ['through the proxy'] : []),
  ]
  return facts.length ? `  # ${facts.join(', ')}` : ''
}

async function lookUp(entries: readonly HostEntry[]): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {}
  for (const { host } of entries) {
    if (found[host] || host.startsWith('[')) continue
    found[host] = (await lookup(host, { all: true }).catch(() => [])).map(({ address }) => address)
  }
  return found
}
