import type { VNode } from 'preact'
import { diffWords, isAlike } from './text-diff.js'

/** A text whose words are marked where the other text does not have them. */
export function MarkedText({
  text,
  other,
}: {
  readonly text: string
  readonly other: string
}): VNode {
  const pieces = diffWords(text, other)
  const shown = isAlike(pieces)
  return (
    <>
      {!shown && <p class="muted unlike">Most words differ, so none is marked.</p>}
      <p class="plain">
        {pieces.map((piece, index) =>
          piece.same || !shown ? piece.text : <mark key={index}>{piece.text}</mark>,
        )}
      </p>
    </>
  )
}
