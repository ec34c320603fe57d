/** Maximum calls of the validator in one check: about a second. */
const mostWork = 500_000

/** Keywords for which every character of a text is read, or every key of an object. */
const readsText = ['minLength', 'maxLength', 'pattern', 'format', 'patternProperties'] as const
const readsKeys = [
  'additionalProperties',
  'unevaluatedProperties',
  'patternProperties',
  'propertyNames',
  'dependentSchemas',
] as const

/** The facts that decide the cost of a check. */
export interface ValueMeasure {
  /** Characters of the longest text, keys included. */
  readonly text: number
  readonly keys: number
  /** Items of the longest list. */
  readonly items: number
}

/** The sizes of a value. Overflows the stack on a circle, as everything does that reads one. */
export function measureValue(value: unknown): ValueMeasure {
  const most = { text: 0, keys: 0, items: 0 }
  const visit = (one: unknown): void => {
    if (typeof one === 'string') most.text = Math.max(most.text, one.length)
    if (typeof one !== 'object' || one === null) return
    const inner = Object.entries(one)
    if (Array.isArray(one)) most.items = Math.max(most.items, inner.length)
    else most.keys = Math.max(most.keys, inner.length)
    for (const [key, each] of inner) {
      if (!Array.isArray(one)) most.text = Math.max(most.text, key.length)
      visit(each)
    }
  }
  visit(value)
  return most
}

/**
 * Ends a check that would take too long: references can reach the same schema along many paths, and
 * each path is followed again. The validator cannot be stopped from outside, but it reads
 * `$recursiveAnchor` of every schema it visits, so a getter there counts the work. The keyword
 * itself has no effect, because the keywords it works with are refused.
 */
export class SchemaMeter {
  #left = mostWork
  #value: ValueMeasure = { text: 0, keys: 0, items: 0 }
  readonly #weights = new WeakMap<
    object,
    { readonly own: number; readonly text: number; readonly keys: number }
  >()
  readonly #prototype: object

  constructor() {
    const charge = (schema: object): void => {
      this.#charge(schema)
    }
    this.#prototype = Object.defineProperty({}, '$recursiveAnchor', {
      get(this: object) {
        charge(this)
      },
    })
  }

  /** Has this schema counted wherever the validator comes to it. */
  attach<Schema extends object>(schema: Schema): Schema {
    return Object.setPrototypeOf(schema, this.#prototype) as Schema
  }

  begin(value: ValueMeasure): void {
    this.#value = value
    this.#left = mostWork
  }

  #charge(schema: object): void {
    let weight = this.#weights.get(schema)
    if (!weight) this.#weights.set(schema, (weight = weigh(schema)))
    const { text, keys } = this.#value
    // Objects of very many keys cost more a key.
    this.#left -= weight.own + weight.text * text + weight.keys * keys * (1 + keys / 20_000)
    if (this.#left < 0) throw new Error('it would take too long')
  }
}

function weigh(schema: object): { own: number; text: number; keys: number } {
  const inner = Object.values(schema).filter(
    (value: unknown): value is object => typeof value === 'object' && value !== null,
  )
  const patterns =
    'patternProperties' in schema ? Object.keys(schema.patternProperties as object).length : 0
  return {
    own: 1 + inner.reduce((sum, value) => sum + Object.keys(value).length, 0) / 8,
    text: readsText.some((keyword) => Object.hasOwn(schema, keyword)) ? (1 + patterns) / 8 : 0,
    keys: readsKeys.some((keyword) => Object.hasOwn(schema, keyword)) ? 1 + patterns : 0,
  }
}
