import { createRedact, headerSecrets } from '@modelport/core'
import { describe, expect, test } from 'vitest'
import { fc } from '../../../test/support/fast-check.js'

const key = 'sk-ant-api03-Zx81+Canary/Key=0123456789_abcdefghij'
const redact = (text: string): string => createRedact([key])(text)
const json = (text: string): string =>
  Array.from(text, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')

describe('a key that a server repeats', () => {
  test.each([
    ['cut short after its special characters', key.slice(0, 24)],
    ['its end alone', key.slice(-14)],
    ['without its prefix', key.slice('sk-ant-api03-'.length)],
    ['its middle', key.slice(15, 27)],
    ['in capitals', key.toUpperCase()],
    ['with one escaped character', key.replace('+', '\\u002B')],
    ['with an escaped slash', key.replace('/', '\\/')],
    ['escaped throughout', json(key)],
    ['escaped twice', json(key).replaceAll('\\', '\\\\')],
    ['in bytes of a program', key.replace('+', '\\x2b')],
    ['with one percent sign', key.replace('+', '%2B')],
    ['percent-encoded twice', encodeURIComponent(encodeURIComponent(key))],
    ['in HTML', key.replace('+', '&#43;').replace('/', '&#x2F;')],
    ['in hex', Buffer.from(key).toString('hex')],
    ['in hex with capitals', Buffer.from(key).toString('hex').toUpperCase()],
    ['in base64 of base64', btoa(btoa(key))],
    ['escaped three times', json(key).replaceAll('\\', '\\\\\\\\')],
  ])('a key that a server repeats is redacted: %s', (_, form) => {
    expect(redact(`before ${form} after`)).toBe('before [redacted] after')
    expect(redact(form)).toBe('[redacted]')
  })

  test('a key in base64 of a longer base64 is redacted, but for the characters that it shares with its neighbours', () => {
    const clean = redact(`before ${btoa(`x${btoa(`user:${key}`)}`)} after`)
    expect(clean).toMatch(/^before .{1,14}\[redacted\].{0,6} after$/)
  })

  test('any run of twelve characters is redacted, wherever it is, one of eleven is not', () => {
    fc.assert(
      fc.property(fc.nat(key.length - 12), fc.stringMatching(/^[!? ]{0,9}$/), (at, around) => {
        const run = key.slice(at, at + 12)
        if (at < 5) return // Nearly all of it is the public prefix.
        expect(redact(`${around}${run}${around}`)).toBe(`${around}[redacted]${around}`)
        expect(redact(`${around}${run.slice(1)}${around}`)).toBe(
          `${around}${run.slice(1)}${around}`,
        )
      }),
    )
  })
})

test('the public prefix of a key stays readable', () => {
  for (const text of [
    'a key begins with sk-ant-api03- and letters',
    'sk-ant-api03-',
    'not sk-ant-api03-...',
  ])
    expect(redact(text)).toBe(text)
  expect(redact('sk-ant-api03-Zx81+')).toBe('[redacted]')
})

test('escapes that hold no secret stay as they were', () => {
  const text = '{"a":"\\u00e4\\n\\"%41%zz&amp;\\\\"}'
  expect(redact(text)).toBe(text)
  expect(redact(`${text}${key}${text}`)).toBe(`${text}[redacted]${text}`)
})

test('counts and words in headers are not taken for secrets', () => {
  const said = 'the budget is 4096, true or none'
  const headers = { 'x-token-budget': '4096', 'x-auth-mode': 'none', 'x-use-token': 'true' }
  expect(createRedact(headerSecrets(headers))(said)).toBe(said)
})

test('a run is found wherever it begins, at the end of the text too', () => {
  for (let at = 5; at + 12 <= key.length; at++)
    for (const before of ['', '!', '!!', '!!!', '!!!!', '!!!!!', '!!!!!!'])
      expect(redact(before + key.slice(at, at + 12))).toBe(`${before}[redacted]`)
})

test('a long text with many near misses takes no more time for its length', () => {
  const near = key.slice(14, 25)
  const text = `${near}!`.repeat(100_000)
  expect(redact(text)).toBe(text)
})
