import { isLoopback } from '@modelport/core/settings'
import { type HostEntry, hostPort } from '../base/host-entry.js'
import { type AllowList, statedHosts, toAllowList, unique } from './allow-list.js'
import { checkNames } from './check-names.js'

/** Which of Docker's ways. */
export interface DockerOptions {
  /** Name of the network without a way out. Default `model-net`. */
  readonly network?: string
}

/**
 * Commands for Docker: a network without a way out, and rules for Docker Sandboxes, which have a
 * list.
 * @see https://docs.docker.com/ai/sandboxes/ (read 2026-11-21)
 */
export function toDocker(
  hosts: readonly HostEntry[],
  { network = 'model-net' }: DockerOptions = {},
): AllowList {
  checkNames('docker 29', 'a name of letters, digits, "-", "_" and "."', [network])
  const list = statedHosts(hosts).filter(({ phase, viaProxy }) => phase !== 'setup' && !viaProxy)
  const local = list.filter(({ host }) => isLoopback(host))
  const rules = unique(
    list.map(
      (entry) =>
        `sbx policy allow network "${hostPort(isLoopback(entry.host) ? { ...entry, host: 'host.docker.internal' } : entry)}"`,
    ),
  )
  return toAllowList(
    'docker 29',
    hosts,
    (mark) => [`# ${mark}`, `docker network create --internal ${network}`, ...rules].join('\n'),
    {
      notes: [
        'a container network has no list of hosts: run a proxy that has one next to it (see squid) and give each model proxyEnv: "HTTPS_PROXY"',
        ...(local.length
          ? ['inside a container this computer is host.docker.internal: the base URL must say so']
          : []),
      ],
      warnings: rules.length
        ? ['rules of Docker Sandboxes count for the whole machine, and a deny wins over them']
        : [],
    },
  )
}
