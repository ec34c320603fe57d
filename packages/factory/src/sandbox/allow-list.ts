import { configError } from '@modelport/core'
import { type HostEntry, hostPort } from '../base/host-entry.js'
import { checkHosts } from './check-names.js'

/** A list of hosts in the words of one sandbox. */
export interface AllowList {
  /** The sandbox, and the version the form is for. */
  readonly target: string
  /** The file or the command. It holds {@link AllowList.hash}. */
  readonly text: string
  /** Identifies the list: lists of other hosts have another hash. */
  readonly hash: string
  /** What has to be done besides applying the list. */
  readonly requires: AllowListRequirements
}

/** Prerequisites that the list itself cannot express. */
export interface AllowListRequirements {
  /**
   * Variables that the list lets the program read. A configuration with an address or a key of its
   * own works without some of them.
   */
  readonly env: readonly string[]
  /** Advice to whoever applies the list. */
  readonly notes: readonly string[]
  /** Where the form allows more, or less, than the list says. */
  readonly warnings: readonly string[]
}

/**
 * Puts a list together. `toText` writes its text, with the mark in a comment.
 * @throws {LlmError} `config` — a host is neither a name nor an address.
 */
export function toAllowList(
  target: string,
  hosts: readonly HostEntry[],
  toText: (mark: string) => string,
  requires: Partial<AllowListRequirements> = {},
): AllowList {
  checkHosts(target, hosts)
  const hash = hashHosts(hosts)
  const { env = [], notes = [], warnings = [] } = requires
  const text = toText(`modelport hosts ${hash}`)
  return {
    target,
    text: `${text.trimEnd()}\n`,
    hash,
    requires: { env, notes, warnings },
  }
}

/**
 * The hash of a list of hosts, whatever their order: 16 hexadecimal digits. It tells lists apart,
 * and does not protect against forgery.
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
 * Checks that the hosts are a list: a model of another library may not state any.
 * @throws {LlmError} `config` — they are not.
 */
export function statedHosts(hosts: readonly HostEntry[]): readonly HostEntry[] {
  // The types promise a list, a caller may not keep that.
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
 * The hosts that a program asks the proxy of its sandbox for. Inside the sandbox, variables such as
 * `HTTPS_PROXY` name that proxy. So a proxy that a variable names here is not dialled there, and
 * the hosts behind it are listed instead.
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
