import { estimateTokens } from '@modelport/core'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, test } from 'vitest'
import { fc } from '../../../test/support/fast-check.js'
import { texts } from './fixtures/texts.js'

/**
 * Words, capitals, numbers, marks, spaces, scripts, halves of pairs, and their borders: of random
 * code points hardly one is a letter.
 */
const pieces = fc.constantFrom(
  'a',
  'b',
  'th',
  'e',
  'the ',
  'A',
  'AB',
  'Z',
  'x'.repeat(20),
  '1',
  '12',
  '2345',
  ' ',
  '  ',
  '\n',
  '.',
  '!!',
  '{',
  '"',
  'é',
  'ńń',
  'кот',
  '日',
  '本',
  '🙂',
  '\ud83d',
  '\0',
)
const anyText = fc.oneof(
  fc.array(pieces, { maxLength: 60, size: 'max' }).map((some) => some.join('')),
  fc.string({ unit: 'binary', maxLength: 400 }),
)

describe('estimateTokens', () => {
  test('nothing costs nothing, and anything at least 1', () => {
    expect(estimateTokens('')).toBe(0)
    for (const text of ['a', ' ', '\n', '日', '\ud800', '\u0000'])
      expect(estimateTokens(text)).toBeGreaterThanOrEqual(1)
  })

  test.each([
    '',
    'a',
    'abc',
    'abcd',
    'abcde',
    'Hello, world!',
    '日本語',
    '日本語テスト',
    'héllo',
    '🙂',
    'x'.repeat(400),
  ])('%j is not counted under', (text) => {
    expect(estimateTokens(text)).toBeGreaterThanOrEqual(countTokens(text))
  })

  test.each([
    ['base64', /[A-Za-z0-9+/]/],
    ['keys', /[A-Za-z0-9]/],
    ['hex', /[0-9a-f]/],
    ['letters', /[a-z]/],
  ])('random %s without a space is never estimated a tenth under its tokens', (_name, alphabet) => {
    const ascii = Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at)).filter(
      (character) => alphabet.test(character),
    )
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...ascii), { minLength: 200, maxLength: 600 }),
        (characters) => {
          const text = characters.join('')
          expect(estimateTokens(text)).toBeGreaterThanOrEqual(countTokens(text) * 0.9)
        },
      ),
      { numRuns: 30 },
    )
  })

  test.each(Object.entries(texts))(
    'a short text of %s is estimated at most a tenth under, and not at twice its cost',
    (_name, text) => {
      const tokens = countTokens(text)
      expect(estimateTokens(text)).toBeGreaterThanOrEqual(tokens * 0.9)
      expect(estimateTokens(text)).toBeLessThan(tokens * 2)
    },
  )

  test('the median over the texts is at most 25 % off, the direction is up', () => {
    const errors = Object.values(texts)
      .map((text) => estimateTokens(text) / countTokens(text) - 1)
      .sort((a, b) => a - b)
    expect(errors[Math.floor(errors.length / 2)]).toBeGreaterThan(0)
    expect(errors[Math.floor(errors.length / 2)]).toBeLessThan(0.25)
  })

  test('the factor multiplies', () => {
    const text = texts['english'] ?? ''
    expect(estimateTokens(text, 2)).toBeGreaterThanOrEqual(2 * estimateTokens(text) - 2)
    expect(estimateTokens(text, 2)).toBeLessThanOrEqual(2 * estimateTokens(text))
  })

  test('any text gives a whole number, lone surrogates included', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          anyText,
          fc.string({
            unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
          }),
        ),
        (text) => {
          const tokens = estimateTokens(text)
          expect(Number.isInteger(tokens)).toBe(true)
          expect(tokens).toBeGreaterThanOrEqual(text ? 1 : 0)
        },
      ),
    )
  })

  test('more text never costs less', () => {
    fc.assert(
      fc.property(anyText, anyText, (a, b) => {
        expect(estimateTokens(a + b)).toBeGreaterThanOrEqual(estimateTokens(a))
      }),
    )
  })

  test('time grows with the length, whatever the text', () => {
    // By the square of its length each of these texts would take hours.
    for (const piece of ['the quiet harbour ', '日本語', 'aB3', '}', ' ', '\ud83d']) {
      expect(estimateTokens(piece.repeat(4_000_000 / piece.length))).toBeGreaterThan(1000)
    }
  })

  test('a text costs hardly more than its halves', () => {
    fc.assert(
      fc.property(anyText, anyText, (a, b) => {
        expect(estimateTokens(a + b)).toBeLessThanOrEqual(estimateTokens(a) + estimateTokens(b) + 3)
      }),
    )
  })
})
