/** A piece of a text, and whether the other text has it too. */
export interface DiffPiece {
  readonly text: string
  readonly same: boolean
}

/**
 * Share of a text that must be in the other one for marks to help: two unlike texts would be one
 * block of colour.
 */
const leastSame = 0.4

/** True if the texts have enough in common for their differences to be marked. */
export function isAlike(pieces: readonly DiffPiece[]): boolean {
  const lengthOf = (some: readonly DiffPiece[]): number =>
    some.reduce((sum, { text }) => sum + text.trim().length, 0)
  return lengthOf(pieces.filter(({ same }) => same)) >= leastSame * lengthOf(pieces)
}

/** Maximum words that are compared; longer texts are shown as they are. */
const mostWords = 1500

/**
 * The words of `text`, marked where `other` does not have them in the same order (longest common
 * subsequence).
 */
export function diffWords(text: string, other: string): DiffPiece[] {
  const words = text.match(/\s+|[^\s]+/g) ?? []
  const others = other.match(/\s+|[^\s]+/g) ?? []
  if (text === other || words.length > mostWords || others.length > mostWords)
    return [{ text, same: true }]
  const width = others.length + 1
  const lengths = new Uint16Array((words.length + 1) * width)
  const at = (row: number, column: number): number => lengths[row * width + column] ?? 0
  for (let row = words.length - 1; row >= 0; row--) {
    for (let column = others.length - 1; column >= 0; column--) {
      lengths[row * width + column] =
        words[row] === others[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1))
    }
  }
  const pieces: { text: string; same: boolean }[] = []
  let column = 0
  for (const [row, word] of words.entries()) {
    while (
      word !== others[column] &&
      column < others.length &&
      at(row, column + 1) >= at(row + 1, column)
    )
      column++
    const same = column < others.length && word === others[column]
    if (same) column++
    const last = pieces.at(-1)
    if (last?.same === same) last.text += word
    else pieces.push({ text: word, same })
  }
  return pieces
}
