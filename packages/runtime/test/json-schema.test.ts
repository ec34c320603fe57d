import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isLlmError, type JsonObject } from '@modelport/core'
import { compileJsonSchema } from '@modelport/runtime'
import { describe, expect, test } from 'vitest'
import { suitePath } from '../../../test/support/suites.js'

const suite = suitePath('json-schema') ?? ''

interface Group {
  readonly description: string
  readonly schema: JsonObject | boolean
  readonly tests: readonly {
    readonly description: string
    readonly data: unknown
    readonly valid: boolean
  }[]
}

const drafts: Readonly<Record<string, { readonly dialect: string; readonly others: RegExp }>> = {
  draft7: {
    dialect: 'http://json-schema.org/draft-07/schema#',
    others: /\/(draft(3|4|6|2019-09|2020-12)|v1)\//,
  },
  'draft2020-12': {
    dialect: 'https://json-schema.org/draft/2020-12/schema',
    others: /\/(draft(3|4|6|7|2019-09)|v1)\//,
  },
}

/**
 * How many groups are refused, by file and by what is refused. Every other group must be decided as
 * the suite says.
 */
const refused: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  draft7: {
    'definitions.json: a reference': 1,
    'ref.json: "$id" next to "$ref"': 1,
    'ref.json: a reference': 1,
  },
  'draft2020-12': {
    'anchor.json: anchor': 1,
    'defs.json: a reference': 1,
    'dynamicRef.json: "$dynamicRef"': 15,
    'dynamicRef.json: a reference': 6,
    'ref.json: a reference': 1,
    'ref.json: anchor': 1,
    'unevaluatedItems.json: "$dynamicRef"': 1,
    'unevaluatedProperties.json: "$dynamicRef"': 1,
    'vocabulary.json: dialect': 2,
  },
}

const decided: Readonly<Record<string, number>> = { draft7: 921, 'draft2020-12': 1238 }

/**
 * What a refusal is about; a reference that leads nowhere leads to a meta-schema, or to a schema
 * that is refused itself.
 */
const kindOf = (message: string): string =>
  /"\$id" next to "\$ref"|"\$dynamicRef"|anchor|dialect/.exec(message)?.[0] ??
  (/the reference .* leads to no schema/.test(message) ? 'a reference' : message)

const withDialect = (schema: JsonObject | boolean, dialect: string): JsonObject | boolean =>
  typeof schema === 'object' && schema['$schema'] === undefined
    ? { $schema: dialect, ...schema }
    : schema

/** A remote schema with a keyword that is refused is not there for anyone. */
function isUnsupported(schema: JsonObject | boolean): boolean {
  try {
    compileJsonSchema(schema)
    return false
  } catch (error) {
    return isLlmError(error, 'unsupported')
  }
}

