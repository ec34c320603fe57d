import { type JsonObject, LlmError } from '@modelport/core'
import { atReference, toPointerPart } from '@modelport/driver'
import { stringFormats, toLiteral, valueRules } from './grammar-text.js'
import { integerRule } from './integer-range.js'
import { name } from './messages.js'

/** Says nothing about what fits. */
const annotations = [
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
  '$schema',
  '$id',
  '$anchor',
  '$comment',
  '$defs',
  'definitions',
]
/** What each kind of schema may say besides its `type`. */
const keywords: Readonly<Record<string, readonly string[]>> = {
  object: ['properties', 'required', 'additionalProperties'],
  array: ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems'],
  string: ['minLength', 'maxLength', 'format'],
  integer: ['minimum', 'maximum'],
  number: [],
  boolean: [],
  null: [],
}
/**
 * llama.cpp refuses grammars that repeat 2000 symbols for certain (measured with the version of
 * node-llama-cpp 3.22.1); items have three.
 */
const mostCertain = 500
/** Each possible repetition is a rule of its own. */
const mostPossible = 5000

/**
 * The rules, in llama.cpp's grammar notation, of JSON that fits a schema; the rule `root` is the
 * whole. What the rules allow always fits the schema; they may allow less: the required properties
 * come first, each kind in the schema's order, and undeclared ones only where none are declared.
 * `oneOf` is read as `anyOf`.
 * @throws {LlmError} `unsupported` — a grammar cannot say it; the message has the JSON pointer.
 * @see https://github.com/ggml-org/llama.cpp/blob/master/grammars/README.md (read 2026-11-21)
 */
export function toSchemaRules(schema: unknown, root: string): readonly string[] {
  return new SchemaGrammar(schema, root).rules()
}

class SchemaGrammar {
  readonly #schema: unknown
  readonly #root: string
  readonly #rules: string[] = []
  /** Rules of what `$ref` names, by pointer. */
  readonly #named = new Map<string, string>()

  constructor(schema: unknown, root: string) {
    this.#schema = schema
    this.#root = root
  }

