import type { JsonObject } from '@modelport/core'
import { expect, test } from 'vitest'
import { fc } from '../../../test/support/fast-check.js'
import { toSchemaRules } from '../src/schema-grammar.js'
import { GrammarLanguage } from './grammar-language.js'
import { fits } from './schema-check.js'

type Pick = (count: number) => number

/**
 * A schema, and values that fit it, as a model writes them: the required properties first, then
 * others in the schema's order.
 */
interface Sample {
  readonly schema: JsonObject
  readonly value: (pick: Pick) => unknown
}

const letters = ['a', 'é', '🚀', '"', '\\', '\n', ' ', '/', '{']
const literal = fc.oneof(
  fc.constantFrom<unknown>(null, true, 'a "b"\n', 'c\\d', '', { x: [1, {}] }, []),
  fc.integer({ min: -9, max: 9 }),
)
const count = fc.integer({ min: 0, max: 3 })
const one = (values: readonly unknown[], pick: Pick): unknown => values[pick(values.length)]
const leaf: fc.Arbitrary<Sample> = fc.oneof(
  literal.map((value) => ({ schema: { const: value }, value: () => value })),
  fc
    .array(literal, { minLength: 1, maxLength: 4 })
    .map((list) => ({ schema: { enum: list }, value: (pick: Pick) => one(list, pick) })),
  fc.array(literal, { maxLength: 3 }).map((list) => ({
    schema: { type: ['string', 'integer'], enum: [...list, 'z', 5] },
    value: (pick: Pick) => one(['z', 5], pick),
  })),
  fc.tuple(fc.integer({ min: -60, max: 60 }), fc.nat(30)).map(([low, more]) => ({
    schema: { type: 'integer', minimum: low, maximum: low + more },
    value: (pick: Pick) => low + pick(more + 1),
  })),
  fc.constantFrom(0, 1).map((minimum) => ({
    schema: { type: 'integer', minimum },
    value: (pick: Pick) => minimum + pick(9) ** pick(15),
  })),
  fc.tuple(count, count).map(([least, more]) => ({
    schema: { type: 'string', minLength: least, maxLength: least + more },
    value: (pick: Pick) =>
      Array.from({ length: least + pick(more + 1) }, () => one(letters, pick)).join(''),
  })),
  fc.constant({
    schema: { type: 'number' },
    value: (pick: Pick) => one([0, -0.5, 1.25e21, 7, -123456.789], pick),
  }),
  fc.constant({
    schema: { type: ['boolean', 'null'] },
    value: (pick: Pick) => one([true, false, null], pick),
  }),
)
const { sample } = fc.letrec<{ sample: Sample }>((tie) => ({
  sample: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.tuple(tie('sample'), count, count).map(([{ schema, value }, least, more]) => ({
      schema: { type: 'array', items: schema, minItems: least, maxItems: least + more },
      value: (pick: Pick) => Array.from({ length: least + pick(more + 1) }, () => value(pick)),
    })),
    fc.array(tie('sample'), { maxLength: 3 }).map((all) => ({
      schema: { type: 'array', prefixItems: all.map(({ schema }) => schema), items: false },
      value: (pick: Pick) => all.map(({ value }) => value(pick)),
    })),
    fc.array(tie('sample'), { minLength: 1, maxLength: 3 }).map((all) => ({
      schema: { anyOf: all.map(({ schema }) => schema) },
      value: (pick: Pick) => (all[pick(all.length)] as Sample).value(pick),
    })),
    fc.array(fc.tuple(tie('sample'), fc.boolean()), { maxLength: 4 }).map(toObject),
  ),
}))

function toObject(members: readonly (readonly [Sample, boolean])[]): Sample {
  const named = members.map(([member, needed], index) => ({
    ...member,
    needed,
    key: ['a', 'odd "k\\"\n', 'é🚀', ''][index] as string,
  }))
  const order = [...named.filter(({ needed }) => needed), ...named.filter(({ needed }) => !needed)]
  const properties = Object.fromEntries(named.map(({ key, schema }) => [key, schema]))
  return {
    schema: {
      type: 'object',
      properties,
      required: named.filter(({ needed }) => needed).map(({ key }) => key),
      additionalProperties: false,
    },
    value: (pick) =>
      Object.fromEntries(
        order.filter(({ needed }) => needed || pick(2)).map(({ key, value }) => [key, value(pick)]),
      ),
  }
}

/** Choices by numbers that fast-check makes, over and over. */
function picking(numbers: readonly number[]): Pick {
  let at = 0
  return (of) => (numbers[at++ % numbers.length] ?? 0) % of
}

const choices = fc.array(fc.nat(1000), { minLength: 1, maxLength: 60 })

test('what the grammar of a schema allows fits the schema, and what fits is allowed', () => {
  fc.assert(
    fc.property(sample, choices, ({ schema, value }, numbers) => {
      const language = new GrammarLanguage(toSchemaRules(schema, 'value'))
      const pick = picking(numbers)
      const made = language.text('value', pick)
      expect(fits(schema, JSON.parse(made)), made).toBe(true)
      const fitting = JSON.stringify(value(pick))
      expect(language.allows('value', fitting), fitting).toBe(true)
    }),
    { numRuns: 300 },
  )
})

test('the grammar for any JSON allows all JSON, and nothing else', () => {
  const language = new GrammarLanguage(toSchemaRules(true, 'value'))
  fc.assert(
    fc.property(choices, (numbers) => {
      expect(() => JSON.parse(language.text('value', picking(numbers))) as unknown).not.toThrow()
    }),
    { numRuns: 100 },
  )
  for (const text of ['{"a":[1,{"b":null}],"":"\\u0041\\n"}', '-1.5e-7', '[]', '"🚀"'])
    expect(language.allows('value', text), text).toBe(true)
  for (const text of ['', '01', '{"a":1,}', '"\n"', '[1 2]', '.5', 'nul', '{a:1}', '1 '])
    expect(language.allows('value', text), text).toBe(false)
})
