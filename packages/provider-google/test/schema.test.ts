import type { JsonObject } from '@modelport/core'
import { describe, expect, test } from 'vitest'
import { toOpenApiSchema } from '../src/schema.js'
import { unhonouredKeywords, withEnums } from '../src/schema-keywords.js'

const convert = (schema: JsonObject): JsonObject => toOpenApiSchema(schema, 'tool "t"')

describe('the OpenAPI form', () => {
  test.each<[string, JsonObject, JsonObject]>([
    [
      'types',
      { type: 'integer', minimum: 1, title: 'n' },
      { type: 'INTEGER', minimum: 1, title: 'n' },
    ],
    ['null next to a type', { type: ['string', 'null'] }, { type: 'STRING', nullable: true }],
    [
      'null as an alternative',
      { anyOf: [{ type: 'string' }, { type: 'null' }], description: 'd' },
      { description: 'd', type: 'STRING', nullable: true },
    ],
    [
      'alternatives',
      { oneOf: [{ type: 'string' }, { type: 'number' }] },
      { anyOf: [{ type: 'STRING' }, { type: 'NUMBER' }] },
    ],
    ['constants', { const: 'a' }, { enum: ['a'] }],
    [
      'numbers to choose from',
      { type: 'integer', enum: [1, 2] },
      { type: 'INTEGER', enum: ['1', '2'] },
    ],
    [
      'nested lists and objects',
      {
        type: 'object',
        properties: {
          a: { type: 'array', items: { type: 'object', properties: { b: { type: 'boolean' } } } },
        },
      },
      {
        type: 'OBJECT',
        properties: {
          a: { type: 'ARRAY', items: { type: 'OBJECT', properties: { b: { type: 'BOOLEAN' } } } },
        },
      },
    ],
    [
      'references',
      {
        type: 'object',
        properties: { a: { $ref: '#/$defs/A~1B', description: 'mine' } },
        $defs: { 'A/B': { type: 'string', description: 'its' } },
      },
      { type: 'OBJECT', properties: { a: { type: 'STRING', description: 'mine' } } },
    ],
    [
      'a reference into a list',
      {
        type: 'object',
        properties: {
          a: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
          b: { $ref: '#/properties/a/anyOf/1' },
        },
      },
      {
        type: 'OBJECT',
        properties: {
          a: { anyOf: [{ type: 'STRING' }, { type: 'INTEGER' }] },
          b: { type: 'INTEGER' },
        },
      },
    ],
    [
      'annotations are left out',
      { $schema: 's', $id: 'i', type: 'string', examples: ['a'], 'x-note': 1 },
      { type: 'STRING' },
    ],
    [
      'closed objects are what the form means',
      { type: 'object', additionalProperties: false, properties: { a: true } },
      { type: 'OBJECT', properties: { a: {} } },
    ],
    [
      'a single allOf',
      { allOf: [{ type: 'string' }], description: 'd' },
      { type: 'STRING', description: 'd' },
    ],
    [
      'a property named like a keyword',
      { type: 'object', properties: { not: { type: 'string' } } },
      { type: 'OBJECT', properties: { not: { type: 'STRING' } } },
    ],
  ])('the OpenAPI form has %s', (_, schema, converted) => {
    expect(convert(schema)).toEqual(converted)
  })

  test.each<[JsonObject, string]>([
    [{ type: 'object', properties: { a: { not: { type: 'string' } } } }, '#/properties/a/not'],
    [
      { type: 'object', properties: { 'a/b~c': { type: 'array', uniqueItems: true } } },
      '#/properties/a~1b~0c/uniqueItems',
    ],
    [{ type: 'array', items: [{ type: 'string' }] }, '#/items'],
    [{ type: 'array', prefixItems: [] }, '#/prefixItems'],
    [
      { anyOf: [{ type: 'string' }, { type: 'number', exclusiveMinimum: 0 }] },
      '#/anyOf/1/exclusiveMinimum',
    ],
    [{ type: ['string', 'number'] }, '#/type'],
    [{ const: true }, '#/const'],
    [{ allOf: [{}, {}] }, '#/allOf'],
    [{ type: 'object', additionalProperties: { type: 'string' } }, '#/additionalProperties'],
    [{ type: 'object', patternProperties: {} }, '#/patternProperties'],
    [
      {
        $ref: '#/$defs/a',
        $defs: { a: { type: 'object', properties: { next: { $ref: '#/$defs/a' } } } },
      },
      '#/properties/next/$ref',
    ],
    [{ $ref: 'https://host.example/schema' }, '#/$ref'],
    [{ $ref: '#/$defs/gone' }, '#/$ref'],
    [{ properties: { a: { $ref: '#a' } }, type: 'object' }, '#/properties/a/$ref'],
    [{ type: 'object', properties: { a: false } }, '#/properties/a'],
    [{ $ref: '#/$defs/%' }, '#/$ref'],
    [{ enum: 'a' }, '#/enum'],
    [{ anyOf: { type: 'string' } }, '#/anyOf'],
    [{ unknownKeyword: 1 }, '#/unknownKeyword'],
  ])('%j is refused at its pointer', (schema, pointer) => {
    expect(() => convert(schema)).toThrow(
      `google: tool "t": the schema at ${pointer} cannot be sent`,
    )
    expect(() => convert(schema)).toThrow(expect.objectContaining({ code: 'unsupported' }))
  })
})

