import { createRedact, headerSecrets } from '@modelport/core'
import { expect, test } from 'vitest'

test('treats four characters as a secret, but not three', () => {
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

test('a secret in base64 for addresses is redacted without its filling', () => {
  const secret = '???>>>~~~key-0123'
  const form = btoa(secret)
  expect(form).toMatch(/[+/].*=$/)
  const redact = createRedact([secret])
  expect(redact(form)).toBe('[redacted]')
  expect(redact(form.replace(/=+$/, ''))).toMatch(/^\[redacted\].?$/)
  expect(redact(form.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, ''))).toBe('[redacted]')
})

test('a text without secrets does not change', () => {
  expect(createRedact([])('abcd')).toBe('abcd')
  expect(createRedact([undefined, '', 'abc'])('abc undefined')).toBe('abc undefined')
})

test('a short secret in base64 for addresses is redacted without its filling', () => {
  expect(btoa('???>')).toBe('Pz8/Pg==')
  expect(createRedact(['???>'])('Pz8_Pg Pz8/Pg==')).toBe('[redacted] [redacted]')
})

test('inside another base64 text a secret goes to its last character, where none of it is shared', () => {
  expect(createRedact(['abcdefghijk'])(btoa('xabcdefghijk'))).toMatch(/^..\[redacted\]$/)
})

test('a text may end with a secret, or with its start', () => {
  expect(createRedact(['abcdefghijklmnop'])('abcdefghijklmno')).toBe('[redacted]')
  expect(createRedact(['abcdefghijklmnop'])('abcdefghijklmnop')).toBe('[redacted]')
})

test.each([
  ['what comes after the scheme, however short', { authorization: 'Basic hunter2' }, 'hunter2', true],
  ['a word of eight characters', { cookie: 'theme=light123; a=b' }, 'light123', true],
  ['no word of seven', { cookie: 'theme=light12; a=b' }, 'light12', false],
  ['twenty digits', { 'x-team': '12345678901234567890' }, '12345678901234567890', true],
  ['no twenty letters', { 'x-team': 'abcdefghijklmnopqrst' }, 'abcdefghijklmnopqrst', false],
  [
    'twenty characters with a digit next to twenty without',
    { 'x-team': 'abcdefghijklmnopqrst-0bcdefghijklmnopqrst' },
    'abcdefghijklmnopqrst-0bcdefghijklmnopqrst',
    true,
  ],
])('of headers: %s', (_, headers, text, secret) => {
  expect(createRedact(headerSecrets(headers))(text)).toBe(secret ? '[redacted]' : text)
})
