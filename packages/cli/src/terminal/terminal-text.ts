/** Characters that a terminal would act on, reorder or hide instead of showing them as text. */
const unsafe =
  // oxlint-disable-next-line no-control-regex -- finds exactly these characters
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/u

/**
 * Sequences that run to a terminator: operating system commands, device control, application
 * commands, privacy messages.
 */
const strings = new Set([']', 'P', '_', '^', 'X', '\u009d', '\u0090', '\u009f', '\u009e', '\u0098'])
const longest = 4096

/**
 * Removes control characters and escape sequences from text that came from outside, so that a
 * terminal only shows it: no clipboard, no title, no hidden links, no moved cursor, no reversed
 * order. Text may come in any pieces; what comes out is the same. Line feeds and tabs stay.
 */
export class TerminalText {
  #state: 'text' | 'escape' | 'control' | 'string' = 'text'
  #length = 0

  /** The text without them. */
  push(text: string): string {
    let clean = ''
    for (const character of text) clean += this.#take(character)
    return clean
  }

  #take(character: string): string {
    // A new line ends an open sequence, so that the text after it is not lost.
    if (character === '\n') return this.#enter('text', character)
    if (character === '\u001b') return this.#enter('escape')
    if (character === '\u009b') return this.#enter('control')
    if (character.length === 1 && character >= '\u0080' && strings.has(character))
      return this.#enter('string')
    switch (this.#state) {
      case 'text':
        return unsafe.test(character) ? '' : character
      case 'escape':
        if (character === '[') return this.#enter('control')
        if (strings.has(character)) return this.#enter('string')
        // Some have more than one byte: ESC ( B.
        return character >= ' ' && character <= '/' ? '' : this.#enter('text')
      case 'control':
        return (character >= '@' && character <= '~') || this.#tooLong() ? this.#enter('text') : ''
      case 'string':
        return character === '\u0007' || character === '\u009c' || this.#tooLong()
          ? this.#enter('text')
          : ''
    }
  }

  #enter(state: 'text' | 'escape' | 'control' | 'string', out = ''): string {
    this.#state = state
    this.#length = 0
    return out
  }

  #tooLong(): boolean {
    return ++this.#length > longest
  }
}

/** A character as JSON escapes it. */
export const toEscape = (character: string): string =>
  character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')

/** JSON in which everything unsafe is written as an escape of JSON: the same value. */
export const escapeUnsafe = (json: string): string =>
  json.replace(new RegExp(unsafe, 'gu'), toEscape)

/** A whole text, made safe for a terminal. */
export const toTerminalText = (text: string): string => new TerminalText().push(text)
