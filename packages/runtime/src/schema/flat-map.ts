import { configError, isObject, type JsonObject } from '@modelport/core'

/** Keywords whose value is one schema, which looks like a parameter of a flat map. */
const schemaKeywords = [
  'additionalProperties',
  'contains',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedProperties',
]

/**
 * Keywords that say something about an object. A schema without any of them and without `type` was
 * meant as something else.
 */
const objectKeywords = new Set([
  ...schemaKeywords,
  '$anchor',
  '$comment',
  '$defs',
  '$id',
  '$ref',
  '$schema',
  'allOf',
  'anyOf',
  'const',
  'default',
  'definitions',
  'dependencies',
  'dependentRequired',
  'dependentSchemas',
  'description',
  'enum',
  'examples',
  'maxProperties',
  'minProperties',
  'oneOf',
  'patternProperties',
  'properties',
  'required',
  'title',
  'type',
])

/**
 * Converts a flat map of parameters, `{ city: { type: 'string', required: true } }`, to the JSON
 * Schema of an object. Returns any other schema as it is. In a flat map the names of Python's types
 * (`str`, `list`, …) are types too. A mark `required: true` on a property, at any depth, becomes a
 * name in the list of its object, because JSON Schema knows only the list.
 * @throws {LlmError} `config` — the object is neither a flat map nor a JSON Schema.
 */
export function fromFlatMap(parameters: JsonObject, where: string): JsonObject {
  const entries = Object.entries(parameters)
  if (!entries.length) return parameters
  if (isFlatMap(entries)) return toSchema(entries)
  if (entries.some(([key]) => objectKeywords.has(key))) return withoutMarks(parameters)
  const [first = ''] = Object.keys(parameters)
  throw configError(
    `${where}: ${JSON.stringify(first)} is not a JSON Schema keyword; pass { type: 'object', properties: { … } }, or a flat map in which each parameter has a "type"`,
  )
}

/** Names of Python's types. Items of a list are texts unless `items` says otherwise. */
const pythonTypes: ReadonlyMap<unknown, JsonObject> = new Map([
  ['str', { type: 'string' }],
  ['int', { type: 'integer' }],
  ['float', { type: 'number' }],
  ['bool', { type: 'boolean' }],
  ['list', { type: 'array', items: { type: 'string' } }],
  ['dict', { type: 'object' }],
  ['None', { type: 'null' }],
])

type Entry = readonly [name: string, parameter: Readonly<Record<string, unknown>>]

const isFlatMap = (entries: readonly (readonly [string, unknown])[]): entries is readonly Entry[] =>
  entries.every(([, value]) => isObject(value) && typeof value['type'] === 'string') &&
  entries.some(([key]) => !schemaKeywords.includes(key))

function toSchema(entries: readonly Entry[]): JsonObject {
  const required = entries
    .filter(([, parameter]) => parameter['required'] === true)
    .map(([name]) => name)
  const properties = entries.map(([name, parameter]) => {
    const { required: mark, ...rest } = parameter
    const schema = typeof mark === 'boolean' ? rest : parameter
    const named = pythonTypes.get(parameter['type'])
    return [
      name,
      named ? { ...named, ...schema, type: named['type'] } : withoutMarks(schema),
    ] as const
  })
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length && { required }),
  }
}

/** Deeper schemas are left as they are: the provider refuses them. */
const deepest = 256

/**
 * The schema with the names of marked properties in its lists; the same object if no property has a
 * mark.
 */
function withoutMarks(schema: JsonObject, depth = 0): JsonObject {
  if (depth > deepest) return schema
  const { items, properties, required } = schema
  let changed = schema
  const lifted = isObject(items) ? withoutMarks(items, depth + 1) : items
  if (lifted !== items) changed = { ...changed, items: lifted }
  if (!isObject(properties)) return changed
  const names = new Set<unknown>(Array.isArray(required) ? required : [])
  const entries = Object.entries(properties).map(([name, property]) => {
    if (!isObject(property)) return [name, property] as const
    const { required: mark, ...rest } = property
    if (mark === true) names.add(name)
    return [name, withoutMarks(typeof mark === 'boolean' ? rest : property, depth + 1)] as const
  })
  if (entries.every(([name, property]) => property === properties[name])) return changed
  return {
    ...changed,
    properties: Object.fromEntries(entries),
    ...(names.size > 0 && { required: [...names] }),
  }
}
