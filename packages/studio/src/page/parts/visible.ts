/**
 * Characters that are invisible, or that change the visible order of others. Line ends are left,
 * and joiners: emoji need them.
 */
const hidden = /(?![\t\r\n\u200c\u200d])[\p{Cc}\p{Cf}\u2028\u2029]/gu

/** A text with these characters as escapes, so that a person approves exactly what runs. */
export const visible = (text: string): string =>
  text.replace(hidden, (character) => {
    const code = character.codePointAt(0) ?? 0
    return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`
  })
