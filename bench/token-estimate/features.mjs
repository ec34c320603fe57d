// What the estimator counts, as numbered features. The walk is the one of
// packages/core/src/token-estimate.ts; the report checks that both agree.

/**
 * Kinds of character: letter, digit, space, line end or tab, ASCII punctuation, everything else.
 */
export const kinds = 6
/** Letters of the pair table: a to z, then Latin-1, further Latin, Vietnamese and the like. */
export const letters = 29
export const longRun = 32

export const pairs = 0
export const transitions = pairs + letters * letters
export const upper = transitions + kinds * kinds
export const long = upper + 1
export const first = long + 1
export const blocks = first + 94
export const size = blocks + 4096

/**
 * The letter a block of 16 code points stands for in the pair table, 0 when its characters are
 * counted by block.
 */
export const letterOfBlock = (block) =>
  block >= 0x0c && block < 0x10
    ? 27
    : (block >= 0x10 && block < 0x25) || (block >= 0x30 && block < 0x37)
      ? 28
      : block >= 0x1e0 && block < 0x1f0
        ? 29
        : 0

/** Calls `count` with the number of every feature of the text, as often as it occurs. */
export const countFeatures = (text, count) => {
  let previous = 3
  let letter = 0
  let code = 0
  let run = 0
  for (let at = 0; at < text.length; at++) {
    const last = code
    const lastLetter = letter
    code = text.charCodeAt(at)
    const folded = code | 32
    letter = code > 126 ? letterOfBlock(code >> 4) : folded > 96 && folded < 123 ? code & 31 : 0
    const kind = letter
      ? 0
      : code > 126
        ? 5
        : code > 47 && code < 58
          ? 1
          : code > 32
            ? 4
            : code === 32
              ? 2
              : code > 8 && code < 14
                ? 3
                : 5
    run = kind === previous ? run + 1 : 0
    if (kind === 0 && run > longRun) count(long)
    if (kind === 0 && previous === 0 && (code > 90 || last < 91)) {
      count(pairs + (lastLetter - 1) * letters + letter - 1)
      if (code < 91) count(upper)
    } else if (kind === 5 && previous === 5) count(blocks + (code >> 4))
    else if (kind !== 1 || run % 3 === 0) {
      count(transitions + previous * kinds + kind)
      if (kind === 5) count(blocks + (code >> 4))
      if (kind === 4 && code !== last) count(first + code - 33)
    }
    previous = kind
  }
}
