import type { LlamaModel, Token } from 'node-llama-cpp'
import { expect, test } from 'vitest'
import { fc } from '../../../test/support/fast-check.js'
import { TokenText } from '../src/token-text.js'

/**
 * Tokens stand for bytes, as in models that have tokens for parts of characters; -1 is a control
 * token.
 */
function textOf(pieces: readonly Uint8Array[], shown: readonly string[] = []): string[] {
  const model = {
    isSpecialToken: (token: number) => token === -1,
    detokenize: (tokens: readonly number[]) =>
      tokens[0] === -1
        ? '<mark>'
        : new TextDecoder().decode(
            Buffer.concat(tokens.map((token) => pieces[token] as Uint8Array)),
          ),
  } as unknown as LlamaModel
  const text = new TokenText(model, shown)
  const given = pieces.map((piece, index) => text.push((piece.length ? index : -1) as Token))
  return [...given, text.end()]
}

const cut = (bytes: Uint8Array, at: readonly number[]): Uint8Array[] => {
  const places = [
    ...new Set([0, ...at.map((place) => place % (bytes.length + 1)), bytes.length]),
  ].sort((a, b) => a - b)
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end))
}

test('characters come whole, wherever tokens cut them', () => {
  const unicode = fc.string({
    unit: fc.constantFrom('a', 'é', '語', '🚀', '👩‍👩‍👧', '\n'),
    maxLength: 20,
  })
  fc.assert(
    fc.property(unicode, fc.array(fc.nat(200), { maxLength: 80 }), (text, at) => {
      const given = textOf(cut(new TextEncoder().encode(text), at))
      expect(given.join('')).toBe(text)
    }),
    { numRuns: 300 },
  )
})

test('tokens that end in the middle of a character, one after the other, hold nothing back for good', () => {
  const bytes = new TextEncoder().encode('🚀'.repeat(6))
  // Each token has the end of one character and the start of the next.
  const given = textOf(cut(bytes, [2, 6, 10, 14, 18, 22]))
  expect(given).toEqual(['', '🚀', '🚀', '🚀', '🚀', '🚀', '🚀', ''])
})

test('bytes that are not a character are emitted after four tokens, and at the end', () => {
  const stray = new Uint8Array([0xf0])
  expect(textOf([stray, stray, stray, stray]).join('')).toBe('\uFFFD'.repeat(4))
  expect(textOf([stray])).toEqual(['', '\uFFFD'])
})

test('a control token ends what was held back, and shows its text only where it belongs to the reply', () => {
  const none = new Uint8Array()
  expect(textOf([new Uint8Array([0xf0]), none])).toEqual(['', '\uFFFD', ''])
  expect(textOf([none], ['<mark>'])).toEqual(['<mark>', ''])
})
