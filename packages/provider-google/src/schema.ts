import { type JsonObject, LlmError } from '@modelport/core'

/** Keywords that constrain nothing: leaving them out changes nothing that is valid. */
const annotations = new Set(['$schema', '$id', '$anchor', '$comment', '$defs', 'definitions', 'examples', 'readOnly', 'writeOnly', 'deprecated'])

/** Keywords both forms have, with the same meaning. */
const shared = new Set([
  'title', 'description', 'default', 'example', 'format', 'pattern', 'required', 'nullable', 'propertyOrdering', 'minimum', 'maximum',
  'minItems', 'maxItems', 'minLength', 'maxLength', 'minProperties', 'maxProperties',
])

/** Keywords the JSON Schema form is documented to honour, beside the annotations. */
const honoured = new Set([
  'type', 'format', 'title', 'description', 'default', 'enum', 'items', 'prefixItems', 'minItems', 'maxItems', 'minimum', 'maximum',
  'anyOf', 'oneOf', 'properties', 'additionalProperties', 'required', 'propertyOrdering', '$ref',
])

/** Keywords whose value is a schema, a list of schemas, or a map of them. */
const nested = ['items', 'additionalProperties', 'anyOf', 'oneOf', 'prefixItems', 'properties', '$defs', 'definitions']

const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value)
const escape = (key: string): string => key.replace(/~/g, '~0').replace(/\//g, '~1')

/**
 * Converts a JSON Schema to the OpenAPI subset of the API's `Schema`. `oneOf` becomes `anyOf`, local references are put in place,
 * `additionalProperties: false` is what the subset means anyway.
 * @see https://ai.google.dev/api/caching#Schema (read 2026-11-21)
 * @throws {LlmError} `unsupported` — names the keyword that the subset does not have, by its JSON pointer.
 */
export function toOpenApiSchema(schema: JsonObject, subject: string): JsonObject {
  return new SchemaConverter(schema, subject).convert(schema, '#', [])
}

/**
 * JSON pointers of keywords in a schema that the API takes but is not documented to honour. Those of definitions are included.
 * @see https://ai.google.dev/api/generate-content#GenerationConfig (read 2026-11-21): `responseJsonSchema`
 */
export function unhonouredKeywords(schema: unknown, pointer = '#'): string[] {
  if (!isObject(schema)) return []
  const found = Object.keys(schema).filter((key) => !honoured.has(key) && !annotations.has(key)).map((key) => `${pointer}/${escape(key)}`)
  for (const key of nested) {
    const value = schema[key]
    const at = `${pointer}/${escape(key)}`
    const named = key === 'properties' || key === '$defs' || key === 'definitions'
    if (named || Array.isArray(value)) {
      for (const [name, inner] of Object.entries(value ?? {})) found.push(...unhonouredKeywords(inner, `${at}/${escape(name)}`))
    } else found.push(...unhonouredKeywords(value, at))
  }
  return found
}

class SchemaConverter {
  readonly #root: JsonObject
  readonly #subject: string

  constructor(root: JsonObject, subject: string) {
    this.#root = root
    this.#subject = subject
  }

  convert(schema: unknown, pointer: string, open: readonly string[]): JsonObject {
    if (schema === true) return {}
    if (!isObject(schema)) return this.#refuse(pointer, 'only "true" and objects are schemas here')
    if (typeof schema['$ref'] === 'string') return this.#reference(schema, schema['$ref'], pointer, open)
    const converted: Record<string, unknown> = {}
    for (const [key, value] of Object.entries(schema)) {
      if (value === undefined || annotations.has(key) || key.startsWith('x-')) continue
      Object.assign(converted, this.#keyword(schema, key, value, `${pointer}/${escape(key)}`, open))
    }
    const { anyOf } = converted as { anyOf?: JsonObject[] }
    if (!anyOf?.some(({ type }) => type === 'NULL')) return converted
    const rest = anyOf.filter(({ type }) => type !== 'NULL')
    const { anyOf: _, ...others } = converted
    return rest.length === 1 ? { ...others, ...rest[0], nullable: true } : { ...others, anyOf: rest, nullable: true }
  }

  #keyword(schema: JsonObject, key: string, value: unknown, pointer: string, open: readonly string[]): JsonObject {
    if (shared.has(key)) return { [key]: value }
    const list = Array.isArray(value) ? (value as unknown[]) : undefined
    switch (key) {
      case 'type':
        return this.#type(value, pointer)
      case 'enum':
      case 'const':
        return { enum: (key === 'const' ? [value] : (list ?? [])).map((item) => this.#enumItem(schema, item, pointer)) }
      case 'anyOf':
      case 'oneOf':
        return { anyOf: (list ?? []).map((inner, index) => this.convert(inner, `${pointer}/${index}`, open)) }
      case 'allOf':
        if (list?.length === 1) return this.convert(list[0], `${pointer}/0`, open)
        break
      case 'items':
        if (!list) return { items: this.convert(value, pointer, open) }
        break
      case 'properties': {
        if (!isObject(value)) break
        const entries = Object.entries(value).map(([name, inner]) => [name, this.convert(inner, `${pointer}/${escape(name)}`, open)])
        return entries.length ? { properties: Object.fromEntries(entries) as JsonObject } : {}
      }
      case 'additionalProperties':
        if (typeof value === 'boolean' || (isObject(value) && !Object.keys(value).length)) return {}
        break
    }
    return this.#refuse(pointer, 'the API has no equal')
  }

  #type(value: unknown, pointer: string): JsonObject {
    const types = (Array.isArray(value) ? (value as unknown[]) : [value]).map((type) => String(type).toUpperCase())
    const rest = types.filter((type) => type !== 'NULL')
    const nullable = rest.length < types.length && rest.length > 0 && { nullable: true }
    if (rest.length > 1) return this.#refuse(pointer, 'the API takes one type; use anyOf')
    return { type: rest[0] ?? 'NULL', ...nullable }
  }

  /** Values are strings on this wire; numbers keep their meaning by the type beside them. */
  #enumItem(schema: JsonObject, item: unknown, pointer: string): string {
    if (typeof item === 'string') return item
    if (typeof item === 'number' && (schema['type'] === 'integer' || schema['type'] === 'number')) return String(item)
    return this.#refuse(pointer, `the value ${JSON.stringify(item)} is no string`)
  }

  #reference(schema: JsonObject, reference: string, pointer: string, open: readonly string[]): JsonObject {
    const at = `${pointer}/$ref`
    if (open.includes(reference)) return this.#refuse(at, `${reference} refers to itself`)
    if (!reference.startsWith('#')) return this.#refuse(at, 'only references inside the schema can be put in place')
    let target: unknown = this.#root
    for (const step of reference.slice(1).split('/').slice(1)) {
      const key = decodeURIComponent(step).replace(/~1/g, '/').replace(/~0/g, '~')
      target = isObject(target) && Object.hasOwn(target, key) ? target[key] : undefined
    }
    if (target === undefined) return this.#refuse(at, `${reference} is nowhere in the schema`)
    const { $ref: _, ...beside } = schema
    return { ...this.convert(target, pointer, [...open, reference]), ...this.convert(beside, pointer, open) }
  }

  #refuse(pointer: string, why: string): never {
    throw new LlmError('unsupported', `google: ${this.#subject}: the schema at ${pointer} cannot be sent: ${why}`)
  }
}
