import { type HostEntry, hostPort } from '@modelport/factory'
import { type AllowList, addressFamily, groupByPort, proxiedHosts, toAllowList, unique } from './allow-list.js'
import { checkNames } from './check-names.js'

/** A name as a source value of `map`: its special parameters are escaped. */
const source = (host: string): string => (/^(default|hostnames|include|volatile)$/i.test(host) ? `\\${host}` : host)

/** What the server needs to know. */
export interface NginxOptions {
  /** Address of a DNS server. Default `10.0.0.53`. */
  readonly resolver?: string
}

/**
 * A TLS passthrough by server name, for nginx. Plain http and IP addresses have no server name and cannot pass.
 * @see https://nginx.org/en/docs/stream/ngx_stream_ssl_preread_module.html (read 2026-11-21)
 */
export function toNginx(hosts: readonly HostEntry[], { resolver = '10.0.0.53' }: NginxOptions = {}): AllowList {
  checkNames('nginx 1.28', 'an address or the name of a host', [resolver])
  const list = proxiedHosts(hosts)
  const passing = list.filter(({ scheme, host }) => scheme === 'https' && !addressFamily(host))
  const blocks = groupByPort(passing).flatMap(([port, group]) => {
    const variable = port === 443 ? '$dest' : `$dest_${port}`
    const rows = unique(group.map((entry) => `${source(entry.host)} ${hostPort(entry)};`)).join(' ')
    return [
      `  map $ssl_preread_server_name ${variable} { ${rows} default ""; }`,
      `  server { listen ${port}; ssl_preread on; resolver ${resolver}; proxy_pass ${variable}; }`,
    ]
  })
  const left = list.filter((entry) => !passing.includes(entry))
  return toAllowList('nginx 1.28', hosts, (mark) => [`# ${mark}`, 'stream {', ...blocks, '}'].join('\n'), {
    notes: ['names must resolve to this server for the program, and to the real hosts for this server'],
    warnings: unique(
      left.map(
        (entry) =>
          `${hostPort(entry)} is left out: ${entry.scheme === 'http' ? 'plain http' : 'an IP address'} has no TLS server name`,
      ),
    ),
  })
}
