import { isObject } from '@modelport/core'

const empty: Readonly<Record<string, unknown>> = {
  string: '',
  number: 0,
  integer: 0,
  boolean: false,
  array: [],
}

/**
 * A value to begin with for a JSON Schema: its required properties, each empty, or with its default
 * or first choice.
 */
export function exampleOf(schema: unknown, depth = 0): unknown {
  if (!isObject(schema)) return null
  if ('default' in schema) return schema['default']
  if (Array.isArray(schema['enum'])) return schema['enum'][0] as unknown
  const { type, properties, required } = schema
  if (type !== 'object' && depth > 0) return empty[String(type)] ?? null
  const names = Array.isArray(required) ? required.map(String) : []
  const known = isObject(properties) ? properties : {}
  return Object.fromEntries(
    names.map((name) => [name, depth < 4 ? exampleOf(known[name], depth + 1) : null]),
  )
}
