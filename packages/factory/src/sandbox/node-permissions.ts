import type { HostEntry } from '../base/host-entry.js'
import { type AllowList, dialledHosts, toAllowList } from './allow-list.js'
import { checkNames, quote } from './check-names.js'

/** How the program is started. */
export interface NodeOptions {
  /** Node's major version. Default 26. */
  readonly version?: number
  /** Default `app.mjs`. */
  readonly program?: string
}

/** First version whose permission model knows the network. */
const firstWithNetwork = 25

/**
 * A command for Node, whose permission is all or nothing: no list of hosts.
 * @see https://nodejs.org/api/permissions.html (read 2026-11-21)
 */
export function toNode(
  hosts: readonly HostEntry[],
  { version = 26, program = 'app.mjs' }: NodeOptions = {},
): AllowList {
  checkNames('node', 'a path without control characters that does not begin with "-"', [program])
  const needed = dialledHosts(hosts).length > 0
  const limits = version >= firstWithNetwork
  const flags = ['--permission', ...(limits && needed ? ['--allow-net'] : []), '--allow-fs-read=.']
  const warning = limits
    ? '--allow-net takes no list of hosts: a value is accepted and everything is allowed'
    : `--permission of Node ${version} does not limit the network`
  return toAllowList(
    `node ${version}`,
    hosts,
    (mark) => `# ${mark}\nnode ${[...flags, program].map(quote).join(' ')}`,
    {
      notes: ['modelport itself holds to the list with enforceHosts: true'],
      warnings: limits && !needed ? [] : [warning],
    },
  )
}
