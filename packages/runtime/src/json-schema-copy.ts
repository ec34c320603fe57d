import { type JsonObject, LlmError } from '@modelport/core'

/** The dialects that are understood, by the address in `$schema`, and the validator's name for each. Draft 6 is a part of draft 7. */
const dialects: Readonly<Record<string, '7' | '2019-09' | '2020-12'>> = {
  'http://json-schema.org/draft-06/schema': '7',
  'http://json-schema.org/draft-07/schema': '7',
  'https://json-schema.org/draft/2019-09/schema': '2019-09',
  'https://json-schema.org/draft/2020-12/schema': '2020-12',
}

/** Keywords whose values are no schemas, whatever they look like. */
const literals = new Set(['enum', 'const', 'default', 'examples', 'required', 'type', 'dependentRequired'])
/** Keywords whose values are schemas by name. */
const maps = new Set(['$defs', 'definitions', 'properties', 'patternProperties', 'dependentSchemas', 'dependencies'])
/** Keywords that decide what is valid and that are not understood: to ignore them would accept what the author forbids. */
const unsupported = ['$dynamicRef', '$recursiveRef', '$vocabulary']

/** A schema that is safe to be compiled: our own copy, everything that is not understood refused. */
export interface SchemaCopy {
  readonly schema: JsonObject | boolean
  readonly draft: '7' | '2019-09' | '2020-12'
  /** True when a list must have no equal items anywhere. */
  readonly uniqueItems: boolean
}

/**
 * Copies a schema and checks that every keyword in it is understood.
 * @throws {LlmError} `unsupported` — names the keyword and where it stands; `config` — it is no schema, or a pattern is no regular expression.
 */
export function copySchema(schema: unknown, assertFormats: boolean, where: string): SchemaCopy {
  const named = isObject(schema) && typeof schema['$schema'] === 'string' ? schema['$schema'].replace(/#$/, '') : undefined
  const draft = named === undefined ? '2020-12' : dialects[named]
  if (!draft) {
    throw new LlmError('unsupported', `${where}: the dialect "${String(named)}" is not known; use one of ${Object.keys(dialects).join(', ')}`)
  }
  const copier = new Copier(draft, assertFormats, where)
  const copied = copier.copy(schema, '#')
  return { schema: copied, draft, uniqueItems: copier.uniqueItems }
}

const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value)

class Copier {
  uniqueItems = false
  readonly #anchors = new Set<string>()
  readonly #draft: string
  readonly #assertFormats: boolean
  readonly #where: string

  constructor(draft: string, assertFormats: boolean, where: string) {
    this.#draft = draft
    this.#assertFormats = assertFormats
    this.#where = where
  }

  copy(schema: unknown, path: string): JsonObject | boolean {
    if (typeof schema === 'boolean') return schema
    if (!isObject(schema)) throw new LlmError('config', `${this.#where}: ${path} is no schema: expected an object, true or false`)
    this.#check(schema, path)
    const kept = Object.entries(schema).filter(([key]) => key !== 'format' || this.#assertFormats)
    return Object.fromEntries(kept.map(([key, value]) => [key, this.#copyKeyword(key, value, `${path}/${key}`)]))
  }

  #copyKeyword(key: string, value: unknown, path: string): unknown {
    if (literals.has(key) || typeof value !== 'object' || value === null) return structuredClone(value)
    if (Array.isArray(value)) return value.map((item: unknown, index) => (isObject(item) ? this.copy(item, `${path}/${index}`) : structuredClone(item)))
    if (!maps.has(key)) return this.copy(value, path)
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]: [string, unknown]) => {
        if (key === 'patternProperties') this.#checkPattern(name, path)
        return [name, Array.isArray(inner) ? structuredClone(inner) : this.copy(inner, `${path}/${name}`)]
      }),
    )
  }

  #check(schema: JsonObject, path: string): void {
    const refuse = (what: string): never => {
      throw new LlmError('unsupported', `${this.#where}: ${what} (at ${path}) is not supported`)
    }
    for (const keyword of unsupported) if (Object.hasOwn(schema, keyword)) refuse(`"${keyword}"`)
    const { $ref: reference, $anchor: anchor, $id: id, pattern } = schema
    if (this.#draft === '7' && reference !== undefined && id !== undefined) refuse('"$id" beside "$ref"')
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
      throw new LlmError('config', `${this.#where}: the pattern ${JSON.stringify(pattern.slice(0, 100))} (at ${path}) is no regular expression`)
    }
  }
}