describe('a schema that would fill the memory is refused with its JSON pointer', () => {
  /** Each definition holds the next one twice. */
  const doubling = (definitions: number): JsonObject => ({
    $ref: '#/$defs/0',
    $defs: Object.fromEntries(
      Array.from({ length: definitions + 1 }, (_, at) => [
        at,
        at < definitions
          ? { anyOf: [{ $ref: `#/$defs/${at + 1}` }, { $ref: `#/$defs/${at + 1}` }] }
          : { type: 'string' },
      ]),
    ),
  })
  const nestedIn = (levels: number): JsonObject =>
    levels ? { type: 'array', items: nestedIn(levels - 1) } : { type: 'string' }
  const inItself: Record<string, unknown> = { type: 'array' }
  inItself['items'] = inItself
  const steps = Object.fromEntries(
    Array.from({ length: 100 }, (_, at) => [at, { $ref: `#/$defs/${at + 1}` }]),
  )
  const list = {
    properties: Object.fromEntries(
      Array.from({ length: 100 }, (_, at) => [at, { $ref: '#/$defs/list' }]),
    ),
    $defs: { list: { enum: Array.from({ length: 1000 }, String) } },
  }
  const example = {
    properties: Object.fromEntries(
      Array.from({ length: 100 }, (_, at) => [at, { $ref: '#/$defs/one' }]),
    ),
    $defs: { one: { type: 'string', default: Array.from({ length: 1000 }, () => ({})) } },
  }

  test.each<[string, JsonObject, RegExp]>([
    [
      'references that double',
      doubling(30),
      /at #(\/anyOf\/[01])+ cannot be sent: it has more than 50000 values/,
    ],
    [
      'long lists to choose from',
      list,
      /at #\/properties\/\d+\/enum cannot be sent: it has more than 50000 values/,
    ],
    [
      'long defaults',
      example,
      /at #\/properties\/\d+\/default(\/\d+)? cannot be sent: it has more than 50000 values/,
    ],
    ['nesting', nestedIn(65), /at #(\/items){65} cannot be sent: it is nested deeper than 64/],
    [
      'a schema that holds itself',
      inItself,
      /at #(\/items){65} cannot be sent: it is nested deeper than 64/,
    ],
    [
      'steps from reference to reference',
      { $ref: '#/$defs/0', $defs: steps },
      /at # cannot be sent: it is nested deeper than 64/,
    ],
  ])(
    'a schema that would fill the memory is refused with its JSON pointer: %s',
    (_, schema, message) => {
      expect(() => convert(schema)).toThrow(message)
      expect(() => convert(schema)).toThrow(expect.objectContaining({ code: 'limit-exceeded' }))
    },
  )

  test('a schema within the limits is sent', () => {
    expect(JSON.stringify(convert(doubling(10))).match(/STRING/g)).toHaveLength(1024)
    expect(JSON.stringify(convert(nestedIn(64))).match(/ARRAY/g)).toHaveLength(64)
  })
})

test('keywords the JSON Schema form is not documented to honour are named', () => {
  const schema = {
    type: 'object',
    $defs: { a: { pattern: '^a' } },
    additionalProperties: { not: {} },
    minProperties: 1,
    properties: {
      pattern: { type: 'string', minLength: 1 },
      list: { items: { $ref: '#/$defs/a' }, prefixItems: [{ multipleOf: 2 }] },
      either: { anyOf: [{ const: 1 }, { type: 'null' }] },
    },
  }
  expect(unhonouredKeywords(schema).sort()).toEqual([
    '#/$defs/a/pattern',
    '#/additionalProperties/not',
    '#/minProperties',
    '#/properties/either/anyOf/0/const',
    '#/properties/list/prefixItems/0/multipleOf',
    '#/properties/pattern/minLength',
  ])
})

test('a constant goes out as an enumeration of one, and a schema without any as it is', () => {
  const schema = {
    type: 'object',
    properties: {
      const: { const: 'a', description: 'b' },
      one: { anyOf: [{ const: 1 }, { type: 'null' }] },
      list: { type: 'array', items: { const: true } },
      other: { const: null },
    },
    $defs: { two: { const: 2 } },
  }
  expect(withEnums(schema)).toEqual({
    type: 'object',
    properties: {
      const: { enum: ['a'], description: 'b' },
      one: { anyOf: [{ enum: [1] }, { type: 'null' }] },
      list: { type: 'array', items: { enum: [true] } },
      other: { const: null },
    },
    $defs: { two: { enum: [2] } },
  })
  const plain = { type: 'object', properties: { const: { type: 'string' } } }
  expect(withEnums(plain)).toBe(plain)
})
