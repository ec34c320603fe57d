import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TextBuffer } from '@modelport/driver'

describe('TextBuffer', () => {
  it('is the text of its pieces, whenever it is looked at', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string(), fc.boolean()), { maxLength: 1200, size: 'max' }), (pieces) => {
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
      }),
      { numRuns: 50 },
    )
  })
})
