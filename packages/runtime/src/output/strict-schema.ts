import { isObject, type JsonObject } from '@modelport/core'
import { atPointer } from '../schema/schema-limits.js'

/** A schema in the form that vendors can hold a model to, with the way back. */
export interface StrictSchema {
  /** Every object is closed and every property required; optional ones may be null instead. */
  readonly schema: JsonObject
  /** Removes the nulls that stand for omitted properties. */
  dropAddedNulls(value: unknown): unknown
}

/** A schema whose strict form would allow other values. */
export interface OpenSchema {
  /** Why, for people: names the keyword and its place. */
  readonly reason: string
}

/** Describes a schema without a strict form for the warnings of a result. */
export const describeOpen = ({ reason }: OpenSchema): string =>
  `the schema is sent without "strict": it has ${reason}`

/**
 * Keywords that vendors with strict schemas understand, or that are notes.
 * Bounds of numbers and lists, `pattern`, and some values of `format` are among them, by a vendor's
 * page on structured outputs (as quoted by others in August 2026, read 2026-11-28). Lengths of
 * texts are not: the package of such a vendor says them in words, and the reply is checked here.
 */
const known = new Set([
  '$comment',
  '$defs',
  '$ref',
  '$schema',
  'additionalProperties',
  'anyOf',
  'const',
  'default',
  'definitions',
  'description',
  'enum',
  'examples',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'format',
  'items',
  'maxItems',
  'maximum',
  'maxLength',
  'minItems',
  'minLength',
  'minimum',
  'multipleOf',
  'oneOf',
  'pattern',
  'properties',
  'required',
  'title',
  'type',
])

const formats: readonly unknown[] = [
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uuid',
]

