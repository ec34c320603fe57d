import type { VNode } from 'preact'
import { diffWords } from './text-diff.js'

/** Share of a text that must be in the other one for marks to help: two unlike texts would be one block of colour. */
const leastSame = 0.4

/** A text whose words are marked where the other text does not have them. */
export function MarkedText({ text, other }: { readonly text: string; readonly other: string }): VNode {
  const pieces = diffWords(text, other)
  const same = pieces.reduce((sum, piece) => sum + (piece.same ? piece.text.trim().length : 0), 0)
  const isAlike = same >= leastSame * text.trim().length
  return (
    <>
      {!isAlike && <p class="muted unlike">Most words differ, so none is marked.</p>}
      <p class="plain">
        {pieces.map((piece, index) => (piece.same || !isAlike ? piece.text : <mark key={index}>{piece.text}</mark>))}
      </p>
    </>
  )
}
