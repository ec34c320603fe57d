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
  const said = entries.filter(([keyword, value]) => isUnheld(keyword, value))
  const held = Object.fromEntries(
    entries.flatMap(([keyword, value]): [string, unknown][] => {
      if (isUnheld(keyword, value) || keyword === '$schema') return []
      return [
        [keyword === 'oneOf' && !('anyOf' in schema) ? 'anyOf' : keyword, toHeld(keyword, value)],
      ]
    }),
  )
  const { description } = schema
  const words = said.map(([keyword, value]) => `${keyword}: ${JSON.stringify(value)}`).join(', ')
  return {
    ...held,
    ...(words && { description: [description, `{${words}}`].filter(Boolean).join('\n\n') }),
    ...(isObject(schema['properties']) &&
      schema['additionalProperties'] === undefined && { additionalProperties: false }),
  }
}

function toHeld(keyword: string, value: unknown): unknown {
  if (['properties', '$defs', 'definitions'].includes(keyword) && isObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [name, isObject(one) ? toHeldSchema(one) : one]),
    )
  if (['anyOf', 'oneOf', 'allOf'].includes(keyword) && Array.isArray(value))
    return value.map((one: unknown) => (isObject(one) ? toHeldSchema(one) : one))
  return keyword === 'items' && isObject(value) ? toHeldSchema(value) : value
}
