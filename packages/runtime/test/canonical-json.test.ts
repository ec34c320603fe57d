import { expect, test } from 'vitest'
import { canonicalJson } from '../src/base/canonical-json.js'

test('canonical JSON is the same text whatever the order of keys, at any depth', () => {
  const text = '{"a":[{"c":1,"d":null}],"b":"x"}'

  expect(canonicalJson({ b: 'x', a: [{ d: null, c: 1 }] })).toBe(text)
  expect(canonicalJson({ a: [{ c: 1, d: null }], b: 'x' })).toBe(text)
})

test('canonical JSON has what toJSON returns, also of a key in the middle', () => {
  const at = new Date('2026-11-30T00:00:00Z')
  const money = { toJSON: () => ({ units: 1, currency: 'EUR' }) }

  expect(canonicalJson({ money, at })).toBe(
    '{"at":"2026-11-30T00:00:00.000Z","money":{"currency":"EUR","units":1}}',
  )
})

test('a key __proto__ stays a key of canonical JSON', () => {
  const value: unknown = JSON.parse('{"b":1,"__proto__":{"d":1,"c":2}}')

  expect(canonicalJson(value)).toBe('{"__proto__":{"c":2,"d":1},"b":1}')
})

test('canonical JSON leaves out what has no JSON, and is null for nothing else', () => {
  expect(canonicalJson({ b: undefined, a: () => 1, c: [undefined] })).toBe('{"c":[null]}')
  expect(canonicalJson(undefined)).toBe('null')
})
