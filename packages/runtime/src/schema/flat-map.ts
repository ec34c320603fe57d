import { isObject, type JsonObject, LlmError } from '@modelport/core'

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

/** Keywords that say something about an object. A schema without any of them and without `type` was meant as something else. */
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
 * Converts a flat map of parameters, `{ city: { type: 'string', required: true } }`, to the JSON Schema of an object. Returns any other schema as it is.
 * In a flat map the names of Python's types (`str`, `list`, …) are types too.
 * @throws {LlmError} `config` — the object is neither a flat map nor a JSON Schema.
 */
export function fromFlatMap(parameters: JsonObject, where: string): JsonObject {
  const entries = Object.entries(parameters)
  if (!entries.length) return parameters
  if (isFlatMap(entries)) return toSchema(entries)
  if (entries.some(([key]) => objectKeywords.has(key))) return parameters
  const [first = ''] = Object.keys(parameters)
  throw new LlmError(
    'config',
    `${where}: ${JSON.stringify(first)} is not a JSON Schema keyword; pass { type: 'object', properties: { … } }, or a flat map in which each parameter has a "type"`,
  )
}

/** Names of Python's types, as tools of Xaibo write them. Items of a list are texts unless `items` says otherwise. */
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
  const required = entries.filter(([, parameter]) => parameter['required'] === true).map(([name]) => name)
  const properties = entries.map(([name, parameter]) => {
    const { required: mark, ...rest } = parameter
    const schema = typeof mark === 'boolean' ? rest : parameter
    const named = pythonTypes.get(parameter['type'])
    return [name, named ? { ...named, ...schema, type: named['type'] } : schema] as const
  })
  return { type: 'object', properties: Object.fromEntries(properties), ...(required.length && { required }) }
}
