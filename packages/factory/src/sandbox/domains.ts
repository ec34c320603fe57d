import { isLoopback } from '@modelport/core/settings'
import { type HostEntry, hostPort } from '../base/host-entry.js'
import { type AllowList, addressFamily, sandboxedHosts, toAllowList, unique } from './allow-list.js'

/**
 * Settings for sandbox-runtime 0.0.68 or later (`~/.srt-settings.json`, or `--settings`): older
 * versions know no ports.
 * @see https://github.com/anthropic-experimental/sandbox-runtime (read 2026-11-21)
 */
export function toSrt(hosts: readonly HostEntry[]): AllowList {
  const { domains, warnings } = toDomains(hosts)
  const settings = {
    network: { allowedDomains: domains, deniedDomains: [] },
    filesystem: { denyRead: [], allowWrite: ['.'], denyWrite: [] },
  }
  return toAllowList(
    'srt 0.0.68 or later',
    hosts,
    (mark) => JSON.stringify({ '//': mark, ...settings }, undefined, 2),
    {
      notes: srtNotes(hosts),
      warnings,
    },
  )
}

/**
 * Settings for Claude Code (`settings.json`): the same matcher.
 * @see https://code.claude.com/docs/en/sandboxing (read 2026-11-21)
 */
export function toClaudeCode(hosts: readonly HostEntry[]): AllowList {
  const { domains, warnings } = toDomains(hosts)
  const sandbox = {
    enabled: true,
    network: { allowedDomains: domains, deniedDomains: [], allowLocalBinding: false },
  }
  return toAllowList(
    'claude-code 2',
    hosts,
    (mark) => JSON.stringify({ '//': mark, sandbox }, undefined, 2),
    {
      notes: [
        ...srtNotes(hosts),
        'the key is allowedDomains; network.allow is ignored without a word',
        'rules for WebFetch are separate: WebFetch(domain:HOST)',
      ],
      warnings: [
        ...warnings,
        'enforcement has had defects: try that another host is refused before you trust it',
      ],
    },
  )
}

function toDomains(hosts: readonly HostEntry[]): { domains: string[]; warnings: string[] } {
  const list = sandboxedHosts(hosts)
  const usable = list.filter(
    ({ host }) => host === 'localhost' || addressFamily(host) || host.includes('.'),
  )
  const refused = unique(list.filter((entry) => !usable.includes(entry)).map(({ host }) => host))
  const warnings = [
    ...refused.map(
      (host) =>
        `${host} is left out: a name of one label is refused; use its full name or its address in the base URL`,
    ),
    ...(usable.some(({ host }) => addressFamily(host) === 6)
      ? ['IPv6 may still be refused: older versions split CONNECT at the first colon']
      : []),
  ]
  return { domains: unique(usable.map(hostPort)), warnings }
}

/** How a program gets out of srt's network. */
function srtNotes(hosts: readonly HostEntry[]): string[] {
  const list = sandboxedHosts(hosts)
  if (!list.length) return []
  const local = unique(list.filter(({ host }) => isLoopback(host)).map(hostPort))
  return [
    'the way out is a proxy that wants a password: give each model proxyEnv: "HTTPS_PROXY"',
    ...(local.length
      ? [
          `on Linux the sandbox has a loopback of its own: ${local.join(', ')} outside of it is reached through that proxy alone`,
        ]
      : []),
  ]
}
