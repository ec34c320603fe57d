import { asText, isObject, isPollution, longestTimer, pollutes } from '@modelport/core'
import { describe, expect, test } from 'vitest'

const parsed = (text: string): unknown => JSON.parse(text)

describe('values of unknown type', () => {
  test.each([[{}], [{ a: 1 }], [Object.create(null)]])(
    'isObject accepts the object %o',
    (value) => {
      expect(isObject(value)).toBe(true)
    },
  )

  test.each([[null], [undefined], [[]], [[{}]], ['{}'], [1], [() => ({})]])(
    'isObject refuses %o',
    (value) => {
      expect(isObject(value)).toBe(false)
    },
  )

  test('asText gives the string, and an empty one for everything else', () => {
    expect(['text', '', 1, null, undefined, ['text'], { text: '' }].map(asText)).toEqual([
      'text',
      ...Array<string>(6).fill(''),
    ])
  })
})

describe('fields that could replace a prototype', () => {
  test.each([
    '{"__proto__":1}',
    '{"constructor":{"prototype":{}}}',
    '{"a":[{"b":{"__proto__":null}}]}',
  ])('fields that could replace a prototype are found in %s', (text) => {
    expect(pollutes(parsed(text))).toBe(true)
  })

  test.each([
    '{"constructor":"Ada"}',
    '{"constructor":{"name":"prototype"}}',
    '{"prototype":{}}',
    '{"car":{"prototype":{}}}',
    '[1,null,"__proto__"]',
  ])('fields that could replace a prototype are not seen in %s', (text) => {
    expect(pollutes(parsed(text))).toBe(false)
  })

  test('fields that could replace a prototype are found one by one for a caller with a walk of its own', () => {
    expect(isPollution('__proto__', 1)).toBe(true)
    expect(isPollution('constructor', parsed('{"prototype":1}'))).toBe(true)
    expect(isPollution('constructor', null)).toBe(false)
  })
})

test('longestTimer is the largest 32-bit integer, which timers of all platforms keep', () => {
  expect(longestTimer).toBe(2_147_483_647)
})
