import { isObject, type JsonObject } from '@modelport/core'

/** Keywords that such an API refuses. */
const unheld = new Set([
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
const formats = [
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
const unheldPattern = /\(\?<?[=!]|\\[bB1-9]/

const isUnheld = (keyword: string, value: unknown): boolean =>
  unheld.has(keyword) ||
  (keyword === 'minItems' && value !== 0 && value !== 1) ||
  (keyword === 'format' && !formats.includes(String(value))) ||
  (keyword === 'pattern' && unheldPattern.test(String(value)))

/**
 * A schema for an API that holds a model to closed objects without bounds and lengths. What the API
 * cannot express is said in the description of its place; objects with properties are closed;
 * `oneOf` is `anyOf`. A schema that stays open (an object of any properties) is refused by the API.
 */
export function toHeldSchema(schema: JsonObject): JsonObject {
  const entries = Object.entries(schema)
  const unheldEntries = entries.filter(([keyword, value]) => isUnheld(keyword, value))
  const heldFields = Object.fromEntries(
    entries.flatMap(([keyword, value]): [string, unknown][] => {
      if (isUnheld(keyword, value) || keyword === '$schema') return []
      return [
        [
          keyword === 'oneOf' && !('anyOf' in schema) ? 'anyOf' : keyword,
          mapSchemas(keyword, value, toHeldSchema),
        ],
      ]
    }),
  )
  return {
    ...heldFields,
    ...describe(schema, unheldEntries),
    ...(isObject(schema['properties']) &&
      schema['additionalProperties'] === undefined && { additionalProperties: false }),
  }
}

/**
 * A schema for a strict form that has no lengths of texts: they are said in the description of
 * their place.
 */
export function withSaidLengths(schema: JsonObject): JsonObject {
  const { minLength, maxLength, ...rest } = schema
  const lengths = Object.entries({ minLength, maxLength }).filter(
    ([, value]) => value !== undefined,
  )
  const otherFields = Object.entries(rest).map(([keyword, value]) => [
    keyword,
    mapSchemas(keyword, value, withSaidLengths),
  ])
  return { ...(Object.fromEntries(otherFields) as JsonObject), ...describe(schema, lengths) }
}

/** The description of a schema, with what is said in it; nothing if that is nothing. */
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
