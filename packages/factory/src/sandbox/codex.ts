import type { HostEntry } from '../base/host-entry.js'
import {
  type AllowList,
  portWarning,
  sandboxedHosts,
  toAllowList,
  unique,
  withoutBrackets,
} from './allow-list.js'
import { checkNames } from './check-names.js'

/** Names in the configuration. */
export interface CodexOptions {
  /** Name of the profile of permissions. Default `workspace`. */
  readonly profile?: string
}

/**
 * Configuration for Codex (`config.toml`).
 * @see https://developers.openai.com/codex/config-reference (read 2026-11-21)
 */
export function toCodex(
  hosts: readonly HostEntry[],
  { profile = 'workspace' }: CodexOptions = {},
): AllowList {
  checkNames('codex', 'a name of letters, digits, "-", "_" and "."', [profile])
  const list = sandboxedHosts(hosts)
  const names = unique(list.map(({ host }) => withoutBrackets(host)))
  const lines = [
    `default_permissions = ${JSON.stringify(profile)}`,
    '[features]',
    'network_proxy = true',
    // Without it the profile may read no file, and no command starts.
    `[permissions.${profile}]`,
    'extends = ":workspace"',
    `[permissions.${profile}.network]`,
    'enabled = true',
    `[permissions.${profile}.network.domains]`,
    ...names.map((name) => `${JSON.stringify(name)} = "allow"`),
  ]
  return toAllowList('codex (permissions)', hosts, (mark) => [`# ${mark}`, ...lines].join('\n'), {
    notes: [
      'profiles and sandbox_mode exclude each other',
      'without the feature network_proxy the list does not bind',
      ...(names.length ? ['the way out is a proxy: give each model proxyEnv: "HTTPS_PROXY"'] : []),
    ],
    warnings: portWarning(list),
  })
}
