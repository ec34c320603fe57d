import { TextBuffer } from '@modelport/driver'
import { describe, expect, it } from 'vitest'
import { fc } from '../../../test/support/fast-check.js'

describe('TextBuffer', () => {
  it.each([0, 1, 255, 256, 257, 511, 512, 513, 1000])(
    'TextBuffer is the text of %i pieces that nobody looked at in between',
    (count) => {
      const buffer = new TextBuffer()
      const pieces = Array.from({ length: count }, (_, index) => `${index},`)
      for (const piece of pieces) buffer.add(piece)
      expect(buffer.text).toBe(pieces.join(''))
      for (const piece of pieces) buffer.add(piece)
      expect(buffer.text).toBe(pieces.join('').repeat(2))
      expect(buffer.length).toBe(pieces.join('').length * 2)
    },
  )

  it('TextBuffer is the text of its pieces, whenever it is looked at', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.string(), fc.boolean()), { maxLength: 1200, size: 'max' }),
        (pieces) => {
          const buffer = new TextBuffer()
          let text = ''
          for (const [piece, look] of pieces) {
            buffer.add(piece)
            text += piece
            expect(buffer.length).toBe(text.length)
            if (look) expect(buffer.text).toBe(text)
          }
          expect(buffer.text).toBe(text)
          expect(buffer.text).toBe(text)
        },
      ),
      { numRuns: 50 },
    )
  })
})
