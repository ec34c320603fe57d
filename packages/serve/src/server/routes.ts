import { AgentError } from '@modelport/agent'
import type { Endpoint } from '../wire/wire.js'

/** One row of the table, with its path compiled. */
interface Route {
  readonly endpoint: Endpoint
  readonly pattern: RegExp
  readonly names: readonly string[]
}

/** The table, ready to be searched. */
export interface Routes {
  /** Rows without placeholders, by method and path. */
  readonly plain: ReadonlyMap<string, Route>
  readonly all: readonly Route[]
  /** First segments of the paths: no tenant may have such a name. */
  readonly reserved: ReadonlySet<string>
}

/** Compiles the paths of the table. `{name}` matches one segment without a colon. */
export function toRoutes(endpoints: readonly Endpoint[]): Routes {
  const routes = endpoints.map((endpoint): Route => {
    const { path } = endpoint
    const names = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => name)
    const source = path.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&').replaceAll(/\{\w+\}/g, '([^/:]+)')
    return { endpoint, names, pattern: new RegExp(`^${source}$`) }
  })
  // The `v1` of one wire is a tenant in another: rows with tenants come last.
  const isTenants = ({ names }: Route): boolean => names.includes('tenant')
  const all = [...routes.filter((route) => !isTenants(route)), ...routes.filter(isTenants)]
  const plain = all.filter(({ names }) => !names.length).toReversed()
  return {
    all,
    // Reversed, since the last entry of a map wins: of two wires with the same path the first is
    // meant to.
    plain: new Map(
      plain.map((route) => [`${route.endpoint.method} ${route.endpoint.path}`, route]),
    ),
    reserved: new Set(['a', ...endpoints.map(({ path }) => path.split('/')[1] ?? '')]),
  }
}

/** The row that fits, or the methods of the other rows at this path. */
export type RouteMatch =
  | { readonly endpoint: Endpoint; readonly params: Readonly<Record<string, string>> }
  | { readonly allow: readonly string[] }

/** Finds the row of a request; the first that fits wins. */
export function matchRoute(
  { plain, all }: Routes,
  method: string,
  path: string,
): RouteMatch | undefined {
  const found = plain.get(`${method} ${path}`)
  if (found) return { endpoint: found.endpoint, params: {} }
  const allow = new Set<string>()
  for (const { endpoint, pattern, names } of all) {
    const values = pattern.exec(path)?.slice(1)
    if (!values) continue
    const params = decode(names, values)
    // An address that cannot be decoded names nothing.
    if (!params) continue
    const own = endpoint.method
    if (own === method || (method === 'HEAD' && own === 'GET')) return { endpoint, params }
    if (!names.includes('tenant')) allow.add(own)
  }
  return allow.size ? { allow: [...allow] } : undefined
}

function decode(
  names: readonly string[],
  values: readonly string[],
): Readonly<Record<string, string>> | undefined {
  try {
    return Object.fromEntries(
      names.map((name, index) => [name, decodeURIComponent(values[index] ?? '')]),
    )
  } catch {
    return undefined
  }
}

/**
 * Checks the version of A2A that a request names in the header `A2A-Version` or the parameter of
 * that name. A patch number does not count.
 * @throws {AgentError} `version-not-supported`: also without a version, which means 0.3 (section
 * 3.6.2 of the specification).
 */
export function checkVersion(
  { path, version }: Endpoint,
  { headers }: Request,
  { searchParams }: URL,
): void {
  if (version === undefined) return
  const given = (headers.get('a2a-version') ?? searchParams.get('A2A-Version') ?? '').trim()
  const [named] = /^\d+\.\d+(?=\.\d+$|$)/.exec(given) ?? []
  if (named === version) return
  const shown = given.slice(0, 20) || '0.3, which a request without the header A2A-Version speaks'
  throw new AgentError(
    'version-not-supported',
    `${path} speaks A2A ${version}, not ${shown}; send the request in the form of ${version}, with the header A2A-Version: ${version}`,
    { metadata: { supportedVersions: version } },
  )
}
