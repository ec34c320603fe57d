import { expect, test } from 'vitest'
import { copyJson } from '../src/base/copy-json.js'

test('a copy of JSON shares nothing with it', () => {
  const value = { a: [1, { b: null }], c: 'x', d: { e: true } }
  const copy = copyJson(value)
  expect(copy).toEqual(value)
  expect(copy.a).not.toBe(value.a)
  expect(copy.a[1]).not.toBe(value.a[1])
  expect(copy.d).not.toBe(value.d)
})

test('a key "__proto__" stays a key of the copy', () => {
  const value = JSON.parse('{"inner":{"__proto__":{"admin":true}}}') as { inner: object }
  const { inner } = copyJson(value)
  expect(Object.keys(inner)).toEqual(['__proto__'])
  expect(Object.getPrototypeOf(inner)).toBe(Object.prototype)
})

test('an object of a class is cloned, and a function is refused, as structuredClone does', () => {
  const at = new Date(0)
  const copy = copyJson({ at, bytes: new Uint8Array([1]) })
  expect(copy).toEqual({ at, bytes: new Uint8Array([1]) })
  expect(copy.at).not.toBe(at)
  expect(() => copyJson({ f: () => 1 })).toThrow(/could not be cloned/)
})
