import { isObject, isPollution, type JsonObject } from '@modelport/core'
import type { Driver, Turn } from '../base/driver.js'
import { namedError } from '../base/named-error.js'
import { fitTurn } from './fit-turn.js'

/**
 * What building one request has done with vendor fields. Requests are built synchronously, so there
 * is one at a time.
 */
interface Merges {
  /** Vendor fields of tools, parts and messages that reached the request. */
  readonly merged: Set<object>
  readonly warnings: string[]
}

let current: Merges | undefined

/**
 * Merges vendor fields into an object of the request, deep where both sides are plain objects;
 * lists, scalars and objects of another `type` replace, and `null` removes. Reports each field of
 * ours that is lost as a warning of the reply; `name` says whose vendor fields they are.
 */
export function withVendor<T extends object>(ours: T, vendor: unknown, name = 'vendor'): T {
  if (!isObject(vendor)) return ours
  current?.merged.add(vendor)
  if (!Object.keys(vendor).length) return ours
  // Those of a whole request are headers of HTTP.
  const fields = name === 'vendor' ? { ...vendor, headers: undefined } : vendor
  return merge(ours as JsonObject, fields, (path, what) => {
    current?.warnings.push(
      `${name} ${what} ${JSON.stringify(path)}, which the request had without it`,
    )
  }) as T
}

function merge(
  ours: JsonObject,
  theirs: JsonObject,
  lost: (path: string, what: string) => void,
  path = '',
): JsonObject {
  const merged = new Map<string, unknown>(Object.entries(ours))
  for (const [key, value] of Object.entries(theirs)) {
    if (value === undefined || isPollution(key, value)) continue
    const own = merged.get(key)
    const place = `${path}${key}`
    if (value === null) {
      if (own !== undefined) lost(place, 'removes')
      merged.delete(key)
    } else if (isObject(own) && isObject(value) && isSameKind(own, value)) {
      merged.set(key, merge(own, value, lost, `${place}.`))
    } else {
      if (own !== undefined && own !== value && JSON.stringify(own) !== JSON.stringify(value))
        lost(place, 'replaces')
      merged.set(key, value)
    }
  }
  return Object.fromEntries(merged)
}

const isSameKind = ({ type: own }: JsonObject, { type: other }: JsonObject): boolean =>
  own === undefined || other === undefined || own === other

/**
 * Builds the request of a turn, with the warnings of its vendor fields, and of what this API cannot
 * be asked for.
 * @throws {LlmError} `unsupported` — vendor fields of a tool, a part or a message have no place in
 * this API's request.
 */
export function buildRequest<Request>(
  { name, request, takes = [] }: Pick<Driver<Request>, 'name' | 'request' | 'takes'>,
  turn: Turn,
): { readonly request: Request; readonly warnings: readonly string[] } {
  const fitted = fitTurn(turn, name, takes)
  const merges: Merges = { merged: new Set(), warnings: [...fitted.warnings] }
  current = merges
  try {
    const driverRequest = request(fitted.turn)
    const dropped = vendorFields(turn).find(([, fields]) => !merges.merged.has(fields))
    if (dropped)
      throw namedError(
        name,
        'unsupported',
        `vendor of ${dropped[0]} has no place in this API's request`,
      )
    return { request: driverRequest, warnings: merges.warnings }
  } finally {
    current = undefined
  }
}

function vendorFields({ messages, tools }: Turn): [where: string, fields: object][] {
  const places: [string, object][] = []
  for (const { name, vendor } of tools)
    if (isObject(vendor)) places.push([`the tool ${JSON.stringify(name)}`, vendor])
  messages.forEach(({ vendor, content }, index) => {
    if (isObject(vendor)) places.push([`messages[${index}]`, vendor])
    if (typeof content === 'string') return
    for (const [at, part] of content.entries())
      if (isObject(part.vendor)) places.push([`messages[${index}].content[${at}]`, part.vendor])
  })
  return places
}
