// Each keyword of JSON Schema with values on both sides of its limit. A second validator says the
// same of each.
import type { JsonObject } from '@modelport/core'
import { compileJsonSchema } from '@modelport/runtime'
import { expect, test } from 'vitest'
import { ajvOf } from '../../../test/support/ajv.js'

/** A schema, values that it accepts, and values that it rejects. */
type Case = readonly [schema: JsonObject, valid: readonly unknown[], invalid: readonly unknown[]]

const both: readonly Case[] = [
  [{ type: 'string' }, ['', 'x'], [1, null, [], {}, true]],
  [{ type: 'integer' }, [1, -1, 0, 1.0, 1e3], [1.5, '1', null]],
  [{ type: 'number' }, [1, 1.5], ['1', true]],
  [{ type: 'boolean' }, [true, false], [0, 'true', null]],
  [{ type: 'null' }, [null], [0, '', false, {}]],
  [{ type: 'array' }, [[], [1]], [{}, 'x']],
  [{ type: 'object' }, [{}, { a: 1 }], [[], null]],
  [{ type: ['string', 'null'] }, ['x', null], [1, []]],
  [
    { enum: [1, 'a', null, { a: [1] }] },
    [1, 'a', null, { a: [1] }],
    [2, 'b', { a: [2] }, { a: 1 }],
  ],
  [{ const: { a: [1, { b: null }] } }, [{ a: [1, { b: null }] }], [{ a: [1, {}] }, null]],
  [{ const: false }, [false], [0, null, '']],
  [{ minimum: 1 }, [1, 2, 'x'], [0, 0.99]],
  [{ maximum: 1 }, [1, 0, 'x'], [1.01]],
  [{ exclusiveMinimum: 1 }, [1.01], [1, 0]],
  [{ exclusiveMaximum: 1 }, [0.99], [1, 2]],
  [{ multipleOf: 2 }, [0, 4, -2, 'x'], [1, 3.5]],
  [{ multipleOf: 0.01 }, [0.07, 4.02], [0.075]],
  [{ minLength: 2 }, ['ab', '日本', 1], ['a', '😀']],
  [{ maxLength: 2 }, ['', 'ab', '😀😀'], ['abc']],
  [{ pattern: '^a+$' }, ['a', 'aaa', 1], ['', 'b', 'ab']],
  [{ pattern: 'b' }, ['abc'], ['ac']],
  [{ minItems: 1 }, [[1], 'x'], [[]]],
  [{ maxItems: 1 }, [[], [1]], [[1, 2]]],
  [
    { uniqueItems: true },
    [[], [1, '1', true], [{ a: 1 }, { a: 2 }], [[1], [2]]],
    [
      [1, 1],
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
    ],
  ],
  [{ items: { type: 'integer' } }, [[], [1, 2], 'x'], [[1, 'x']]],
  [{ items: false }, [[]], [[1]]],
  [{ contains: { const: 1 } }, [[1], [2, 1], 'x'], [[], [2]]],
  [{ minProperties: 1 }, [{ a: 1 }, []], [{}]],
  [{ maxProperties: 1 }, [{}, { a: 1 }], [{ a: 1, b: 2 }]],
  [{ required: ['a', 'toString'] }, [{ a: 1, toString: 1 }, 'x'], [{ a: 1 }, {}]],
  [
    { properties: { a: { type: 'integer' }, b: false } },
    [{}, { a: 1 }, { c: 'x' }, []],
    [{ a: 'x' }, { b: 1 }],
  ],
  [
    { properties: { constructor: { type: 'number' } } },
    [{}, { constructor: 1 }],
    [{ constructor: 'x' }],
  ],
  [{ patternProperties: { '^a': { type: 'integer' } } }, [{ ab: 1, b: 'x' }], [{ ab: 'x' }]],
  [
    { properties: { a: true }, patternProperties: { '^b': true }, additionalProperties: false },
    [{ a: 1, bc: 2 }, {}],
    [{ c: 1 }],
  ],
  [{ additionalProperties: { type: 'integer' } }, [{ a: 1 }], [{ a: 'x' }]],
  [{ propertyNames: { maxLength: 2 } }, [{ ab: 1 }, {}], [{ abc: 1 }]],
  [{ allOf: [{ minimum: 1 }, { maximum: 2 }] }, [1, 2], [0, 3]],
  [{ anyOf: [{ type: 'string' }, { minimum: 2 }] }, ['x', 2], [1]],
  [{ oneOf: [{ minimum: 1 }, { maximum: 2 }] }, [0, 3], [1, 2]],
  [{ not: { type: 'string' } }, [1], ['x']],
  [{ if: { minimum: 10 }, then: { multipleOf: 10 }, else: { maximum: 5 } }, [20, 5, 'x'], [15, 7]],
  [{ if: { const: 1 } }, [1, 2], []],
  [{ then: false }, [1], []],
  [{ $ref: '#/definitions/a', definitions: { a: { type: 'integer' } } }, [1], ['x']],
  [
    {
      properties: { 'a/b~c': { $ref: '#/definitions/x~1y~0z' } },
      definitions: { 'x/y~z': { const: 1 } },
    },
    [{ 'a/b~c': 1 }],
    [{ 'a/b~c': 2 }],
  ],
  [
    { properties: { next: { $ref: '#' }, n: { type: 'integer' } }, required: ['n'] },
    [{ n: 1, next: { n: 2 } }],
    [{ n: 1, next: {} }],
  ],
  [{ default: 'x', title: 'T', description: 'D', examples: [1], type: 'integer' }, [1], ['x']],
  [{ format: 'date' }, ['no date', 1], []],
]

