import { isObject, type JsonObject } from '@modelport/core'

/** Keywords that a structured output of closed objects refuses. */
const unsupportedKeywords = new Set([
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
])
const supportedFormats = [
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'uri',
  'ipv4',
  'ipv6',
  'uuid',
]
/** Look-around, references to groups, and ends of words. */
const unsupportedPattern = /\(\?<?[=!]|\\[bB1-9]/

const isUnsupported = (keyword: string, value: unknown): boolean =>
  unsupportedKeywords.has(keyword) ||
  (keyword === 'minItems' && value !== 0 && value !== 1) ||
  (keyword === 'format' && !supportedFormats.includes(String(value))) ||
  (keyword === 'pattern' && unsupportedPattern.test(String(value)))

/**
 * Converts a schema for an API whose structured output supports closed objects only, and no bounds
 * or lengths: keywords that it refuses move into the description of their place, objects with
 * properties are closed, and `oneOf` becomes `anyOf`. An object of any properties stays open, which
 * the API refuses.
 */
export function toHeldSchema(schema: JsonObject): JsonObject {
  const entries = Object.entries(schema)
  const unsupportedEntries = entries.filter(([keyword, value]) => isUnsupported(keyword, value))
  const heldFields = Object.fromEntries(
    entries.flatMap(([keyword, value]): [string, unknown][] => {
      if (isUnsupported(keyword, value) || keyword === '$schema') return []
      const name = keyword === 'oneOf' && !('anyOf' in schema) ? 'anyOf' : keyword
      return [[name, mapSchemas(keyword, value, toHeldSchema)]]
    }),
  )
  return {
    ...heldFields,
    ...describe(schema, unsupportedEntries),
    ...(isObject(schema['properties']) &&
      schema['additionalProperties'] === undefined && { additionalProperties: false }),
  }
}

/**
 * Moves `minLength` and `maxLength` into the description of their place, for strict forms of a
 * schema that have neither.
 */
export function withDescribedLengths(schema: JsonObject): JsonObject {
  const { minLength, maxLength, ...rest } = schema
  const lengths = Object.entries({ minLength, maxLength }).filter(
    ([, value]) => value !== undefined,
  )
  const otherFields = Object.entries(rest).map(([keyword, value]) => [
    keyword,
    mapSchemas(keyword, value, withDescribedLengths),
  ])
  return { ...(Object.fromEntries(otherFields) as JsonObject), ...describe(schema, lengths) }
}

/** The description of a schema, followed by these keywords; `{}` if there are none. */
function describe(
  { description }: JsonObject,
  entries: readonly (readonly [keyword: string, value: unknown])[],
): JsonObject {
  if (!entries.length) return {}
  const words = entries.map(([keyword, value]) => `${keyword}: ${JSON.stringify(value)}`).join(', ')
  return { description: [description, `{${words}}`].filter(Boolean).join('\n\n') }
}

/** The value of a keyword, with each schema in it converted. */
function mapSchemas(
  keyword: string,
  value: unknown,
  convert: (schema: JsonObject) => JsonObject,
): unknown {
  const convertOne = (one: unknown): unknown => (isObject(one) ? convert(one) : one)
  if (['properties', '$defs', 'definitions'].includes(keyword) && isObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, convertOne(one)]))
  if (['anyOf', 'oneOf', 'allOf'].includes(keyword) && Array.isArray(value))
    return value.map(convertOne)
  return keyword === 'items' ? convertOne(value) : value
}
