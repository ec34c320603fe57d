import type { HostEntry } from '@modelport/factory'
import { type AllowList, portWarning, sandboxedHosts, toAllowList, unique, withoutBrackets } from './allow-list.js'
import { checkNames } from './check-names.js'

/** Which form of the configuration. */
export interface CodexOptions {
  /** `permissions` the present one · `policy` before it · `network-access` the oldest: all or nothing. Default `permissions`. */
  readonly form?: 'permissions' | 'policy' | 'network-access'
  /** Default `workspace`. */
  readonly profile?: string
}

const permissionNotes = [
  'profiles and sandbox_mode exclude each other',
  'without the feature network_proxy the list does not bind',
]

/** Configuration for Codex (`config.toml`). @see https://developers.openai.com/codex/config-reference (read 2026-11-21) */
export function toCodex(
  hosts: readonly HostEntry[],
  { form = 'permissions', profile = 'workspace' }: CodexOptions = {},
): AllowList {
  checkNames('codex', 'a name of letters, digits, "-", "_" and "."', [profile])
  const list = sandboxedHosts(hosts)
  const names = unique(list.map(({ host }) => withoutBrackets(host)))
  const forms = {
    permissions: [
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
    ],
    policy: ['[network_proxy.policy]', `allowed_domains = [${names.map((name) => JSON.stringify(name)).join(', ')}]`],
    'network-access': ['[sandbox_workspace_write]', `network_access = ${names.length > 0}`],
  }
  return toAllowList(`codex (${form})`, hosts, (mark) => [`# ${mark}`, ...forms[form]].join('\n'), {
    notes:
      form === 'permissions'
        ? [
            ...permissionNotes,
            ...(names.length ? ['the way out is a proxy: give each model proxyEnv: "HTTPS_PROXY"'] : []),
          ]
        : [],
    warnings:
      form === 'network-access' && names.length
        ? ['this form is all or nothing: it allows every host']
        : portWarning(list),
  })
}