const cases: readonly (readonly ['draft7' | 'draft2020-12', Case])[] = [
  ...both.flatMap((one) => [['draft7', one] as const, ['draft2020-12', one] as const]),
  [
    'draft7',
    [
      { items: [{ type: 'integer' }, { type: 'string' }] },
      [[1, 'x'], [1], [1, 'x', null]],
      [['x']],
    ],
  ],
  ['draft7', [{ items: [true], additionalItems: false }, [[1], []], [[1, 2]]]],
  ['draft7', [{ items: [true], additionalItems: { type: 'integer' } }, [['x', 1]], [[1, 'x']]]],
  [
    'draft7',
    [
      { dependencies: { a: ['b'], c: { required: ['d'] } } },
      [{ b: 1 }, { a: 1, b: 1 }, { c: 1, d: 1 }],
      [{ a: 1 }, { c: 1 }],
    ],
  ],
  [
    'draft2020-12',
    [
      { prefixItems: [{ type: 'integer' }], items: { type: 'string' } },
      [[1, 'x'], [1], []],
      [['x'], [1, 2]],
    ],
  ],
  [
    'draft2020-12',
    [
      { contains: { const: 1 }, minContains: 2, maxContains: 3 },
      [
        [1, 1],
        [1, 1, 1],
      ],
      [[1], [1, 1, 1, 1]],
    ],
  ],
  ['draft2020-12', [{ contains: { const: 1 }, minContains: 0 }, [[], [2]], []]],
  ['draft2020-12', [{ dependentRequired: { a: ['b'] } }, [{ b: 1 }, { a: 1, b: 1 }], [{ a: 1 }]]],
  [
    'draft2020-12',
    [{ dependentSchemas: { a: { required: ['b'] } } }, [{ a: 1, b: 1 }], [{ a: 1 }]],
  ],
  [
    'draft2020-12',
    [{ $ref: '#/$defs/a', maximum: 5, $defs: { a: { minimum: 1 } } }, [1, 5], [0, 6]],
  ],
  [
    'draft2020-12',
    [{ $defs: { a: { $anchor: 'here', type: 'integer' } }, $ref: '#here' }, [1], ['x']],
  ],
  [
    'draft2020-12',
    [
      { allOf: [{ properties: { a: true } }], unevaluatedProperties: false },
      [{ a: 1 }],
      [{ b: 1 }],
    ],
  ],
  [
    'draft2020-12',
    [{ allOf: [{ prefixItems: [true] }], unevaluatedItems: false }, [[1]], [[1, 2]]],
  ],
  [
    'draft2020-12',
    [{ $id: 'https://example.test/a', $defs: { b: { $id: 'b', const: 1 } }, $ref: 'b' }, [1], [2]],
  ],
]

const dialects = {
  draft7: 'http://json-schema.org/draft-07/schema#',
  'draft2020-12': 'https://json-schema.org/draft/2020-12/schema',
}

test.each(cases)('%s %j', (draft, [given, valid, invalid]) => {
  const schema = { $schema: dialects[draft], ...given }
  const check = compileJsonSchema(schema)
  const second = ajvOf(draft, schema)
  for (const [values, expected] of [
    [valid, true],
    [invalid, false],
  ] as const)
    for (const value of values)
      expect([value, check(value).ok, second(value)]).toEqual([value, expected, expected])
})
