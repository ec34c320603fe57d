import type { JsonObject } from '@modelport/core'

const formats: Readonly<Record<string, RegExp>> = {
  date: /^\d{4}-\d\d-\d\d$/,
  time: /^\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)$/,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)$/,
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
}

/**
 * Whether a value fits a schema: a second opinion, written apart from the grammar, for the keywords
 * the tests use.
 */
export function fits(schema: unknown, value: unknown, root = schema): boolean {
  if (typeof schema === 'boolean') return schema
  const {
    $ref,
    type,
    enum: list,
    anyOf,
    oneOf,
    allOf,
    properties = {},
    required = [],
    additionalProperties = true,
    ...rest
  } = schema as JsonObject
  if (typeof $ref === 'string')
    return fits(
      $ref
        .slice(2)
        .split('/')
        .reduce<unknown>((at, part) => (at as JsonObject)[part], root),
      value,
      root,
    )
  if ('const' in rest && JSON.stringify(rest['const']) !== JSON.stringify(value)) return false
  if (Array.isArray(list) && !list.some((one) => JSON.stringify(one) === JSON.stringify(value)))
    return false
  if (Array.isArray(anyOf) && !anyOf.some((one) => fits(one, value, root))) return false
  if (Array.isArray(oneOf) && oneOf.filter((one) => fits(one, value, root)).length !== 1)
    return false
  if (Array.isArray(allOf) && !allOf.every((one) => fits(one, value, root))) return false
  if (type !== undefined && ![type].flat().some((one) => kind(value).includes(one as string)))
    return false
  if (typeof value === 'string') return text(value, rest)
  if (typeof value === 'number')
    return (
      value >= Number(rest['minimum'] ?? -Infinity) && value <= Number(rest['maximum'] ?? Infinity)
    )
  if (Array.isArray(value)) return items(value, rest, root)
  if (typeof value !== 'object' || value === null) return true
  const known = properties as JsonObject
  return (
    (required as string[]).every((key) => Object.hasOwn(value, key)) &&
    Object.entries(value).every(([key, one]) =>
      fits(Object.hasOwn(known, key) ? known[key] : additionalProperties, one, root),
    )
  )
}

function kind(value: unknown): string[] {
  if (value === null) return ['null']
  if (Array.isArray(value)) return ['array']
  return Number.isInteger(value) ? ['integer', 'number'] : [typeof value]
}

function text(value: string, { minLength = 0, maxLength = Infinity, format }: JsonObject): boolean {
  const { length } = Array.from(value)
  return (
    length >= Number(minLength) &&
    length <= Number(maxLength) &&
    (format === undefined || Boolean(formats[format as string]?.test(value)))
  )
}

function items(
  value: readonly unknown[],
  { items: rest = true, prefixItems = [], minItems = 0, maxItems = Infinity }: JsonObject,
  root: unknown,
): boolean {
  const prefix = prefixItems as readonly unknown[]
  return (
    value.length >= Number(minItems) &&
    value.length <= Number(maxItems) &&
    value.every((item, index) => fits(index < prefix.length ? prefix[index] : rest, item, root))
  )
}
