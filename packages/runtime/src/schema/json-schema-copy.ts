import { configError, isObject, type JsonObject, LlmError } from '@modelport/core'
import { isPlainPattern } from './plain-pattern.js'
import { toPointerPart } from './schema-limits.js'
import { SchemaMeter } from './schema-meter.js'

/**
 * The dialects that are understood, by the address in `$schema`, and the validator's name for each.
 * Draft 6 is a part of draft 7.
 */
const dialects: Readonly<Record<string, '7' | '2019-09' | '2020-12'>> = {
  'http://json-schema.org/draft-06/schema': '7',
  'http://json-schema.org/draft-07/schema': '7',
  'https://json-schema.org/draft/2019-09/schema': '2019-09',
  'https://json-schema.org/draft/2020-12/schema': '2020-12',
}

/** Keywords whose values are not schemas, even if they look like one. */
const literals = new Set([
  'enum',
  'const',
  'default',
  'examples',
  'required',
  'type',
  'dependentRequired',
])
/** Keywords whose values are schemas by name. */
const maps = new Set([
  '$defs',
  'definitions',
  'properties',
  'patternProperties',
  'dependentSchemas',
  'dependencies',
])
/** The values of `type`. */
const types: readonly unknown[] = [
  'string',
  'integer',
  'number',
  'boolean',
  'array',
  'object',
  'null',
]
/**
 * Keywords that affect validity and are not supported: ignoring them would accept values that the
 * author forbids.
 */
const unsupported = ['$dynamicRef', '$recursiveRef', '$vocabulary']

/** A schema that is safe to compile: our own copy, in which every unknown keyword is refused. */
export interface SchemaCopy {
  readonly schema: JsonObject | boolean
  readonly draft: '7' | '2019-09' | '2020-12'
  /** True when a list must have no equal items anywhere. */
  readonly uniqueItems: boolean
  /** Bounds what a check takes. */
  readonly meter: SchemaMeter
}

/** How a schema is copied. */
export interface CopyOptions {
  /** How messages name the schema. */
  readonly where: string
  /** True keeps `format`. */
  readonly assertFormats: boolean
  /** True refuses patterns that may run without end. */
  readonly untrusted: boolean
}

/**
 * Copies a schema and checks that every keyword in it is understood.
 * @throws {LlmError} `unsupported` — names the keyword and its place; `config` — the value is not a
 * schema, or a pattern is not a regular expression.
 */
export function copySchema(
  schema: unknown,
  options: CopyOptions,
  meter: SchemaMeter = new SchemaMeter(),
): SchemaCopy {
  const { where } = options
  const named =
    isObject(schema) && typeof schema['$schema'] === 'string'
      ? schema['$schema'].replace(/#$/, '')
      : undefined
  const draft = named === undefined ? '2020-12' : dialects[named]
  if (!draft) {
    throw new LlmError(
      'unsupported',
      `${where}: the dialect "${String(named)}" is not known; use one of ${Object.keys(dialects).join(', ')}`,
    )
  }
  const copier = new Copier(draft, options, meter)
  const copied = copier.copy(schema, '#')
  return { schema: copied, draft, uniqueItems: copier.uniqueItems, meter }
}

class Copier {
  uniqueItems = false
  readonly #anchors = new Set<string>()
  readonly #draft: string
  readonly #options: CopyOptions
  readonly #meter: SchemaMeter

  constructor(draft: string, options: CopyOptions, meter: SchemaMeter) {
    this.#draft = draft
    this.#options = options
    this.#meter = meter
  }

  copy(schema: unknown, path: string): JsonObject | boolean {
    // The empty schema means the same, and is counted.
    if (typeof schema === 'boolean') return schema && path !== '#' ? this.#meter.attach({}) : schema
    if (!isObject(schema))
      throw configError(
        `${this.#options.where}: ${path} is not a schema: expected an object, true or false`,
      )
    this.#check(schema, path)
    const kept = Object.entries(schema).filter(
      ([key]) => key !== '$recursiveAnchor' && (key !== 'format' || this.#options.assertFormats),
    )
    return this.#meter.attach(
      Object.fromEntries(
        kept.map(([key, value]) => [
          key,
          this.#copyKeyword(key, value, `${path}/${toPointerPart(key)}`),
        ]),
      ),
    )
  }

  #copyKeyword(key: string, value: unknown, path: string): unknown {
    if (literals.has(key) || typeof value !== 'object' || value === null)
      return structuredClone(value)
    if (Array.isArray(value))
      return value.map((item: unknown, index) =>
        isObject(item) ? this.copy(item, `${path}/${index}`) : structuredClone(item),
      )
    if (!maps.has(key)) return this.copy(value, path)
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]: [string, unknown]) => {
        if (key === 'patternProperties') this.#checkPattern(name, path)
        return [
          name,
          Array.isArray(inner)
            ? structuredClone(inner)
            : this.copy(inner, `${path}/${toPointerPart(name)}`),
        ]
      }),
    )
  }

  #check(schema: JsonObject, path: string): void {
    const refuse = (what: string): never => {
      throw new LlmError(
        'unsupported',
        `${this.#options.where}: ${what} (at ${path}) is not supported`,
      )
    }
    for (const keyword of unsupported) if (Object.hasOwn(schema, keyword)) refuse(`"${keyword}"`)
    const { $ref: reference, $anchor: anchor, $id: id, pattern, type = [] } = schema
    const names: readonly unknown[] = Array.isArray(type) ? type : [type]
    const unknown = names.find((name) => !types.includes(name))
    if (unknown !== undefined)
      throw configError(
        `${this.#options.where}: the type ${JSON.stringify(unknown)} (at ${path}) is not one of ${types.join(', ')}`,
      )
    if (this.#draft === '7' && reference !== undefined && id !== undefined)
      refuse('"$id" next to "$ref"')
    if (typeof anchor === 'string') {
      if (this.#anchors.has(anchor)) refuse(`the anchor "${anchor}" in two places`)
      this.#anchors.add(anchor)
    }
    if (typeof pattern === 'string') this.#checkPattern(pattern, path)
    if (schema['uniqueItems'] === true) this.uniqueItems = true
  }

  #checkPattern(pattern: string, path: string): void {
    try {
      new RegExp(pattern, 'u')
    } catch {
      throw configError(
        `${this.#options.where}: the pattern ${JSON.stringify(pattern.slice(0, 100))} (at ${path}) is not a regular expression`,
      )
    }
    if (this.#options.untrusted && !isPlainPattern(pattern)) {
      throw new LlmError(
        'unsupported',
        `${this.#options.where}: the pattern ${JSON.stringify(pattern.slice(0, 100))} (at ${path}) may take very long, so it is not run here`,
      )
    }
  }
}
