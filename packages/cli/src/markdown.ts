import { Attr, parser, parser_end, parser_write, Token } from 'streaming-markdown'
import type { Printer, Style } from './printer.js'

const styles: Readonly<Partial<Record<Token, readonly Style[]>>> = {
  [Token.Heading_1]: ['bold', 'underline'],
  [Token.Heading_2]: ['bold', 'underline'],
  [Token.Heading_3]: ['bold'],
  [Token.Heading_4]: ['bold'],
  [Token.Heading_5]: ['bold'],
  [Token.Heading_6]: ['bold'],
  [Token.Code_Block]: ['cyan'],
  [Token.Code_Fence]: ['cyan'],
  [Token.Code_Inline]: ['cyan'],
  [Token.Italic_Ast]: ['italic'],
  [Token.Italic_Und]: ['italic'],
  [Token.Strong_Ast]: ['bold'],
  [Token.Strong_Und]: ['bold'],
  [Token.Strike]: ['strikethrough'],
}
/** Stand on lines of their own, with a free line before. */
const blocks = new Set<Token>([
  Token.Paragraph, Token.Heading_1, Token.Heading_2, Token.Heading_3, Token.Heading_4, Token.Heading_5, Token.Heading_6,
  Token.Code_Block, Token.Code_Fence, Token.Rule, Token.Table, Token.List_Unordered, Token.List_Ordered, Token.Equation_Block,
])

interface Open {
  readonly token: Token
  /** Text since it was opened: that of a link is compared with its address. */
  text: string
  address?: string
  /** Number of the next item of an ordered list. */
  number: number
}

/**
 * Shows Markdown on a terminal while it comes: styles as far as there are colours, and the address of each link beside its text,
 * so that a link cannot claim to lead elsewhere. The text must have been made safe before.
 */
export class MarkdownView {
  readonly #printer: Printer
  readonly #open: Open[] = []
  readonly #parser: ReturnType<typeof parser>
  #empty = true

  constructor(printer: Printer) {
    this.#printer = printer
    this.#parser = parser({
      data: undefined,
      add_token: (_, token) => { this.#begin(token) },
      end_token: () => { this.#end() },
      add_text: (_, text) => { this.#text(text) },
      set_attr: (_, attribute, value) => { this.#attribute(attribute, value) },
    })
  }

  /** The next piece. */
  write(text: string): void {
    parser_write(this.#parser, text)
  }

  /** Shows what is held back, and ends the last line. */
  end(): void {
    parser_end(this.#parser)
    while (this.#open.length) this.#end()
    if (!this.#empty) this.#printer.line()
  }

  #begin(token: Token): void {
    const outer = this.#open.at(-1)
    if (token === Token.Line_Break) this.#newLine()
    else if (token === Token.List_Item) this.#item()
    else if (token === Token.Table_Row && outer?.text) this.#newLine()
    else if (token === Token.Table_Cell && outer?.text) this.#put(' │ ')
    else if (blocks.has(token) && !this.#isFirstOf(outer)) this.#block(token)
    if (token === Token.Table_Row || token === Token.Table_Cell) this.#mark()
    this.#open.push({ token, text: '', number: 1 })
    if (token === Token.Rule) this.#put('─'.repeat(Math.min(40, this.#printer.columns - 1)))
    if (token === Token.Blockquote && !this.#empty && !this.#isFirstOf(outer)) this.#block(token)
    else if (token === Token.Blockquote) this.#put('│ ')
  }

  #end(): void {
    const closed = this.#open.pop()
    if (!closed) return
    const { token, address, text } = closed
    if (address !== undefined && address !== text && (token === Token.Link || token === Token.Image)) this.#put(` (${address})`)
  }

  #text(text: string): void {
    this.#mark(text)
    const applied = this.#open.flatMap(({ token }) => styles[token] ?? [])
    const lines = text.split('\n')
    for (const [index, line] of lines.entries()) {
      if (index) this.#newLine()
      if (line) this.#put(applied.length ? this.#printer.style(applied, line) : line)
    }
  }

  #attribute(attribute: Attr, value: string): void {
    const open = this.#open.at(-1)
    if (!open) return
    if (attribute === Attr.Href || attribute === Attr.Src) open.address = value
    else if (attribute === Attr.Start) open.number = Number(value) || 1
    else if (attribute === Attr.Checked) this.#put('☑ ')
  }

  #item(): void {
    const list = this.#open.at(-1)
    if (!this.#isFirstOf(list) || this.#open.length > 1) this.#newLine()
    const ordered = list?.token === Token.List_Ordered
    this.#put(ordered ? `${list.number++}. ` : '• ')
    this.#mark()
  }

  /** Inside an item a list goes on at the next line; elsewhere a block has a free line before it. */
  #block(token: Token): void {
    const inItem = this.#open.some((open) => open.token === Token.List_Item)
    const isList = token === Token.List_Unordered || token === Token.List_Ordered
    if (inItem && isList) return
    this.#newLine()
    // The first item of a list brings the second line feed with it.
    if (!inItem && !(isList && this.#open.length)) this.#newLine()
  }

  #isFirstOf(outer: Open | undefined): boolean {
    return this.#empty || (outer !== undefined && !outer.text && outer.token !== Token.Document)
  }

  #newLine(): void {
    const quotes = this.#open.filter(({ token }) => token === Token.Blockquote).length
    const items = this.#open.filter(({ token }) => token === Token.List_Item).length
    this.#put(`\n${'│ '.repeat(quotes)}${'  '.repeat(items)}`)
  }

  /** Everything open has text now. */
  #mark(text = ' '): void {
    for (const open of this.#open) open.text += text
  }

  #put(text: string): void {
    this.#empty = false
    this.#printer.write(text)
  }
}
