import { Lexer, type Links, Marked, type Token } from 'marked'
import { maths } from './markdown-maths.js'

/** How a reply is read. */
const { defaults } = new Marked(maths)

/**
 * Characters above which the last block is read again only after it has grown by an eighth: each
 * reading costs what it has.
 */
const mostEager = 4000

/**
 * Closes what a growing text has opened, so that nobody sees the marks of an emphasis or a link
 * whose end has not arrived.
 */
function closeMarks(text: string): string {
  const plain = text.replace(/!?\[([^[\]\n]*)(\]|\]\([^)\n]*)?$/, '$1')
  const isOdd = (mark: RegExp, of: string): boolean => (of.match(mark)?.length ?? 0) % 2 === 1
  if (isOdd(/`/g, plain)) return plain.endsWith('`') ? plain.slice(0, -1) : `${plain}\``
  if (!isOdd(/\*\*/g, plain.replace(/`[^`]*`/g, ''))) return plain
  return plain.endsWith('**') ? plain.slice(0, -2) : `${plain.trimEnd()}**`
}

/**
 * Splits a growing text into the blocks of its Markdown. A block that is followed by a whole line
 * of another one is finished: its token is never made again, so a long reply costs no more than its
 * newest block.
 */
export class BlockReader {
  readonly #finished: Token[] = []
  readonly #links: Links = {}
  /** Where the first block that is not finished begins. */
  #from = 0
  #live: readonly Token[] = []
  #readTo = 0

  /** How many of the blocks are finished. */
  get finished(): number {
    return this.#finished.length
  }

  /**
   * The blocks of `given`, which begins with every text that was read before; `isOver`: nothing
   * follows.
   */
  read(given: string, isOver: boolean): readonly Token[] {
    const text = given.replace(/\r\n?/g, '\n')
    const left = text.length - this.#from
    if (isOver || left <= mostEager || text.length - this.#readTo >= left / 8)
      this.#readOn(text, isOver)
    return [...this.#finished, ...this.#live]
  }

  #readOn(text: string, isOver: boolean): void {
    this.#readTo = text.length
    const lines = this.#lex(
      text.slice(this.#from, isOver ? text.length : text.lastIndexOf('\n') + 1),
    )
    const end = isOver ? lines.length : lines.findLastIndex(({ type }) => type !== 'space')
    for (const token of lines.slice(0, Math.max(end, 0))) {
      this.#from += token.raw.length
      if (token.type !== 'space') this.#finished.push(token)
    }
    const tail = text.slice(this.#from)
    const live = this.#lex(tail)
    this.#live = live.at(-1)?.type === 'code' ? live : this.#lex(closeMarks(tail))
  }

  #lex(text: string): readonly Token[] {
    const lexer = new Lexer(defaults)
    Object.assign(lexer.tokens.links, this.#links)
    const tokens = lexer.lex(text)
    Object.assign(this.#links, tokens.links)
    return tokens
  }
}