  rules(): readonly string[] {
    this.#named.set('', this.#root)
    this.#rules.push(`${this.#root} ::= ${this.#value(this.#schema, '')}`)
    return [...this.#rules, ...valueRules]
  }

  #value(schema: unknown, at: string): string {
    if (schema === true) return 'any-value'
    if (typeof schema !== 'object' || schema === null || Array.isArray(schema))
      return refuse(at, 'no JSON fits it, or it is not a schema')
    const rules: JsonObject = Object.fromEntries(
      Object.entries(schema).filter(
        ([key, value]) => !annotations.includes(key) && value !== undefined,
      ),
    )
    const { type, $ref, enum: list, anyOf, oneOf, allOf } = rules

    if ($ref !== undefined) return this.#reference(rules, at)

    if ('const' in rules) {
      this.#check(rules, ['const', 'type'], at)
      return toChoice([rules['const']], type, at)
    }
    if (Array.isArray(list) && list.length) {
      this.#check(rules, ['enum', 'type'], at)
      return toChoice(list, type, at)
    }

    for (const [key, options] of Object.entries({ anyOf, oneOf, allOf })) {
      if (options === undefined) continue
      if (!Array.isArray(options) || !options.length)
        return refuse(`${at}/${key}`, 'it must be a list of schemas')
      if (key === 'allOf' && options.length > 1)
        return refuse(`${at}/allOf`, 'schemas cannot be joined; write them as one')
      this.#check(rules, [key], at)
      return either(options.map((option, index) => this.#value(option, `${at}/${key}/${index}`)))
    }

    return type === undefined ? this.#untyped(rules, at) : this.#ofTypes(type, rules, at)
  }

  /** A value of one of these types. */
  #ofTypes(type: unknown, rules: JsonObject, at: string): string {
    const types = [type].flat().filter((one): one is string => typeof one === 'string')
    if (!types.length)
      return refuse(`${at}/type`, 'it must be the name of a type, or a list of names')

    const ofTypes = types.flatMap((one) =>
      Object.hasOwn(keywords, one) ? (keywords[one] ?? []) : [],
    )
    this.#check(rules, ['type', ...ofTypes], at)
    return either(types.map((one) => this.#typed(one, rules, at)))
  }

  /** A value of the type whose keywords the schema has. */
  #untyped(rules: JsonObject, at: string): string {
    if (!Object.keys(rules).length) return 'any-value'

    const type = Object.keys(keywords).find((one) =>
      Object.keys(rules).every((key) => keywords[one]?.includes(key)),
    )
    if (type !== undefined) return this.#typed(type, rules, at)
    this.#check(rules, [], at)
    return ''
  }

  #typed(type: string, rules: JsonObject, at: string): string {
    if (type === 'object') return this.#object(rules, at)
    if (type === 'array') return this.#array(rules, at)
    if (type === 'string') return this.#string(rules, at)
    if (type === 'integer') return integerRule(rules, (key, why) => refuse(`${at}/${key}`, why))
    return type === 'number' || type === 'boolean' || type === 'null'
      ? `any-${type}`
      : refuse(`${at}/type`, `there is no type "${type}"`)
  }

  #object(
    { properties = {}, required = [], additionalProperties }: JsonObject,
    at: string,
  ): string {
    if (typeof properties !== 'object' || properties === null || Array.isArray(properties))
      return refuse(`${at}/properties`, 'it must be an object of schemas')
    if (!Array.isArray(required) || !required.every((key) => typeof key === 'string'))
      return refuse(`${at}/required`, 'it must be a list of names')

    const declared = Object.entries(properties)
    const names: readonly string[] = [...new Set(required)]
    const undeclared = names
      .filter((key) => !Object.hasOwn(properties, key))
      .map((key) => [key, additionalProperties ?? true] as const)
    const members = [...declared, ...undeclared].map(([key, value]) => ({
      isRequired: names.includes(key),
      text: this.#property(key, value, at),
    }))

    if (!members.length) return this.#openObject(additionalProperties, at)

    const first = members.filter(({ isRequired }) => isRequired).map(({ text }) => text)
    const optional = members.filter(({ isRequired }) => !isRequired).map(({ text }) => text)
    const later = optional.map((text) => `("," space ${text})?`)
    if (first.length) return `"{" ${first.join(' "," space ')} ${later.join(' ')} "}"`

    // Nothing is required: whichever comes first has no comma before it.
    const beginnings = optional.map((text, index) => [text, ...later.slice(index + 1)].join(' '))
    return `"{" ${either(beginnings)}? "}"`
  }