/** Look-around and references to groups: the vendors' expressions have neither. */
const unheldPattern = /\(\?<?[=!]|\\[1-9]/

/** Writes a schema in the strict form, or says why that would lose something. */
export function toStrictSchema(schema: JsonObject): StrictSchema | OpenSchema {
  try {
    const strict = close(schema, '#')
    return { schema: strict, dropAddedNulls: (value) => dropNulls(value, schema, schema) }
  } catch (error) {
    if (error instanceof CannotClose) return { reason: error.message }
    throw error
  }
}

class CannotClose extends Error {}

function close(schema: JsonObject, path: string): JsonObject {
  const stranger = Object.keys(schema).find((key) => !known.has(key))
  if (stranger !== undefined) throw new CannotClose(`"${stranger}" (at ${path})`)
  const {
    properties,
    required,
    additionalProperties,
    items,
    anyOf,
    oneOf,
    default: _default,
    ...others
  } = schema
  const rest = withinBounds(others, path)
  const choices = anyOf ?? oneOf
  if (anyOf !== undefined && oneOf !== undefined)
    throw new CannotClose(`both "anyOf" and "oneOf" (at ${path})`)
  const closed: Record<string, unknown> = { ...rest }
  for (const name of ['$defs', 'definitions'] as const)
    if (isObject(rest[name])) closed[name] = closeAll(rest[name], `${path}/${name}`)
  if (isObject(items)) closed['items'] = close(items, `${path}/items`)
  else if (items !== undefined) throw new CannotClose(`"items" (at ${path})`)
  if (Array.isArray(choices))
    closed['anyOf'] = choices.map((one: unknown, index) =>
      close(toObject(one, path), `${path}/${anyOf ? 'anyOf' : 'oneOf'}/${index}`),
    )
  if (rest['type'] !== 'object' && properties === undefined) return closed
  if (
    !isObject(properties) ||
    (additionalProperties !== undefined && additionalProperties !== false)
  )
    throw new CannotClose(`an object with any properties (at ${path})`)
  const names = Array.isArray(required) ? (required as readonly unknown[]) : []
  closed['properties'] = Object.fromEntries(
    Object.entries(closeAll(properties, `${path}/properties`)).map(([name, property]) => [
      name,
      names.includes(name) ? property : orNull(property),
    ]),
  )
  return {
    ...closed,
    type: 'object',
    required: Object.keys(properties),
    additionalProperties: false,
  }
}

/**
 * The keywords of a value without those that say nothing more: the bounds of a safe integer, which
 * every integer of a zod schema has, and the expression that zod writes next to a format.
 */
function withinBounds(schema: JsonObject, path: string): JsonObject {
  const { format, pattern } = schema
  if (format !== undefined && !formats.includes(format))
    throw new CannotClose(`"format": ${JSON.stringify(format)} (at ${path})`)
  if (format === undefined && unheldPattern.test(String(pattern)))
    throw new CannotClose(`"pattern" with look-around or references (at ${path})`)
  return Object.fromEntries(
    Object.entries(schema).filter(
      ([keyword, value]) =>
        !(keyword === 'minimum' && value === Number.MIN_SAFE_INTEGER) &&
        !(keyword === 'maximum' && value === Number.MAX_SAFE_INTEGER) &&
        !(keyword === 'pattern' && format !== undefined),
    ),
  )
}

const closeAll = (
  schemas: Readonly<Record<string, unknown>>,
  path: string,
): Record<string, JsonObject> =>
  Object.fromEntries(
    Object.entries(schemas).map(([name, one]) => [
      name,
      close(toObject(one, path), `${path}/${name}`),
    ]),
  )

function toObject(schema: unknown, path: string): JsonObject {
  if (!isObject(schema)) throw new CannotClose(`a schema that is not an object (at ${path})`)
  return schema
}

function orNull(schema: JsonObject): JsonObject {
  if (allowsNull(schema)) return schema
  const { type, enum: choices, const: only } = schema
  if (typeof type === 'string' && type !== 'object' && only === undefined && !schema['anyOf'])
    return {
      ...schema,
      type: [type, 'null'],
      ...(Array.isArray(choices) && { enum: [...(choices as unknown[]), null] }),
    }
  return { anyOf: [schema, { type: 'null' }] }
}

function allowsNull({ type, anyOf, oneOf, enum: choices, const: only }: JsonObject): boolean {
  if (only === null || type === 'null') return true
  if (Array.isArray(choices) && choices.includes(null)) return true
  if (Array.isArray(type) && type.includes('null')) return true
  const branches = anyOf ?? oneOf
  return Array.isArray(branches) && branches.some((one) => isObject(one) && allowsNull(one))
}

/**
 * Follows the value and the schema together; where the schema leaves a choice, every null of an
 * optional property that no branch allows is dropped.
 */
function dropNulls(value: unknown, schema: JsonObject, root: JsonObject): unknown {
  const target = resolve(schema, root)
  if (Array.isArray(value)) {
    const { items } = target
    return isObject(items) ? value.map((item) => dropNulls(item, items, root)) : value
  }
  if (!isObject(value)) return value
  const { anyOf, oneOf, properties, required } = target
  const choices = anyOf ?? oneOf
  if (Array.isArray(choices)) {
    const branch = choices.find(
      (one): one is JsonObject => isObject(one) && fits(value, resolve(one, root)),
    )
    return branch ? dropNulls(value, branch, root) : value
  }
  if (!isObject(properties)) return value
  const names = Array.isArray(required) ? (required as readonly unknown[]) : []
  const kept = Object.entries(value).flatMap(([name, inner]): [string, unknown][] => {
    const property = properties[name]
    if (!isObject(property)) return [[name, inner]]
    if (inner === null && !names.includes(name) && !allowsNull(resolve(property, root))) return []
    return [[name, dropNulls(inner, property, root)]]
  })
  return Object.fromEntries(kept)
}

/** True for a branch that has every key of the value, and every constant. */
const fits = (value: Readonly<Record<string, unknown>>, { properties }: JsonObject): boolean =>
  isObject(properties) &&
  Object.entries(value).every(([name, inner]) => {
    const property = properties[name]
    return isObject(property) && (property['const'] === undefined || property['const'] === inner)
  })

function resolve(schema: JsonObject, root: JsonObject): JsonObject {
  const { $ref: reference } = schema
  const found =
    typeof reference === 'string' && reference.startsWith('#/')
      ? atPointer(root, reference)
      : undefined
  return isObject(found) ? found : schema
}
