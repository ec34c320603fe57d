import { LlmError } from '@modelport/core'

/**
 * What is not shown as itself: controls but tab and line feed, characters that are ignored by
 * default (tags, zero-width characters, variation selectors, bidirectional marks), line separators,
 * annotations, lone surrogates.
 */
const hidden = /[\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]/u

const pictograph = '\\p{Extended_Pictographic}(?:\\ufe0f|\\p{Emoji_Modifier})?'
/** Scripts whose letters join or break at a joiner, and those of lines without spaces. */
const joining =
  '\\p{sc=Arab}\\p{sc=Syrc}\\p{sc=Mong}\\p{sc=Nkoo}\\p{sc=Deva}\\p{sc=Beng}\\p{sc=Guru}\\p{sc=Gujr}\\p{sc=Orya}\\p{sc=Taml}\\p{sc=Telu}\\p{sc=Knda}\\p{sc=Mlym}\\p{sc=Sinh}'
const unspaced = '\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}\\p{sc=Tibt}'

/**
 * Hidden characters that writing needs. Each stands behind a visible character of its own, so that
 * no text can be made of them alone.
 * @see https://www.unicode.org/reports/tr31/#Layout_and_Format_Control_Characters,
 * https://www.unicode.org/reports/tr51/ (read 2026-11-27)
 */
const needed = [
  '^\\ufeff', // a byte order mark
  '\\r\\n',
  // the flags of England, Scotland and Wales
  '\\u{1f3f4}\\u{e0067}\\u{e0062}(?:\\u{e0065}\\u{e006e}\\u{e0067}|\\u{e0073}\\u{e0063}\\u{e0074}|\\u{e0077}\\u{e006c}\\u{e0073})\\u{e007f}',
  `${pictograph}(?:\\u200d${pictograph})+`,
  '(?<=[\\p{Emoji}\\p{S}])[\\ufe0e\\ufe0f]',
  `(?<=[${joining}])[\\u200c\\u200d]`,
  `(?<=[${unspaced}])\\u200b(?=[${unspaced}])`,
  '(?<=\\p{sc=Han})[\\ufe00-\\ufe02\\u{e0100}-\\u{e01ef}]',
  '(?<=\\p{sc=Mong})[\\u180b-\\u180f]',
  '(?<=\\p{L})\\u00ad(?=\\p{L})', // a soft hyphen
]
const keptOrHidden = new RegExp(
  `(${needed.join('|')})|(?<![\\u200e\\u200f\\u061c])([\\u200e\\u200f\\u061c])|(?![\\t\\n])${hidden.source}`,
  'gu',
)
const rightToLeft = /[\p{sc=Arab}\p{sc=Hebr}\p{sc=Syrc}\p{sc=Thaa}\p{sc=Nkoo}]/u

/** How many characters were hidden, and the first of them as it is shown. */
export interface HiddenCharacters {
  count: number
  first: string
}

/** Maximum hidden characters of one value. */
const mostHidden = 100_000

/**
 * The text with hidden characters written as `\u{E0041}`; what its script or its emoji need stays.
 * @throws {LlmError} `limit-exceeded` — there are more than 100,000.
 */
export function toVisibleText(
  text: string,
  found: HiddenCharacters = { count: 0, first: '' },
): string {
  if (!hidden.test(text)) return text
  const isRightToLeft = rightToLeft.test(text)
  return text.replace(
    keptOrHidden,
    (one: string, kept: string | undefined, mark: string | undefined) => {
      if (kept !== undefined || (mark !== undefined && isRightToLeft)) return one
      const shown = `\\u{${one.codePointAt(0)?.toString(16).toUpperCase() ?? ''}}`
      if (found.count++ === 0) found.first = shown
      if (found.count > mostHidden)
        throw new LlmError(
          'limit-exceeded',
          `the MCP server sent more than ${mostHidden} hidden characters`,
        )
      return shown
    },
  )
}