  /** A rule for a property with its name. */
  #property(key: string, schema: unknown, at: string): string {
    const literal = toLiteral(`${JSON.stringify(key)}:`)
    const value = this.#value(schema, `${at}/properties/${toPointerPart(key)}`)
    return this.#rule(`${literal} space ${value}`)
  }

  /** An object that declares no property. */
  #openObject(additionalProperties: unknown, at: string): string {
    if (additionalProperties === false) return toLiteral('{}')

    const value = this.#value(additionalProperties ?? true, `${at}/additionalProperties`)
    const member = this.#rule(`any-string ":" space ${value}`)
    return `"{" (${member} ("," space ${member})*)? "}"`
  }

  #array(
    { items = true, prefixItems = [], minItems = 0, maxItems, uniqueItems }: JsonObject,
    at: string,
  ): string {
    if (uniqueItems === true) return refuse(`${at}/uniqueItems`, 'a grammar cannot compare items')
    if (!Array.isArray(prefixItems))
      return refuse(`${at}/prefixItems`, 'it must be a list of schemas')

    const prefix = Array.isArray(items) ? items : prefixItems
    const places = prefix.map((item, index) => this.#value(item, `${at}/prefixItems/${index}`))
    const least = Math.max(toCount(minItems, `${at}/minItems`) - places.length, 0)
    const most =
      maxItems === undefined ? undefined : toCount(maxItems, `${at}/maxItems`) - places.length
    if (most !== undefined && most < 0)
      return refuse(`${at}/maxItems`, 'it is below the number of prefixItems')

    const open = places.join(' "," space ')
    if (Array.isArray(items) || items === false || most === 0) {
      return least > 0
        ? refuse(`${at}/minItems`, 'it is above what the items allow')
        : `"[" ${open} "]"`
    }

    const item = this.#rule(this.#value(items, `${at}/items`))
    const next = `("," space ${item})`
    if (places.length) return `"[" ${open} ${next}${repeat(least, most, `${at}/maxItems`)} "]"`

    const mostNext = most === undefined ? undefined : most - 1
    const list = `${item} ${next}${repeat(Math.max(least - 1, 0), mostNext, `${at}/maxItems`)}`
    return least > 0 ? `"[" ${list} "]"` : `"[" (${list})? "]"`
  }

  #string({ minLength, maxLength, format }: JsonObject, at: string): string {
    if (format !== undefined) {
      if (minLength !== undefined || maxLength !== undefined)
        return refuse(`${at}/format`, 'it cannot be combined with a length')
      return typeof format === 'string' && Object.hasOwn(stringFormats, format)
        ? `${format}-string`
        : refuse(`${at}/format`, `the format ${JSON.stringify(format)} is not known`)
    }
    if (minLength === undefined && maxLength === undefined) return 'any-string'

    const least = toCount(minLength ?? 0, `${at}/minLength`)
    const most = maxLength === undefined ? undefined : toCount(maxLength, `${at}/maxLength`)
    return `"\\"" plain-char${repeat(least, most, `${at}/maxLength`)} "\\""`
  }

  #reference(rules: JsonObject, at: string): string {
    this.#check(rules, ['$ref'], at)
    const { $ref } = rules
    if (typeof $ref !== 'string' || !/^#(\/|$)/.test($ref))
      return refuse(`${at}/$ref`, 'only parts of the schema itself can be referred to')

    const pointer = $ref.slice(1)
    const existing = this.#named.get(pointer)
    if (existing !== undefined) return existing

    const target = atReference(this.#schema, $ref)
    if (target === undefined) return refuse(`${at}/$ref`, `there is nothing at ${$ref}`)
    const rule = `${this.#root}-ref-${this.#named.size}`
    this.#named.set(pointer, rule)
    this.#rules.push(`${rule} ::= ${this.#value(target, pointer)}`)
    return rule
  }

  /** A rule of its own keeps repeated parts short. */
  #rule(text: string): string {
    const rule = `${this.#root}-${this.#rules.length}`
    this.#rules.push(`${rule} ::= ${text}`)
    return rule
  }

  /** Refuses what a grammar cannot say next to these. */
  #check(rules: JsonObject, allowed: readonly string[], at: string): void {
    const key = Object.keys(rules).find((one) => !allowed.includes(one))
    if (key !== undefined) refuse(`${at}/${toPointerPart(key)}`, 'a grammar cannot express it here')
  }
}

function toCount(value: unknown, at: string): number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0
    ? value
    : refuse(at, 'it must be a whole number of at least 0')
}

/** The values of a list that are of the type, as they are written. */
function toChoice(values: readonly unknown[], type: unknown, at: string): string {
  const fitting =
    type === undefined
      ? values
      : values.filter((value) =>
          typesOf(value).some((one) => one === type || (Array.isArray(type) && type.includes(one))),
        )
  return fitting.length
    ? either(fitting.map((value) => toLiteral(JSON.stringify(value))))
    : refuse(`${at}/type`, 'no value of the list is of this type')
}

function typesOf(value: unknown): readonly string[] {
  if (value === null) return ['null']
  if (Array.isArray(value)) return ['array']
  return Number.isInteger(value) ? ['integer', 'number'] : [typeof value]
}

function repeat(least: number, most: number | undefined, at: string): string {
  if (most !== undefined && most < least) return refuse(at, 'it is below the least')
  if (least > mostCertain)
    return refuse(at.replace('/max', '/min'), `more than ${mostCertain} cannot be counted`)
  if ((most ?? 0) > mostPossible) return refuse(at, `more than ${mostPossible} cannot be counted`)
  return most === undefined ? `{${least},}` : `{${least},${most}}`
}

const either = (options: readonly string[]): string => `(${options.join(' | ')})`

function refuse(at: string, why: string): never {
  throw new LlmError('unsupported', `${name}: the schema at "${at || '/'}": ${why}`)
}
