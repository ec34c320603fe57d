import { AgentError, type JsonValue, type Violation } from '@modelport/agent'
import { isObject } from '@modelport/core'
import { invalidParams } from './invalid-params.js'
import { kindOf } from './json.js'

/** Limits on foreign JSON. */
export interface JsonLimits {
  /** Maximum nesting of arrays and objects. Default 64. */
  readonly maxDepth?: number
  /** Maximum values in total. Default 100,000. */
  readonly maxValues?: number
}

/**
 * Checks that foreign JSON is within the limits, without recursion.
 * @throws {AgentError} `invalid-params` — with the JSON pointer of the value that is too deep.
 */
export function checkJsonLimits(
  value: unknown,
  { maxDepth = 64, maxValues = 100_000 }: JsonLimits = {},
): void {
  if (typeof value !== 'object' || value === null) return
  const open: OpenValue[] = [{ value, depth: 0 }]
  let count = 1
  for (let next = open.pop(); next; next = open.pop()) {
    const { value: outer, depth } = next
    if (depth >= maxDepth) refuse(pointerOf(next), `the value is nested deeper than ${maxDepth}`)
    for (const [key, inner] of Object.entries(outer)) {
      if (++count > maxValues) refuse('', `the value has more than ${maxValues} parts`)
      if (typeof inner === 'object' && inner !== null)
        open.push({ value: inner as object, depth: depth + 1, parent: next, key })
    }
  }
}

/** An array or object whose values are not checked yet. */
interface OpenValue {
  readonly value: object
  readonly depth: number
  readonly parent?: OpenValue
  readonly key?: string
}

/** Built only for a value that is refused. */
const pointerOf = ({ parent, key = '' }: OpenValue): string =>
  parent ? `${pointerOf(parent)}/${escapePointer(key)}` : ''

function refuse(pointer: string, message: string): never {
  throw invalidParams(pointer, message, `Invalid value at "${pointer}": ${message}.`)
}

/** One step of a JSON pointer. */
export const escapePointer = (key: string): string =>
  key.replaceAll('~', '~0').replaceAll('/', '~1')

/** Reads one foreign object field by field, and collects its problems with JSON pointers. */
export class Hydrator {
  readonly #violations: Violation[]
  readonly #source: Readonly<Record<string, unknown>>
  readonly #pointer: string
  readonly #read = new Set<string>()

  private constructor(source: unknown, pointer: string, violations: Violation[]) {
    this.#violations = violations
    this.#pointer = pointer
    this.#source = isObject(source) ? source : {}
    if (!isObject(source)) this.report('', `expected an object, found ${kindOf(source)}`)
  }

  /**
   * Reads a foreign value with `read`.
   * @param what names the value in the error, for example `AgentCard`
   * @throws {AgentError} `invalid-params` — every violation that was found, with its JSON pointer.
   */
  static run<T>(what: string, source: unknown, read: (source: Hydrator) => T): T {
    checkJsonLimits(source)
    const violations: Violation[] = []
    const value = read(new Hydrator(source, '', violations))
    const [first] = violations
    if (!first) return value
    const more = violations.length > 1 ? ` (and ${violations.length - 1} more)` : ''
    throw new AgentError('invalid-params', `${what}${first.pointer}: ${first.message}${more}`, {
      violations,
    })
  }

  /** Adds a violation at a field, or at an item of it; `''` is the object itself. */
  report(key: string, message: string, index?: number): void {
    const own = key === '' ? this.#pointer : `${this.#pointer}/${escapePointer(key)}`
    this.#violations.push({ pointer: index === undefined ? own : `${own}/${index}`, message })
  }

  /** The raw value of a field. */
  raw(key: string): unknown {
    this.#read.add(key)
    return Object.hasOwn(this.#source, key) ? this.#source[key] : undefined
  }

  /** The first of several spellings that is present. */
  rawOf(...keys: readonly string[]): unknown {
    for (const key of keys) this.#read.add(key)
    const found = keys.find(
      (key) => Object.hasOwn(this.#source, key) && this.#source[key] !== undefined,
    )
    return found === undefined ? undefined : this.#source[found]
  }

  #typed<T>(key: string, name: string, is: (value: unknown) => value is T): T | undefined {
    const value = this.raw(key)
    if (value === undefined || value === null) return undefined
    if (is(value)) return value
    this.report(key, `expected ${name}, found ${kindOf(value)}`)
    return undefined
  }

  /** A string; unset if absent or null. */
  string(key: string): string | undefined {
    return this.#typed(key, 'a string', (value) => typeof value === 'string')
  }

  /** A string that must be there and not empty. */
  requiredString(key: string): string {
    const value = this.string(key)
    const found = this.raw(key)
    if (value === undefined && (found === undefined || found === null))
      this.report(key, 'Missing required field')
    else if (value === '') this.report(key, 'must not be empty')
    return value ?? ''
  }

  /** A boolean; unset if absent or null. */
  boolean(key: string): boolean | undefined {
    return this.#typed(key, 'a boolean', (value) => typeof value === 'boolean')
  }

  /** A finite number; unset if absent or null. */
  number(key: string): number | undefined {
    return this.#typed(
      key,
      'a number',
      (value): value is number => typeof value === 'number' && Number.isFinite(value),
    )
  }

  /** One of the names. */
  oneOf<T extends string>(key: string, names: readonly T[]): T | undefined {
    const value = this.string(key)
    if (value === undefined) return undefined
    if ((names as readonly string[]).includes(value)) return value as T
    this.report(
      key,
      `expected one of ${names.join(', ')}, found ${JSON.stringify(value.slice(0, 80))}`,
    )
    return undefined
  }

  /** A plain object, copied; unset if absent or null. */
  object(key: string): Readonly<Record<string, JsonValue>> | undefined {
    const value = this.#typed(key, 'an object', isObject)
    return value && ({ ...value } as Readonly<Record<string, JsonValue>>)
  }

  /** Strings; absent and null are an empty list. */
  strings(key: string): readonly string[] {
    const values =
      this.#typed(key, 'an array', (value): value is unknown[] => Array.isArray(value)) ?? []
    values.forEach((value, index) => {
      if (typeof value !== 'string')
        this.report(key, `expected a string, found ${kindOf(value)}`, index)
    })
    return values.filter((value) => typeof value === 'string')
  }

  /** A nested object; unset if absent or null. */
  nested<T>(key: string, read: (source: Hydrator) => T): T | undefined {
    const value = this.raw(key)
    if (value === undefined || value === null) return undefined
    return read(new Hydrator(value, `${this.#pointer}/${escapePointer(key)}`, this.#violations))
  }

  /** A list of nested objects; absent and null are an empty list. */
  list<T>(key: string, read: (source: Hydrator, index: number) => T): readonly T[] {
    const values =
      this.#typed(key, 'an array', (value): value is unknown[] => Array.isArray(value)) ?? []
    return values.map((value, index) =>
      read(
        new Hydrator(value, `${this.#pointer}/${escapePointer(key)}/${index}`, this.#violations),
        index,
      ),
    )
  }

  /** The fields that were not read, so that a codec can keep them. */
  rest(): Readonly<Record<string, JsonValue>> {
    const entries = Object.entries(this.#source).filter(([key]) => !this.#read.has(key))
    return Object.fromEntries(entries) as Readonly<Record<string, JsonValue>>
  }
}
