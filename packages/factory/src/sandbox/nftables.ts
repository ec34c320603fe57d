import { configError } from '@modelport/core'
import type { HostEntry } from '../base/host-entry.js'
import {
  type AllowList,
  addressFamily,
  dialledHosts,
  toAllowList,
  unique,
  withoutBrackets,
} from './allow-list.js'
import { checkNames } from './check-names.js'

/** Where the rules go. */
export interface NftablesOptions {
  /** Name of the inet table. Default `fw`. */
  readonly table?: string
  /** Name of its chain for leaving packets. Default `out`. */
  readonly chain?: string
  /** How long an address stays in its set, in seconds. Default 300. */
  readonly timeoutSeconds?: number
}

/**
 * A shell script for nftables. It makes a set of addresses that expire for each version of IP, with
 * a rule that accepts it, and resolves the hosts anew: run it more often than addresses expire.
 * @see https://wiki.nftables.org/wiki-nftables/index.php/Concatenations (read 2026-11-21)
 */
export function toNftables(
  hosts: readonly HostEntry[],
  { table = 'fw', chain = 'out', timeoutSeconds = 300 }: NftablesOptions = {},
): AllowList {
  checkNames('nftables 1.0', 'the name of a variable', [table, chain])
  if (!Number.isInteger(timeoutSeconds) || timeoutSeconds < 1)
    throw configError(
      `nftables 1.0: timeoutSeconds must be a whole number of at least 1, not ${timeoutSeconds}`,
    )

  const targets = dialledHosts(hosts)
  const add = (set: string, address: string, port: number): string =>
    `nft add element inet ${table} ${set} "{ ${address} . ${port} timeout ${timeoutSeconds}s }"`
  const refreshLines = unique(
    targets.flatMap(({ host, port }) => {
      const family = addressFamily(host)
      if (family) return [add(`api${family}`, withoutBrackets(host), port)]

      return ([4, 6] as const).map(
        (version) =>
          `for a in $(getent ahostsv${version} ${host} | awk '{print $1}' | sort -u); do ${add(`api${version}`, '$a', port)}; done`,
      )
    }),
  )
  const lines = [
    `nft add set inet ${table} api4 '{ type ipv4_addr . inet_service; flags timeout; }'`,
    `nft add set inet ${table} api6 '{ type ipv6_addr . inet_service; flags timeout; }'`,
    `nft list chain inet ${table} ${chain} | grep -q @api4 || nft add rule inet ${table} ${chain} ip daddr . tcp dport @api4 accept`,
    `nft list chain inet ${table} ${chain} | grep -q @api6 || nft add rule inet ${table} ${chain} ip6 daddr . tcp dport @api6 accept`,
    ...refreshLines,
  ]
  const toScript = (mark: string): string => ['#!/bin/sh', `# ${mark}`, ...lines].join('\n')

  const refreshSeconds = Math.max(1, Math.floor(timeoutSeconds / 5))
  const hasNames = targets.some(({ host }) => !addressFamily(host))
  return toAllowList('nftables 1.0', hosts, toScript, {
    notes: [
      `run it every ${refreshSeconds} s; the table, the chain, its rule for DNS and its policy drop are yours`,
    ],
    warnings: hasNames
      ? ['addresses stand for names here: those of a CDN serve other customers too']
      : [],
  })
}
