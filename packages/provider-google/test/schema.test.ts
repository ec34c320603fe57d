import { describe, expect, test } from 'vitest'
import type { JsonObject } from '@modelport/core'
import { toOpenApiSchema, unhonouredKeywords } from '../src/schema.js'

const convert = (schema: JsonObject): JsonObject => toOpenApiSchema(schema, 'tool "t"')

describe('the OpenAPI form', () => {
  test.each<[string, JsonObject, JsonObject]>([
    ['types', { type: 'integer', minimum: 1, title: 'n' }, { type: 'INTEGER', minimum: 1, title: 'n' }],
    ['null beside a type', { type: ['string', 'null'] }, { type: 'STRING', nullable: true }],
    ['null as an alternative', { anyOf: [{ type: 'string' }, { type: 'null' }], description: 'd' }, { description: 'd', type: 'STRING', nullable: true }],
    ['alternatives', { oneOf: [{ type: 'string' }, { type: 'number' }] }, { anyOf: [{ type: 'STRING' }, { type: 'NUMBER' }] }],
    ['constants', { const: 'a' }, { enum: ['a'] }],
    ['numbers to choose from', { type: 'integer', enum: [1, 2] }, { type: 'INTEGER', enum: ['1', '2'] }],
    ['nested lists and objects', { type: 'object', properties: { a: { type: 'array', items: { type: 'object', properties: { b: { type: 'boolean' } } } } } },
      { type: 'OBJECT', properties: { a: { type: 'ARRAY', items: { type: 'OBJECT', properties: { b: { type: 'BOOLEAN' } } } } } }],
    ['references', { type: 'object', properties: { a: { $ref: '#/$defs/A~1B', description: 'mine' } }, $defs: { 'A/B': { type: 'string', description: 'its' } } },
      { type: 'OBJECT', properties: { a: { type: 'STRING', description: 'mine' } } }],
    ['annotations are left out', { $schema: 's', $id: 'i', type: 'string', examples: ['a'], 'x-note': 1 }, { type: 'STRING' }],
    ['closed objects are what the form means', { type: 'object', additionalProperties: false, properties: { a: true } }, { type: 'OBJECT', properties: { a: {} } }],
    ['a single allOf', { allOf: [{ type: 'string' }], description: 'd' }, { type: 'STRING', description: 'd' }],
    ['a property named like a keyword', { type: 'object', properties: { not: { type: 'string' } } }, { type: 'OBJECT', properties: { not: { type: 'STRING' } } }],
  ])('%s', (_, schema, converted) => {
    expect(convert(schema)).toEqual(converted)
  })

  test.each<[JsonObject, string]>([
    [{ type: 'object', properties: { a: { not: { type: 'string' } } } }, '#/properties/a/not'],
    [{ type: 'object', properties: { 'a/b~c': { type: 'array', uniqueItems: true } } }, '#/properties/a~1b~0c/uniqueItems'],
    [{ type: 'array', items: [{ type: 'string' }] }, '#/items'],
    [{ type: 'array', prefixItems: [] }, '#/prefixItems'],
    [{ anyOf: [{ type: 'string' }, { type: 'number', exclusiveMinimum: 0 }] }, '#/anyOf/1/exclusiveMinimum'],
    [{ type: ['string', 'number'] }, '#/type'],
    [{ const: true }, '#/const'],
    [{ allOf: [{}, {}] }, '#/allOf'],
    [{ type: 'object', additionalProperties: { type: 'string' } }, '#/additionalProperties'],
    [{ type: 'object', patternProperties: {} }, '#/patternProperties'],
    [{ $ref: '#/$defs/a', $defs: { a: { type: 'object', properties: { next: { $ref: '#/$defs/a' } } } } }, '#/properties/next/$ref'],
    [{ $ref: 'https://host.example/schema' }, '#/$ref'],
    [{ $ref: '#/$defs/gone' }, '#/$ref'],
    [{ type: 'object', properties: { a: false } }, '#/properties/a'],
    [{ unknownKeyword: 1 }, '#/unknownKeyword'],
  ])('%j is refused at its pointer', (schema, pointer) => {
    expect(() => convert(schema)).toThrow(`google: tool "t": the schema at ${pointer} cannot be sent`)
    expect(() => convert(schema)).toThrow(expect.objectContaining({ code: 'unsupported' }))
  })
})

test('keywords the JSON Schema form is not documented to honour are named', () => {
  const schema = {
    type: 'object', $defs: { a: { pattern: '^a' } }, additionalProperties: { not: {} }, minProperties: 1,
    properties: { pattern: { type: 'string', minLength: 1 }, list: { items: { $ref: '#/$defs/a' }, prefixItems: [{ multipleOf: 2 }] }, either: { anyOf: [{ const: 1 }, { type: 'null' }] } },
  }
  expect(unhonouredKeywords(schema).sort()).toEqual([
    '#/$defs/a/pattern', '#/additionalProperties/not', '#/minProperties', '#/properties/either/anyOf/0/const', '#/properties/list/prefixItems/0/multipleOf', '#/properties/pattern/minLength',
  ])
})
