import type { Endpoint } from './endpoint.js'

/** An endpoint with its compiled path. */
export interface Route {
  readonly endpoint: Endpoint
  readonly pattern: RegExp
  readonly names: readonly string[]
}

/** The table, ready to be searched. */
export interface Routes {
  /** Rows without placeholders, by method and path. */
  readonly plain: ReadonlyMap<string, Endpoint>
  readonly all: readonly Route[]
}

/** Compiles the paths of the table. `{name}` matches one segment without a colon. */
export function toRoutes(endpoints: readonly Endpoint[]): Routes {
  const all = endpoints.map((endpoint) => {
    const names = Array.from(endpoint.path.matchAll(/\{(\w+)\}/g), ([, name = '']) => name)
    const source = endpoint.path.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&').replaceAll(/\{\w+\}/g, '([^/:]+)')
    return { endpoint, names, pattern: new RegExp(`^${source}$`) }
  })
  const plain = all.filter(({ names }) => !names.length).map(({ endpoint }) => endpoint)
  return { all, plain: new Map(plain.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint])) }
}

/** A route that fits, or the methods that others at this path take. */
export type RouteMatch =
  | { readonly endpoint: Endpoint; readonly params: Readonly<Record<string, string>> }
  | { readonly allow: readonly string[] }

/** Finds the route of a request; rows that come first win. */
export function matchRoute({ plain, all }: Routes, method: string, path: string): RouteMatch | undefined {
  const found = plain.get(`${method} ${path}`)
  if (found) return { endpoint: found, params: {} }
  const allow = new Set<string>()
  for (const { endpoint, pattern, names } of all) {
    const values = pattern.exec(path)?.slice(1)
    if (!values) continue
    const params = decode(names, values)
    // An address that cannot be decoded names nothing.
    if (!params) continue
    if (endpoint.method === method || (method === 'HEAD' && endpoint.method === 'GET')) return { endpoint, params }
    if (!names.includes('tenant')) allow.add(endpoint.method)
  }
  return allow.size ? { allow: [...allow] } : undefined
}

function decode(names: readonly string[], values: readonly string[]): Readonly<Record<string, string>> | undefined {
  try {
    return Object.fromEntries(names.map((name, index) => [name, decodeURIComponent(values[index] ?? '')]))
  } catch {
    return undefined
  }
}
