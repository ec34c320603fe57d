import { isLoopback } from '@modelport/core/settings'
import type { HostEntry } from '../base/host-entry.js'
import {
  type AllowList,
  addressFamily,
  groupByPort,
  proxiedHosts,
  toAllowList,
  unique,
  withoutBrackets,
} from './allow-list.js'

/**
 * Rules for Squid: the hosts that it dials for the program.
 * @see https://www.squid-cache.org/Doc/config/acl/ (read 2026-11-21)
 */
export function toSquid(hosts: readonly HostEntry[]): AllowList {
  const list = proxiedHosts(hosts)
  const secure = groupByPort(list.filter(({ scheme }) => scheme === 'https'))
  const plain = groupByPort(list.filter(({ scheme }) => scheme === 'http'))
  const suffix = (port: number): string => (port === 443 ? '' : `_${port}`)
  const lists = [
    ...secure.map(([port, group]) =>
      toRules(`api${suffix(port)}`, `tls${suffix(port)}`, port, group, ''),
    ),
    ...plain.map(([port, group]) =>
      toRules(`plain_${port}`, `port_${port}`, port, group, ' !CONNECT'),
    ),
  ]
  const tunnels = secure.map(([port]) => ` !tls${suffix(port)}`).join('')
  const lines = [
    ...lists.flatMap(({ acls }) => acls),
    'acl CONNECT method CONNECT',
    `http_access deny CONNECT${tunnels}`,
    ...lists.flatMap(({ rules }) => rules),
    'http_access deny all',
  ]
  const local = unique(list.filter(({ host }) => isLoopback(host)).map(({ host }) => host))
  return toAllowList('squid 6', hosts, (mark) => [`# ${mark}`, ...lines].join('\n'), {
    notes: ['the program must use it: give each model proxy, or proxyEnv: "HTTPS_PROXY"'],
    warnings: local.map((host) => `${host} is the proxy's own computer here, not the program's`),
  })
}

function toRules(
  name: string,
  portName: string,
  port: number,
  group: readonly HostEntry[],
  more: string,
): { acls: string[]; rules: string[] } {
  const names = unique(group.filter(({ host }) => !addressFamily(host)).map(({ host }) => host))
  const addresses = unique(
    group.filter(({ host }) => addressFamily(host)).map(({ host }) => withoutBrackets(host)),
  )
  return {
    acls: [
      // -n: what an address claims to be called, in DNS, is no way in.
      ...(names.length ? [`acl ${name} dstdomain -n ${names.join(' ')}`] : []),
      ...(addresses.length ? [`acl ${name}_ip dst -n ${addresses.join(' ')}`] : []),
      `acl ${portName} port ${port}`,
    ],
    rules: [
      ...(names.length ? [`http_access allow ${name} ${portName}${more}`] : []),
      ...(addresses.length ? [`http_access allow ${name}_ip ${portName}${more}`] : []),
    ],
  }
}
