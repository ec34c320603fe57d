import { isObject, type JsonObject, LlmError } from '@modelport/core'
import { atReference, toPointerPart } from '@modelport/driver'
import { annotations } from './schema-keywords.js'

/** Keywords both forms have, with the same meaning. */
const shared = new Set([
  'title',
  'description',
  'default',
  'example',
  'format',
  'pattern',
  'required',
  'nullable',
  'propertyOrdering',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'minLength',
  'maxLength',
  'minProperties',
  'maxProperties',
])

/** Deepest nesting of what is sent; a step from reference to reference counts too. */
const mostDepth = 64
/** Maximum values of what is sent: each keyword, name and item is one. */
const mostValues = 50_000

/** Where in the result the conversion stands. */
interface Place {
  readonly pointer: string
  readonly depth: number
  /** References that are being put in place. */
  readonly open: readonly string[]
}

const within = ({ pointer, depth, open }: Place, key: string): Place => ({
  pointer: `${pointer}/${toPointerPart(key)}`,
  depth: depth + 1,
  open,
})

/**
 * Converts a JSON Schema to the OpenAPI subset of the API's `Schema`. `oneOf` becomes `anyOf`,
 * local references are put in place, `additionalProperties: false` is what the subset means anyway.
 * @see https://ai.google.dev/api/caching#Schema (read 2026-11-21)
 * @throws {LlmError} `unsupported` — names the keyword that the subset does not have, by its JSON
 * pointer; `limit-exceeded` — the schema is nested too deeply, or comes to too many values with its
 * references put in place.
 */
export function toOpenApiSchema(schema: JsonObject, subject: string): JsonObject {
  return new SchemaConverter(schema, subject).convert(schema, { pointer: '#', depth: 0, open: [] })
}

class SchemaConverter {
  readonly #root: JsonObject
  readonly #subject: string
  #values = 0

  constructor(root: JsonObject, subject: string) {
    this.#root = root
    this.#subject = subject
  }

  convert(schema: unknown, at: Place): JsonObject {
    this.#count(1, at)
    if (schema === true) return {}
    if (!isObject(schema)) return this.#refuse(at, 'only "true" and objects are schemas here')
    if (typeof schema['$ref'] === 'string') return this.#reference(schema, schema['$ref'], at)
    const entries = Object.entries(schema)
    this.#count(entries.length, at)
    const converted: Record<string, unknown> = {}
    for (const [key, value] of entries) {
      if (value === undefined || annotations.has(key) || key.startsWith('x-')) continue
      // A keyword is as deep as its schema; what it holds is deeper.
      Object.assign(
        converted,
        this.#keyword(schema, key, value, { ...within(at, key), depth: at.depth }),
      )
    }
    const { anyOf } = converted as { anyOf?: JsonObject[] }
    if (!anyOf?.some(({ type }) => type === 'NULL')) return converted
    const rest = anyOf.filter(({ type }) => type !== 'NULL')
    const { anyOf: _, ...others } = converted
    return rest.length === 1
      ? { ...others, ...rest[0], nullable: true }
      : { ...others, anyOf: rest, nullable: true }
  }

  #keyword(schema: JsonObject, key: string, value: unknown, at: Place): JsonObject {
    if (shared.has(key)) return { [key]: this.#literal(value, at) }
    const list = Array.isArray(value) ? (value as unknown[]) : undefined
    if (list) this.#count(list.length, at)
    switch (key) {
      case 'type':
        return this.#type(value, at)
      case 'const':
        return { enum: [this.#enumItem(schema, value, at)] }
      case 'enum':
        if (list) return { enum: list.map((item) => this.#enumItem(schema, item, at)) }
        break
      case 'anyOf':
      case 'oneOf':
        if (list)
          return {
            anyOf: list.map((inner, index) => this.convert(inner, within(at, String(index)))),
          }
        break
      case 'allOf':
        if (list?.length === 1) return this.convert(list[0], within(at, '0'))
        break
      case 'items':
        if (!list) return { items: this.convert(value, { ...at, depth: at.depth + 1 }) }
        break
      case 'properties': {
        if (!isObject(value)) break
        const entries = Object.entries(value).map(([name, inner]) => [
          name,
          this.convert(inner, within(at, name)),
        ])
        return entries.length ? { properties: Object.fromEntries(entries) as JsonObject } : {}
      }
      case 'additionalProperties':
        if (typeof value === 'boolean' || (isObject(value) && !Object.keys(value).length)) return {}
        break
    }
    return this.#refuse(at, 'the API has no equal')
  }

  #type(value: unknown, at: Place): JsonObject {
    const types = (Array.isArray(value) ? (value as unknown[]) : [value]).map((type) =>
      String(type).toUpperCase(),
    )
    const rest = types.filter((type) => type !== 'NULL')
    const nullable = rest.length < types.length && rest.length > 0 && { nullable: true }
    if (rest.length > 1) return this.#refuse(at, 'the API takes one type; use anyOf')
    return { type: rest[0] ?? 'NULL', ...nullable }
  }

  /** Values are strings on this wire; numbers keep their meaning by the type next to them. */
  #enumItem(schema: JsonObject, item: unknown, at: Place): string {
    if (typeof item === 'string') return item
    if (typeof item === 'number' && (schema['type'] === 'integer' || schema['type'] === 'number'))
      return String(item)
    return this.#refuse(at, `the value ${JSON.stringify(item)} is not a string`)
  }

  #reference(schema: JsonObject, reference: string, at: Place): JsonObject {
    const place = { ...at, pointer: `${at.pointer}/$ref` }
    if (at.open.includes(reference)) return this.#refuse(place, `${reference} refers to itself`)
    if (!reference.startsWith('#'))
      return this.#refuse(place, 'only references inside the schema can be put in place')
    const target = atReference(this.#root, reference)
    if (target === undefined) return this.#refuse(place, `${reference} is nowhere in the schema`)
    const { $ref: _, ...rest } = schema
    return {
      ...this.convert(target, { ...at, depth: at.depth + 1, open: [...at.open, reference] }),
      ...this.convert(rest, at),
    }
  }

  /** A value that goes out as it is. */
  #literal(value: unknown, at: Place): unknown {
    if (typeof value !== 'object' || value === null) return value
    const entries = Object.entries(value)
    this.#count(entries.length, at)
    for (const [key, inner] of entries) this.#literal(inner, within(at, key))
    return value
  }

  #count(values: number, at: Place): void {
    this.#values += values
    if (at.depth > mostDepth)
      this.#refuse(at, `it is nested deeper than ${mostDepth}`, 'limit-exceeded')
    if (this.#values > mostValues)
      this.#refuse(
        at,
        `it has more than ${mostValues} values with its references put in place`,
        'limit-exceeded',
      )
  }

  #refuse(
    { pointer }: Place,
    why: string,
    code: 'unsupported' | 'limit-exceeded' = 'unsupported',
  ): never {
    throw new LlmError(
      code,
      `google: ${this.#subject}: the schema at ${pointer} cannot be sent: ${why}`,
    )
  }
}
