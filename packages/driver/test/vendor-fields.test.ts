import type { JsonObject } from '@modelport/core'
import { type Turn, withVendor } from '@modelport/driver'
import { describe, expect, test } from 'vitest'
import { fc } from '../../../test/support/fast-check.js'
import { buildRequest } from '../src/turn/vendor-fields.js'

const turnOf = (more: Partial<Turn> = {}): Turn => ({
  model: 'm',
  messages: [{ role: 'user', content: 'x' }],
  tools: [],
  options: {},
  stream: false,
  ...more,
})
const mergeOf = (ours: JsonObject, vendor: unknown) => {
  const { request, warnings } = buildRequest(
    { name: 'p', request: () => withVendor(ours, vendor) },
    turnOf(),
  )
  return { request, warnings }
}

describe('vendor fields', () => {
  test.each<[string, JsonObject, unknown, JsonObject, string[]]>([
    [
      'merge deep into objects',
      { text: { format: 1 } },
      { text: { verbosity: 'low' } },
      { text: { format: 1, verbosity: 'low' } },
      [],
    ],
    [
      'replace a list, and say so',
      { include: ['a'] },
      { include: ['b'] },
      { include: ['b'] },
      ['vendor replaces "include"'],
    ],
    ['replace a scalar, and say so', { n: 1 }, { n: 2 }, { n: 2 }, ['vendor replaces "n"']],
    ['that say the same are silent', { n: 1, l: [1] }, { n: 1, l: [1] }, { n: 1, l: [1] }, []],
    [
      'replace an object of another type',
      { thinking: { type: 'enabled', budget: 9 } },
      { thinking: { type: 'adaptive' } },
      { thinking: { type: 'adaptive' } },
      ['vendor replaces "thinking"'],
    ],
    [
      'remove with null, and say so',
      { a: { b: 1, c: 2 } },
      { a: { b: null } },
      { a: { c: 2 } },
      ['vendor removes "a.b"'],
    ],
    ['leave out what is undefined', { a: 1 }, { a: undefined, b: undefined }, { a: 1 }, []],
  ])('vendor fields %s', (_, ours, vendor, request, warnings) => {
    const merged = mergeOf(ours, vendor)
    expect(merged.request).toEqual(request)
    expect(merged.warnings.map((text) => text.split(',')[0])).toEqual(warnings)
  })

  test('vendor fields pollute no prototype', () => {
    const { request } = mergeOf(
      { a: {} },
      JSON.parse('{"__proto__":{"x":1},"a":{"__proto__":{"x":1}}}'),
    )
    expect(request).toEqual({ a: {} })
    expect(Object.getPrototypeOf(request)).toBe(Object.prototype)
  })

  test('vendor fields lose no field of ours in silence, whatever both sides are', () => {
    const json = fc.dictionary(
      fc.constantFrom('a', 'b', 'type'),
      fc.letrec((tie) => ({
        value: fc.oneof(
          { maxDepth: 3 },
          fc.constantFrom(1, 'x', null, true),
          fc.array(fc.integer(), { maxLength: 2 }),
          fc.dictionary(fc.constantFrom('a', 'b', 'type'), tie('value'), { maxKeys: 3 }),
        ),
      })).value,
    )
    fc.assert(
      fc.property(json, json, (ours, vendor) => {
        const { request, warnings } = mergeOf(ours, vendor)
        const named = warnings.map(
          (text) => JSON.parse(/(?:replaces|removes) (".*?"),/.exec(text)?.[1] ?? '""') as string,
        )
        const check = (own: unknown, made: unknown, path: string): void => {
          if (own === undefined || named.includes(path)) return
          if (typeof own !== 'object' || own === null || Array.isArray(own)) {
            if (JSON.stringify(own) !== JSON.stringify(made))
              expect.fail(`${path} was lost in silence`)
            return
          }
          for (const [key, value] of Object.entries(own))
            check(value, (made as JsonObject | undefined)?.[key], path ? `${path}.${key}` : key)
        }
        check(ours, request, '')
      }),
      { numRuns: 300 },
    )
  })

  test.each<[string, Partial<Turn>]>([
    ['the tool "t"', { tools: [{ name: 't', description: 'd', vendor: { a: 1 } }] }],
    ['messages[0]', { messages: [{ role: 'user', content: 'x', vendor: { a: 1 } }] }],
    [
      'messages[0].content[1]',
      {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'x' },
              { type: 'text', text: 'y', vendor: { a: 1 } },
            ],
          },
        ],
      },
    ],
  ])('vendor fields of %s are refused by an API that has no such object', (where, more) => {
    expect(() => buildRequest({ name: 'p', request: () => ({}) }, turnOf(more))).toThrow(
      expect.objectContaining({
        code: 'unsupported',
        message: `p: unsupported: vendor of ${where} has no place in this API's request`,
      }),
    )
  })
})
