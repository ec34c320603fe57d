import type { BaseUrl } from '@modelport/core'

/** A host that may be contacted. */
export interface HostEntry {
  /** Lower case, IPv6 in brackets, without the port. */
  readonly host: string
  /** Its port, also where it is the scheme's default. */
  readonly port: number
  /** Whether the connection is encrypted. */
  readonly scheme: 'http' | 'https'
  /** Why it is contacted. No host is ever contacted for telemetry. */
  readonly purpose: 'api' | 'auth' | 'metadata' | 'download' | 'proxy' | 'studio'
  /** When: while models are used, once at set-up, or for credentials. */
  readonly phase: 'runtime' | 'setup' | 'auth'
  /** False when only some uses contact it; `when` says which. */
  readonly required: boolean
  /** In words: which uses contact it. */
  readonly when?: string
  /** True when a proxy is dialled instead. */
  readonly viaProxy?: boolean
  /** Where the address came from. */
  readonly source: 'config' | 'env' | 'default'
}

/** Makes an entry of a checked address. */
export function toHostEntry(
  { href, host }: BaseUrl,
  facts: Omit<HostEntry, 'host' | 'port' | 'scheme'>,
): HostEntry {
  const colon = host.lastIndexOf(':')
  return {
    host: host.slice(0, colon),
    port: Number(host.slice(colon + 1)),
    scheme: href.startsWith('https:') ? 'https' : 'http',
    ...facts,
  }
}

/** `host:port` of an entry, as sandboxes write it. */
export const hostPort = ({ host, port }: Pick<HostEntry, 'host' | 'port'>): string =>
  `${host}:${port}`

/** Joins lists in order; a host named twice is listed once, with the wider of the two uses. */
export function joinHosts(lists: readonly (readonly HostEntry[])[]): HostEntry[] {
  const joined = new Map<string, HostEntry>()
  for (const entry of lists.flat()) {
    const key = `${entry.scheme} ${hostPort(entry)}`
    const twin = joined.get(key)
    if (!twin) {
      joined.set(key, entry)
      continue
    }
    const { viaProxy: _, when: __, ...merged } = twin
    const required = twin.required || entry.required
    joined.set(key, {
      ...merged,
      required,
      ...(!required && twin.when !== undefined && { when: twin.when }),
      ...(twin.viaProxy && entry.viaProxy && { viaProxy: true }),
    })
  }
  return [...joined.values()]
}
