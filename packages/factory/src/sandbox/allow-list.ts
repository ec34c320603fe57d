import { configError } from '@modelport/core'
import { type HostEntry, hostPort } from '../base/host-entry.js'
import { checkHosts } from './check-names.js'

/** A list of hosts in the words of one sandbox. */
export interface AllowList {
  /** The sandbox, and the version the form is for. */
  readonly target: string
  /** The file or the command. It holds {@link AllowList.hash}. */
  readonly text: string
  /** Stands for the list: another list has another one. */
  readonly hash: string
  /** What no list can say. */
  readonly requires: AllowListRequirements
}

/** Prerequisites that the list itself cannot express. */
export interface AllowListRequirements {
  /**
   * Variables that the list lets the program read. A configuration with an address or a key of its
   * own works without some of them.
   */
  readonly env: readonly string[]
  /** What to know. */
  readonly notes: readonly string[]
  /** Where the form allows more, or less, than the list says. */
  readonly warnings: readonly string[]
}

/** Puts a list together. @throws {LlmError} `config` — a host is neither a name nor an address. */
export function toAllowList(
  target: string,
  hosts: readonly HostEntry[],
  text: (mark: string) => string,
  requires: Partial<AllowListRequirements> = {},
): AllowList {
  checkHosts(target, hosts)
  const hash = hashHosts(hosts)
  const { env = [], notes = [], warnings = [] } = requires
  return {
    target,
    text: `${text(`modelport hosts ${hash}`).trimEnd()}\n`,
    hash,
    requires: { env, notes, warnings },
  }
}

/**
 * Stands for a list of hosts, in any order: 16 hexadecimal digits. Tells lists apart; no protection
 * against forgery.
 */
export function hashHosts(hosts: readonly HostEntry[]): string {
  const text = hosts
    .map(
      (entry) =>
        `${entry.scheme} ${hostPort(entry)} ${entry.purpose} ${entry.phase} ${String(entry.viaProxy ?? false)}`,
    )
    .sort()
    .join('\n')
  // FNV-1a of 64 bits.
  let hash = 0xcbf29ce484222325n
  for (const byte of new TextEncoder().encode(text))
    hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn
  return hash.toString(16).padStart(16, '0')
}

/**
 * The hosts that a running program dials itself, `localhost` in all three forms it may resolve to.
 */
export function dialledHosts(hosts: readonly HostEntry[]): HostEntry[] {
  return expandLocalhost(
    statedHosts(hosts).filter(({ phase, viaProxy }) => phase !== 'setup' && !viaProxy),
  )
}

/**
 * The list, if it is one: a model of another library may have hosts that nobody knows.
 * @throws {LlmError} `config` — it is not a list.
 */
export function statedHosts(hosts: readonly HostEntry[]): readonly HostEntry[] {
  const isList: boolean = Array.isArray(hosts)
  if (isList) return hosts
  throw configError(
    `the hosts are ${JSON.stringify(hosts)}; state them as a list; nothing was written`,
  )
}

/** The hosts that a proxy dials for a running program. */
export const proxiedHosts = (hosts: readonly HostEntry[]): HostEntry[] =>
  statedHosts(hosts).filter(({ phase, purpose }) => phase !== 'setup' && purpose !== 'proxy')

/**
 * The hosts that a program asks a sandbox's own proxy for: inside, a variable with the address of a
 * proxy names that one, whatever it names here.
 */
export const sandboxedHosts = (hosts: readonly HostEntry[]): HostEntry[] =>
  statedHosts(hosts).some(({ purpose, source }) => purpose === 'proxy' && source === 'env')
    ? expandLocalhost(proxiedHosts(hosts))
    : dialledHosts(hosts)

function expandLocalhost(hosts: readonly HostEntry[]): HostEntry[] {
  const expanded = hosts.flatMap((entry) =>
    entry.host === 'localhost'
      ? ['localhost', '127.0.0.1', '[::1]'].map((host) => ({ ...entry, host }))
      : [entry],
  )
  return [...new Map(expanded.map((entry) => [hostPort(entry), entry])).values()]
}

/** Each text once, in order. */
export const unique = (texts: readonly string[]): string[] => [...new Set(texts)]

/** 4, 6, or 0 for a name. */
export const addressFamily = (host: string): 0 | 4 | 6 =>
  host.startsWith('[') ? 6 : /^\d+\.\d+\.\d+\.\d+$/.test(host) ? 4 : 0

/** IPv6 without its brackets. */
export const withoutBrackets = (host: string): string => host.replace(/^\[(.*)\]$/, '$1')

/** Hosts by port, in order. */
export function groupByPort(hosts: readonly HostEntry[]): [port: number, hosts: HostEntry[]][] {
  const groups = new Map<number, HostEntry[]>()
  for (const entry of hosts) groups.set(entry.port, [...(groups.get(entry.port) ?? []), entry])
  return [...groups]
}

/** The warning of every form that has no ports. */
export function portWarning(hosts: readonly HostEntry[]): string[] {
  return hosts.length
    ? [
        `this form has no ports: it allows every port of ${unique(hosts.map(({ host }) => host)).join(', ')}`,
      ]
    : []
}
