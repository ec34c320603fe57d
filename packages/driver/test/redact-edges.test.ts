import { createRedact } from '@modelport/driver'
import { expect, test } from 'vitest'

test('four characters are a secret, three are none', () => {
  expect(createRedact(['abcd', 'xyz'])('abcd xyz')).toBe('[redacted] xyz')
  // The base64 of three characters has four.
  expect(createRedact(['xyz'])(btoa('xyz'))).toBe(btoa('xyz'))
})

test('starts are looked for of secrets longer than twelve characters, as long as they go', () => {
  expect(createRedact(['abcdefghijkl'])('abcdefghijk abcdefghijkl')).toBe('abcdefghijk [redacted]')
  const redact = createRedact(['abcdefghijklmnop'])
  expect(redact('abcdefghijk|')).toBe('abcdefghijk|')
  expect(redact('abcdefghijkl|')).toBe('[redacted]|')
  expect(redact('abcdefghijklmn|')).toBe('[redacted]|')
  expect(redact('abcdefghijklm abcdefghijkl-abcdefghijklmnop')).toBe('[redacted] [redacted]-[redacted]')
  expect(redact('abcdefghijkl')).toBe('[redacted]')
})

test('the longest form goes first, so that nothing of it stays', () => {
  expect(createRedact(['secret', 'secret-and-more', 'more'])('secret-and-more')).toBe('[redacted]')
  expect(createRedact(['more', 'secret', 'secret-and-more'])('secret-and-more')).toBe('[redacted]')
})

test('base64 for addresses, without its filling', () => {
  const secret = '???>>>~~~key-0123'
  const form = btoa(secret)
  expect(form).toMatch(/[+/].*=$/)
  const redact = createRedact([secret])
  expect(redact(form)).toBe('[redacted]')
  expect(redact(form.replace(/=+$/, ''))).toMatch(/^\[redacted\].?$/)
  expect(redact(form.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, ''))).toBe('[redacted]')
})

test('no secrets, nothing changes', () => {
  expect(createRedact([])('abcd')).toBe('abcd')
  expect(createRedact([undefined, '', 'abc'])('abc undefined')).toBe('abc undefined')
})
