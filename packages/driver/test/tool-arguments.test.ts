import { isLlmError } from '@modelport/core'
import { describe, expect, test } from 'vitest'
import { jsonTexts } from '../../../test/support/json-texts.js'
import { defaultLimits } from '../src/base/limits.js'
import { parseToolArguments } from '../src/turn/tool-arguments.js'

const parse = (text: string) => parseToolArguments(text, defaultLimits)

/** What comes of arguments: `executed` is what a caller would run a tool with. */
function outcome(text: string): 'executed' | 'error' | 'refused' {
  try {
    const { error, arguments: values } = parse(text)
    if (error === undefined) return 'executed'
    expect(values).toEqual({})
    return 'error'
  } catch (error) {
    expect(isLlmError(error, 'limit-exceeded')).toBe(true)
    return 'refused'
  }
}

test.each([
  ['', {}],
  [' \n', {}],
  ['{}', {}],
  ['{"a":{"b":[1,null,true,"ö"]}}', { a: { b: [1, null, true, 'ö'] } }],
  ['\t{"a":1}\r\n', { a: 1 }],
  ['{"a":1,"a":2}', { a: 2 }],
  ['{"":0}', { '': 0 }],
  ['{"constructor":1,"prototype":2}', { constructor: 1, prototype: 2 }],
  ['{"a":"__proto__"}', { a: '__proto__' }],
  ['{"constructor":null,"prototype":null}', { constructor: null, prototype: null }],
  ['{"constructor":{"a":1},"proto":[]}', { constructor: { a: 1 }, proto: [] }],
  ['{"a":{"prototype":1},"constructor":"x"}', { a: { prototype: 1 }, constructor: 'x' }],
  ['{"constructor":{"a":{"prototype":1}}}', { constructor: { a: { prototype: 1 } } }],
])('%j is taken', (text, expected) => {
  expect(parse(text)).toEqual({ arguments: expected })
})

test.each([
  '{',
  '{"a":',
  '{"a":1',
  '{"a":1,}',
  "{'a':1}",
  '{a:1}',
  '{"a":NaN}',
  '{"a":01}',
  '[]',
  '[{"a":1}]',
  'null',
  'true',
  '1',
  '"{}"',
  '{}{}',
  '{} x',
  '\ufeff{}',
  '{"a":"\n"}',
  '{"a":undefined}',
  '// no\n{}',
  '```json\n{}\n```',
  '{"a":Infinity}',
])('%j is an error, and nothing is made of it', (text) => {
  expect(outcome(text)).toBe('error')
})

test.each([
  '{"__proto__":{"isAdmin":true}}',
  '{"a":{"__proto__":1}}',
  '{"a":[{"__proto__":1}]}',
  '{"\\u005f_proto__":1}',
  '{"__\\u0070roto__":{"x":1}}',
  '{"constructor":{"prototype":{"x":1}}}',
  '{"constructor":{"\\u0070rototype":{}}}',
  '{"a":1,"__proto__":1,"b":{}}',
  '{"a":[1,{"b":{"constructor":{"prototype":1}}}],"c":2}',
])('%j would pollute a prototype and is an error', (text) => {
  expect(outcome(text)).toBe('error')
  expect(Object.hasOwn(Object.prototype, 'isAdmin')).toBe(false)
})

test('nesting beyond 128 is an error, however long the text', () => {
  const nested = (depth: number, open: string, close: string) =>
    `{"a":${open.repeat(depth - 1)}${close.repeat(depth - 1)}}`
  expect(outcome(nested(128, '[', ']'))).toBe('executed')
  expect(outcome(nested(129, '[', ']'))).toBe('refused')
  expect(outcome('{"a":'.repeat(129) + '1' + '}'.repeat(129))).toBe('refused')
  expect(outcome(`{"a":"${'['.repeat(500)}\\"${'{'.repeat(500)}"}`)).toBe('executed')
  // By the square of its length it would take hours.
  expect(outcome('{"a":'.repeat(1_000_000))).toBe('refused')
  expect(outcome('[['.repeat(50_000))).toBe('refused')
})

test('every start of a call is an error until it is whole', () => {
  const text = '{"city":"Łódź","list":[1,{"a":null}],"b":false}'
  for (let end = 1; end < text.length; end++) expect(outcome(text.slice(0, end))).toBe('error')
  expect(outcome(text)).toBe('executed')
})

describe('JSONTestSuite', () => {
  const given = jsonTexts.filter(({ text }) => text.trim() !== '')

  test('no malformed text is ever executed', () => {
    const malformed = given.filter(({ isJson }) => isJson === false)
    expect(malformed.length).toBeGreaterThan(170)
    expect(
      malformed.filter(({ text }) => outcome(text) === 'executed').map(({ name }) => name),
    ).toEqual([])
    const wrapped = malformed.filter(({ text }) => outcome(`{"a":${text}}`) === 'executed')
    expect(wrapped.map(({ name }) => name)).toEqual([])
  })

  test('every well-formed text is taken, alone when it is an object, and inside one', () => {
    const wellFormed = given.filter(({ isJson }) => isJson)
    expect(wellFormed).toHaveLength(95)
    for (const { name, text } of wellFormed) {
      const value: unknown = JSON.parse(text)
      const object = typeof value === 'object' && value !== null && !Array.isArray(value)
      expect(outcome(text), name).toBe(object ? 'executed' : 'error')
      expect(parse(`{"a":${text}}`), name).toEqual({ arguments: { a: value } })
    }
  })

  test('the undecided ones never throw anything untyped', () => {
    for (const { text, isJson } of given) if (isJson === undefined) outcome(text)
  })
})
