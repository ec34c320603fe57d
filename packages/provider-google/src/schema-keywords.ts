import { isObject } from '@modelport/core'
import { toPointerPart } from '@modelport/driver'

/** Keywords that constrain nothing: leaving them out changes nothing that is valid. */
export const annotations: ReadonlySet<string> = new Set([
  '$schema',
  '$id',
  '$anchor',
  '$comment',
  '$defs',
  'definitions',
  'examples',
  'readOnly',
  'writeOnly',
  'deprecated',
])

/** Keywords the JSON Schema form is documented to honour, besides the annotations. */
const honoured = new Set([
  'type',
  'format',
  'title',
  'description',
  'default',
  'enum',
  'items',
  'prefixItems',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
  'anyOf',
  'oneOf',
  'properties',
  'additionalProperties',
  'required',
  'propertyOrdering',
  '$ref',
])

/** Keywords whose value is a schema, a list of schemas, or a map of them. */
const nested = [
  'items',
  'additionalProperties',
  'anyOf',
  'oneOf',
  'prefixItems',
  'properties',
  '$defs',
  'definitions',
]

/**
 * JSON pointers of keywords in a schema that the API takes but is not documented to honour. Those
 * of definitions are included.
 * @see https://ai.google.dev/api/generate-content#GenerationConfig (read 2026-11-21):
 * `responseJsonSchema`
 */
export function unhonouredKeywords(schema: unknown, pointer = '#'): string[] {
  if (!isObject(schema)) return []
  const pointers = Object.keys(schema)
    .filter((key) => !honoured.has(key) && !annotations.has(key))
    .map((key) => `${pointer}/${toPointerPart(key)}`)
  for (const key of nested) {
    const value = schema[key]
    const at = `${pointer}/${toPointerPart(key)}`
    if (!isSchemaMap(key) && !Array.isArray(value)) {
      pointers.push(...unhonouredKeywords(value, at))
      continue
    }
    for (const [name, inner] of Object.entries(value ?? {}))
      pointers.push(...unhonouredKeywords(inner, `${at}/${toPointerPart(name)}`))
  }
  return pointers
}

const isSchemaMap = (key: string): boolean =>
  key === 'properties' || key === '$defs' || key === 'definitions'

/**
 * A schema with `enum` in place of each `const` of a text, a number or a boolean, which says the
 * same and is documented. The same object if it has none.
 */
export function withEnums<Schema>(schema: Schema): Schema {
  if (!isObject(schema)) return schema
  const entries = Object.entries(schema)
  const changed = entries.map(([key, value]): [string, unknown] => {
    if (key === 'const' && ['string', 'number', 'boolean'].includes(typeof value))
      return ['enum', [value]]
    return [key, nested.includes(key) ? withInnerEnums(key, value) : value]
  })
  const isSame = changed.every(([, value], index) => value === entries[index]?.[1])
  return isSame ? schema : (Object.fromEntries(changed) as Schema)
}

function withInnerEnums(key: string, value: unknown): unknown {
  if (Array.isArray(value)) {
    const list = value.map((inner) => withEnums(inner as unknown))
    return list.every((inner, index) => inner === value[index]) ? value : list
  }
  if (!isSchemaMap(key) || !isObject(value)) return withEnums(value)
  const entries = Object.entries(value).map(([name, inner]) => [name, withEnums(inner)] as const)
  return entries.every(([name, inner]) => inner === value[name])
    ? value
    : Object.fromEntries(entries)
}
