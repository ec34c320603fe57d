import { LlmError } from '@modelport/core'

/** Maximum size of a schema from outside: UTF-16 code units of its texts and names. */
const mostSize = 128 * 1024
/** Maximum values in it, schemas and everything else. */
const mostValues = 5000
/** Deepest nesting. */
const mostDepth = 64
/** Maximum values once each reference is put in place, as some vendors need it. */
const mostExpanded = 50_000

/** Deepest nesting of a schema that is trusted. Requests have the same limit. */
const mostTrustedDepth = 256

/** Something in a schema that is still to be looked at. */
interface Open {
  readonly value: object
  readonly path: string
  readonly depth: number
}

/**
 * Refuses a schema that is too large to be worked with. It takes no longer than the limits allow,
 * however large the schema is.
 * @throws {LlmError} `limit-exceeded` — names the place, as a JSON pointer, and the limit.
 */
export function checkSchemaSize(schema: unknown, where: string): void {
  const refuse = (path: string, what: string): never => {
    throw new LlmError('limit-exceeded', `${where}: ${path}: ${what}`)
  }
  const open: Open[] =
    typeof schema === 'object' && schema !== null ? [{ value: schema, path: '#', depth: 1 }] : []
  let size = 0
  let values = 0
  for (let one = open.pop(); one; one = open.pop()) {
    const { value, path, depth } = one
    if (depth > mostDepth) refuse(path, `the schema is nested deeper than ${mostDepth}`)
    const isList = Array.isArray(value)
    for (const [key, inner] of entriesOf(value)) {
      size += (isList ? 0 : key.length) + (typeof inner === 'string' ? inner.length : 0)
      if (++values > mostValues) refuse(path, `the schema has more than ${mostValues} values`)
      if (size > mostSize) refuse(path, `the schema is larger than ${mostSize / 1024} KiB`)
      if (typeof inner === 'object' && inner !== null)
        open.push({ value: inner, path: `${path}/${toPointerPart(key)}`, depth: depth + 1 })
    }
  }
  if (expandedSize(schema, schema, new Map()) > mostExpanded)
    refuse('#', `the schema has more than ${mostExpanded} values with its references put in place`)
}

/** Refuses a schema that would overflow the stack. @throws {LlmError} `limit-exceeded` */
export function checkSchemaDepth(schema: unknown, where: string): void {
  const open: (readonly [value: unknown, depth: number])[] = [[schema, 1]]
  for (let one = open.pop(); one; one = open.pop()) {
    const [value, depth] = one
    if (typeof value !== 'object' || value === null) continue
    if (depth > mostTrustedDepth)
      throw new LlmError(
        'limit-exceeded',
        `${where}: the schema is nested deeper than ${mostTrustedDepth}; write it flatter`,
      )
    for (const inner of Object.values(value)) open.push([inner, depth + 1])
  }
}

/** Number of values with each reference expanded; a reference to itself counts once. */
function expandedSize(value: unknown, root: unknown, known: Map<object, number>): number {
  if (typeof value !== 'object' || value === null) return 1
  const before = known.get(value)
  if (before !== undefined) return before
  known.set(value, 1)
  let size = 1
  for (const [key, inner] of entriesOf(value))
    size += expandedSize(
      key === '$ref' && typeof inner === 'string' ? atPointer(root, inner) : inner,
      root,
      known,
    )
  known.set(value, size)
  return size
}

/** The target of a reference within the schema. */
export function atPointer(root: unknown, reference: string): unknown {
  let at = root
  for (const part of reference.startsWith('#/') ? reference.slice(2).split('/') : []) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
    at =
      typeof at === 'object' && at !== null && Object.hasOwn(at, key)
        ? (at as Readonly<Record<string, unknown>>)[key]
        : undefined
  }
  return reference.startsWith('#') ? at : undefined
}

/**
 * A key as it stands in a JSON pointer, of harmless characters and not long.
 * @see https://www.rfc-editor.org/rfc/rfc6901 (read 2026-11-21)
 */
export const toPointerPart = (key: string): string =>
  key
    .slice(0, 80)
    .replaceAll('~', '~0')
    .replaceAll('/', '~1')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')

/** One by one: a million keys would be copied by `Object.entries` before the first is counted. */
function* entriesOf(value: object): Iterable<readonly [string, unknown]> {
  for (const key in value)
    if (Object.hasOwn(value, key)) yield [key, (value as Readonly<Record<string, unknown>>)[key]]
}
