import { describe, expect, test } from 'vitest'
import { fc } from '../../../test/support/fast-check.js'
import { diffWords } from '../src/page/parts/text-diff.js'

describe('diffWords', () => {
  test('diffWords marks the words that the other text does not have', () => {
    expect(diffWords('the cat sat', 'the dog sat')).toEqual([
      { text: 'the ', same: true },
      { text: 'cat', same: false },
      { text: ' sat', same: true },
    ])
  })

  test('diffWords gives back the whole text, and marks nothing in equal texts', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), fc.string({ maxLength: 60 }), (text, other) => {
        expect(
          diffWords(text, other)
            .map((piece) => piece.text)
            .join(''),
        ).toBe(text)
        expect(diffWords(text, text).every(({ same }) => same)).toBe(true)
      }),
    )
  })

  test('diffWords does not compare texts of more than 1,500 words', () => {
    const long = 'word '.repeat(2000)
    expect(diffWords(long, 'other')).toEqual([{ text: long, same: true }])
  })
})
