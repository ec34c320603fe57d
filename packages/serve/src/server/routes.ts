import { AgentError } from '@modelport/agent'
import type { Endpoint } from '../wire/wire.js'

/** The rows of one method at one path: of several versions of A2A, or a single one. */
interface Route {
  readonly method: string
  readonly rows: readonly Endpoint[]
  readonly pattern: RegExp
  readonly names: readonly string[]
}

/** The table, ready to be searched. */
export interface Routes {
  /** Rows without placeholders, by method and path. */
  readonly plain: ReadonlyMap<string, Route>
  readonly all: readonly Route[]
  /** The versions of A2A that the table speaks, newest first. */
  readonly versions: string
  /** First segments of the paths: no tenant may have such a name. */
  readonly reserved: ReadonlySet<string>
}

/** Compiles the paths of the table. `{name}` matches one segment without a colon. */
export function toRoutes(endpoints: readonly Endpoint[]): Routes {
  const groups = new Map<string, Endpoint[]>()
  for (const endpoint of endpoints) {
    const key = `${endpoint.method} ${endpoint.path}`
    groups.set(key, [...(groups.get(key) ?? []), endpoint])
  }
  const routes = [...groups.values()].map((rows): Route => {
    const [{ method, path } = { method: '', path: '' }] = rows
    const names = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => name)
    const source = path.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&').replaceAll(/\{\w+\}/g, '([^/:]+)')
    return { method, rows, names, pattern: new RegExp(`^${source}$`) }
  })
  // The `v1` of one wire is a tenant in another: rows with tenants come last.
  const isTenants = ({ names }: Route): boolean => names.includes('tenant')
  const all = [...routes.filter((route) => !isTenants(route)), ...routes.filter(isTenants)]
  const plain = all.filter(({ names }) => !names.length)
  const versions = new Set(endpoints.flatMap(({ version }) => version ?? []))
  return {
    all,
    plain: new Map(plain.map((route) => [`${route.method} ${route.rows[0]?.path ?? ''}`, route])),
    versions: [...versions].sort().reverse().join(', '),
    reserved: new Set(['a', ...endpoints.map(({ path }) => path.split('/')[1] ?? '')]),
  }
}

/** The rows that fit, or the methods of the other rows at this path. */
export type RouteMatch =
  | { readonly rows: readonly Endpoint[]; readonly params: Readonly<Record<string, string>> }
  | { readonly allow: readonly string[] }

/** Finds the rows of a request; those that come first win. */
export function matchRoute({ plain, all }: Routes, method: string, path: string): RouteMatch | undefined {
  const found = plain.get(`${method} ${path}`)
  if (found) return { rows: found.rows, params: {} }
  const allow = new Set<string>()
  for (const { method: own, rows, pattern, names } of all) {
    const values = pattern.exec(path)?.slice(1)
    if (!values) continue
    const params = decode(names, values)
    // An address that cannot be decoded names nothing.
    if (!params) continue
    if (own === method || (method === 'HEAD' && own === 'GET')) return { rows, params }
    if (!names.includes('tenant')) allow.add(own)
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

/**
 * The row of the version of A2A that a request speaks: its header `A2A-Version`, or the parameter of that name. None is 0.3; a patch number does not count.
 * @throws {AgentError} `version-not-supported` — no row speaks it.
 */
export function rowOfVersion(
  rows: readonly Endpoint[],
  { versions }: Routes,
  { headers }: Request,
  url: URL,
): Endpoint | undefined {
  const [first] = rows
  if (first?.version === undefined) return first
  const given = (headers.get('a2a-version') ?? url.searchParams.get('A2A-Version') ?? '').trim()
  const [named = ''] = /^\d+\.\d+(?=\.\d+$|$)/.exec(given) ?? []
  const version = given ? named : '0.3'
  const found = rows.find((row) => row.version === version) ?? rows.find(({ anyVersion }) => anyVersion)
  if (found) return found
  const shown = given.slice(0, 20) || '0.3, which a request without the header A2A-Version speaks'
  throw new AgentError(
    'version-not-supported',
    `${first.path} does not speak A2A ${shown}; the server speaks ${versions}`,
    { metadata: { supportedVersions: versions } },
  )
}
