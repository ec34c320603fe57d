import { checkSettings } from '@modelport/core/settings'
import { type HostEntry, hostPort } from '../base/host-entry.js'
import { type AllowList, dialledHosts, toAllowList, unique } from './allow-list.js'
import { checkNames, quote } from './check-names.js'

/** How the program is started. */
export interface DenoOptions {
  /** Variables it may read: see `environmentNames`. */
  readonly env?: readonly string[]
  /** Default `app.ts`. */
  readonly program?: string
  /** Arguments of the program. Default: none. */
  readonly args?: readonly string[]
}

/**
 * A command for Deno 2.
 * @see https://docs.deno.com/runtime/fundamentals/security/ (read 2026-11-21)
 */
export function toDeno(hosts: readonly HostEntry[], options: DenoOptions = {}): AllowList {
  checkSettings('toDeno', options, ['env', 'program', 'args'])
  const { env = [], program = 'app.ts', args = [] } = options
  checkNames('deno 2.9', 'the name of a variable', env)
  checkNames('deno 2.9', 'a path without control characters that does not begin with "-"', [
    program,
  ])
  const list = unique(dialledHosts(hosts).map(hostPort))
  const flags = [
    ...(list.length ? [`--allow-net=${list.join(',')}`] : []),
    ...(env.length ? [`--allow-env=${env.join(',')}`] : []),
    // Vendors' SDKs look for variables of their own when they are loaded: here there are none,
    // instead of an end.
    '--ignore-env',
  ]
  return toAllowList(
    'deno 2.9',
    hosts,
    (mark) => `# ${mark}\ndeno run ${[...flags, program, ...args].map(quote).join(' ')}`,
    {
      env,
      notes: ['in code: Deno.permissions.query({ name: "net", host: "HOST:PORT" })'],
      warnings: list.length
        ? []
        : ['the list is empty: without --allow-net every connection is refused'],
    },
  )
}
