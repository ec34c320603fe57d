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
  const found = Object.keys(schema)
    .filter((key) => !honoured.has(key) && !annotations.has(key))
    .map((key) => `${pointer}/${toPointerPart(key)}`)
  for (const key of nested) {
    const value = schema[key]
    const at = `${pointer}/${toPointerPart(key)}`
    const named = key === 'properties' || key === '$defs' || key === 'definitions'
    if (named || Array.isArray(value)) {
      for (const [name, inner] of Object.entries(value ?? {}))
        found.push(...unhonouredKeywords(inner, `${at}/${toPointerPart(name)}`))
    } else found.push(...unhonouredKeywords(value, at))
  }
  return found
}