function remotes(dialect: string, others: RegExp): Record<string, JsonObject | boolean> {
  const files = readdirSync(join(suite, 'remotes'), { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.json') && !others.test(`/${file}`),
  )
  const all = files.map(
    (file) =>
      [
        `http://localhost:1234/${file}`,
        withDialect(JSON.parse(readFileSync(join(suite, 'remotes', file), 'utf8')), dialect),
      ] as const,
  )
  return Object.fromEntries(all.filter(([, schema]) => !isUnsupported(schema)))
}

describe.skipIf(!suite).each(Object.entries(drafts))(
  'JSON-Schema-Test-Suite, required tests of %s',
  (draft, { dialect, others }) => {
    test('every schema is decided as the suite says, or refused', () => {
      const given = remotes(dialect, others)
      const refusals: Record<string, number> = {}
      const wrong: string[] = []
      let right = 0
      for (const file of readdirSync(join(suite, 'tests', draft)).filter((name) =>
        name.endsWith('.json'),
      )) {
        for (const { description, schema, tests } of JSON.parse(
          readFileSync(join(suite, 'tests', draft, file), 'utf8'),
        ) as readonly Group[]) {
          let validator
          try {
            validator = compileJsonSchema(withDialect(schema, dialect), { schemas: given })
          } catch (error) {
            expect(isLlmError(error)).toBe(true)
            const kind = `${file}: ${kindOf((error as Error).message)}`
            refusals[kind] = (refusals[kind] ?? 0) + 1
            continue
          }
          for (const { description: name, data, valid } of tests) {
            if (validator(data).ok === valid) right++
            else wrong.push(`${file} | ${description} | ${name}`)
          }
        }
      }
      expect(wrong).toEqual([])
      expect(refusals).toEqual(refused[draft])
      expect(right).toBe(decided[draft])
    })
  },
)

describe('compileJsonSchema', () => {
  test.each([
    ['lists', 3_000, (depth: number) => '['.repeat(depth) + ']'.repeat(depth)],
    ['lists', 100_000, (depth: number) => '['.repeat(depth) + ']'.repeat(depth)],
    [
      'schemas',
      3_000,
      (depth: number) => `${'{"properties":{"a":'.repeat(depth)}{}${'}}'.repeat(depth)}`,
    ],
  ])('compileJsonSchema refuses %s that are nested %i deep, with what to do', (_, depth, write) => {
    const schema = { type: 'object', properties: { a: JSON.parse(write(depth)) as JsonObject } }
    expect(() => compileJsonSchema(schema, { where: 'a.json' })).toThrow(
      expect.objectContaining({
        code: 'limit-exceeded',
        message: 'a.json: the schema is nested deeper than 256; write it flatter',
      }) as Error,
    )
  })

  const messageOf = (schema: JsonObject, value: unknown, options = {}) => {
    const result = compileJsonSchema(schema, options)(value)
    return result.ok ? 'ok' : result.message
  }
  const refusalOf = (schema: unknown, options = {}) => {
    try {
      compileJsonSchema(schema as JsonObject, options)
      return 'accepted'
    } catch (error) {
      return isLlmError(error) ? `${error.code}: ${error.message}` : 'another error'
    }
  }

  test('compileJsonSchema tells each problem, where it is, in words', () => {
    const schema = {
      type: 'object',
      properties: {
        city: { type: 'string' },
        days: { type: 'integer', minimum: 1 },
        tags: { type: 'array', items: { enum: ['a', 'b'] } },
      },
      required: ['city', 'unit'],
      additionalProperties: false,
    }
    expect(messageOf(schema, { city: 3, days: 0, tags: ['c'], zz: 1 })).toBe(
      'Instance does not have required property "unit".; city: Instance type "number" is invalid. Expected "string".; days: 0 is less than 1.; ' +
        'tags/0: Instance does not match any of ["a","b"].; zz is not allowed',
    )
    expect(messageOf(schema, { city: 'Rome', unit: 1 })).toBe('unit is not allowed')
    expect(messageOf({ not: {} }, 1)).toMatch(/./)
  })

  test('a format is a remark, unless it is asked for', () => {
    expect(messageOf({ format: 'date' }, 'no date')).toBe('ok')
    expect(
      messageOf(
        { properties: { format: { type: 'string', format: 'email' } } },
        { format: 'no mail' },
        { assertFormats: true },
      ),
    ).toMatch(/format: .*email/)
    expect(
      messageOf(
        { properties: { format: { type: 'string', format: 'email' } } },
        { format: 'no mail' },
      ),
    ).toBe('ok')
    expect(refusalOf({ properties: { a: { format: 'color' } } }, { assertFormats: true })).toMatch(
      /^unsupported: .*"color"/,
    )
  })

  test('compileJsonSchema refuses what is not understood, with a place', () => {
    expect(refusalOf({ properties: { a: { $dynamicRef: '#x' } } })).toBe(
      'unsupported: schema: "$dynamicRef" (at #/properties/a) is not supported',
    )
    expect(refusalOf({ $schema: 'http://json-schema.org/draft-04/schema#' })).toMatch(
      /^unsupported: .*draft-04/,
    )
    expect(refusalOf({ properties: { a: { $ref: '#/$defs/b' } } })).toMatch(
      /^config: .*#\/\$defs\/b/,
    )
    expect(refusalOf({ properties: { a: { $ref: 'https://elsewhere.example/s' } } })).toMatch(
      /^config: .*nothing is fetched/,
    )
    expect(refusalOf({ properties: { a: { pattern: '(' } } })).toMatch(
      /^config: .*regular expression/,
    )
    expect(refusalOf({ patternProperties: { '[': true } })).toMatch(/^config: .*regular expression/)
    expect(refusalOf({ items: 3, properties: { a: 'x' } })).toMatch(
      /^config: .*#\/properties\/a is not a schema/,
    )
    expect(refusalOf('x')).toMatch(/^config: /)
  })

  test('names of properties are names, not keywords', () => {
    const schema = JSON.parse(
      '{"properties":{"$dynamicRef":{"type":"string"},"$ref":{"type":"string"},"id":{"type":"integer"},"__proto__":{"type":"integer"}}}',
    )
    expect(messageOf(schema, { $dynamicRef: 'a', $ref: 'b', id: 1 })).toBe('ok')
    expect(messageOf(schema, { id: 'x' })).toMatch(/^id: /)
    expect(messageOf(schema, JSON.parse('{"__proto__":"x"}'))).toMatch(/^__proto__: /)
  })

  test('compileJsonSchema leaves the schema as it was, frozen or not, and can be used again', () => {
    const schema = Object.freeze({
      $ref: '#/$defs/a',
      $defs: Object.freeze({ a: Object.freeze({ type: 'string' }) }),
    })
    const before = JSON.stringify(schema)
    expect(compileJsonSchema(schema)('x').ok && compileJsonSchema(schema)('y').ok).toBe(true)
    expect(JSON.stringify(schema)).toBe(before)
    expect(Reflect.ownKeys(schema)).toEqual(['$ref', '$defs'])
  })

  test('a schema that never ends is a problem of the value, not of the stack', () => {
    expect(messageOf({ $ref: '#' }, {})).toMatch(/cannot be checked/)
  })

  test('a list that would take hours to compare is refused at once', () => {
    const list = Array.from({ length: 300_000 }, (_, index) => index)
    expect(messageOf({ properties: { list: { uniqueItems: true } } }, { list })).toMatch(
      /more than 2000/,
    )
    expect(messageOf({ uniqueItems: true }, list.slice(0, 2000))).toBe('ok')
  })
})
