import type { Printer, Style } from './printer.js'
import { isDelimiterRow, renderTable } from './table.js'

/**
 * The kind of a line, once its start is known: heading, bullet, quote, fence. A rule is a whole
 * line.
 */
const lineStart =
  /^( {0,20})(?:(#{1,6}) |([-*+]) |(>)|(`{3,20}|~{3,20})[^\n]{0,200}(?=\n)|([-*_])\6{2,100} {0,20}(?=\n))/
/** Text that may still become one of them. */
const maybeLineStart =
  /^ {0,20}(?:#{1,6}|[-+]|[*_]{1,2}|([-*_])\1{1,100} {0,20}|`{1,2}|`{3,20}[^\n]{0,200}|~{1,2}|~{3,20}[^\n]{0,200})?$/
/**
 * Code, strong, emphasis, struck through, a link: complete, and followed by the character that
 * proves it.
 */
const spans: readonly [form: RegExp, style: Style][] = [
  [/^(`+)([^`\n]+)\1(?!`)/, 'cyan'],
  [/^(\*\*|__)(?=\S)([^\n]*?[^\s*_])\1(?![*_])/, 'bold'],
  [/^(\*)(?=[^\s*])([^*\n]*[^\s*])\1(?!\*)/, 'italic'],
  [/^(_)(?=[^\s_])([^_\n]*[^\s_])\1(?!\w)/, 'italic'],
  [/^(~~)(?=\S)([^~\n]*\S)\1/, 'strikethrough'],
]
const link = /^!?\[([^\]\n]*)\]\(([^)\s]*)\)/
const opener = /[`*_~![]/
/** Maximum characters that wait for the end of a span. */
const mostHeld = 400
/**
 * Maximum characters of a row of a table that waits for its end, and maximum rows that wait for the
 * end of their table.
 */
const mostInRow = 4000
const mostRows = 500

type MarkdownPrinter = Pick<Printer, 'write' | 'line' | 'style' | 'columns'>

/**
 * Shows Markdown on a terminal while it arrives, letter by letter, except inside of a span that has
 * not ended. Nothing of the text is lost: marks that mark nothing are shown. The address of a link
 * follows its text, so that the text cannot hide where it leads. A table is shown when it has
 * ended, since its widths depend on all of it. The text must have been made safe before.
 */
export class MarkdownView {
  readonly #printer: MarkdownPrinter
  #held = ''
  #atLineStart = true
  /** The mark that ends the open code block. */
  #fence: string | undefined
  #lineStyles: readonly Style[] = []
  /** The character before the held text: an underscore inside a word is not a mark. */
  #previous = '\n'

  /** Rows that may become a table. */
  #rows: string[] = []
  /** Lines to come that look like rows and are not. */
  #noRows = 0

  constructor(printer: MarkdownPrinter) {
    this.#printer = printer
  }

  /** A text inside of a line, with its styles. */
  static inline(text: string, printer: MarkdownPrinter): string {
    let shown = ''
    const view = new MarkdownView({
      write: (piece) => {
        shown += piece
      },
      line: () => undefined,
      style: (style, piece) => printer.style(style, piece),
      columns: printer.columns,
    })
    view.#atLineStart = false
    view.write(text)
    view.end()
    return shown
  }

  write(text: string): void {
    this.#held += text
    this.#drain(false)
  }

  /** Shows the text that is held back, and ends the last line. */
  end(): void {
    this.#drain(true)
    if (this.#previous !== '\n') this.#printer.line()
    this.#previous = '\n'
  }

  #drain(final: boolean): void {
    while (this.#held && this.#step(final));
    if (!final) return
    this.#endTable()
    while (this.#held && this.#step(true));
  }

  /** Shows as much as possible; false if more text is needed. */
  #step(final: boolean): boolean {
    if (this.#atLineStart)
      return this.#fence === undefined
        ? this.#beginLine(final)
        : this.#beginCodeLine(this.#fence, final)
    return this.#fence === undefined
      ? this.#inline(final)
      : this.#put(this.#take(this.#lineRest()), ['cyan'])
  }

  /** True once it is known what the line is. */
  #beginLine(final: boolean): boolean {
    const row = this.#row(final)
    if (row !== undefined) return row
    const [whole, indent = '', heading, bullet, quote, fence, rule] =
      lineStart.exec(this.#held) ?? []
    if (whole === undefined) {
      if (!final && maybeLineStart.test(this.#held)) return false
      this.#atLineStart = false
      return true
    }
    this.#held = this.#held.slice(whole.length)
    // A quote may hold any of the others.
    this.#atLineStart = quote !== undefined
    this.#fence = fence
    if (heading !== undefined)
      this.#lineStyles = heading.length < 3 ? ['bold', 'underline'] : ['bold']
    if (bullet !== undefined) this.#put(`${indent}• `)
    else if (quote !== undefined) this.#put(`${indent}│`, ['dim'])
    else if (fence !== undefined) this.#beginCode(whole)
    else if (rule !== undefined)
      this.#put('─'.repeat(Math.min(40, this.#printer.columns - 1)), ['dim'])
    return true
  }

  #beginCodeLine(fence: string, final: boolean): boolean {
    const [closing, mark] = /^ {0,20}([`~]{3,100})[ \t]{0,20}(?=\n|$)/.exec(this.#held) ?? []
    if (!final && /^ {0,20}[`~]{0,100}[ \t]{0,20}$/.test(this.#held)) return false
    this.#atLineStart = false
    if (closing === undefined || !mark?.startsWith(fence)) return true
    this.#fence = undefined
    this.#atLineStart = true
    this.#held = this.#held.slice(closing.length + 1)
    return true
  }

  /** Names the language of the code; the marks around it are not shown. */
  #beginCode(opening: string): void {
    const language = opening.replace(/^ *[`~]+/, '').trim()
    this.#atLineStart = true
    this.#held = this.#held.slice(1)
    if (language) this.#put(`${language}\n`, ['dim'])
  }

  /**
   * Takes a row of a table; undefined if the line is not one, and false if that is not known yet.
   */
  #row(final: boolean): boolean | undefined {
    if (this.#noRows > 0) {
      this.#noRows--
      this.#atLineStart = false
      return true
    }
    const begins = /^ {0,3}\|/.test(this.#held)
    if (!begins) {
      if (!final && this.#rows.length && /^ {0,3}$/.test(this.#held)) return false
      return this.#rows.length ? this.#endTable() : undefined
    }
    const end = this.#held.indexOf('\n')
    if (this.#rows.length === mostRows || this.#held.length > mostInRow) {
      if (this.#rows.length) return this.#endTable()
      this.#atLineStart = false
      return true
    }
    if (end < 0 && !final) return false
    this.#rows.push(this.#take(end < 0 ? this.#held.length : end + 1))
    return this.#rows.length === 2 && !isDelimiterRow(this.#rows[1] ?? '') ? this.#endTable() : true
  }

  /** Shows the rows as a table, or as lines if they are not one. */
  #endTable(): true {
    const rows = this.#rows
    this.#rows = []
    if (!rows.length) return true
    const printer = this.#printer
    const lines = renderTable(rows, {
      columns: printer.columns,
      cell: (text) => MarkdownView.inline(text, printer),
      style: (style, text) => printer.style(style, text),
    })
    if (lines) for (const line of lines) this.#put(`${line}\n`)
    else {
      this.#held = rows.join('') + this.#held
      this.#noRows = rows.length
    }
    return true
  }

  /** Part of a line outside code. */
  #inline(final: boolean): boolean {
    const near = this.#held.slice(0, mostHeld)
    const lineEnd = near.indexOf('\n')
    const line = lineEnd < 0 ? near : near.slice(0, lineEnd + 1)
    const at = line.search(opener)
    if (at !== 0) return this.#put(this.#take(at < 0 ? line.length : at), this.#lineStyles)
    // The character after it, or the end of the line, decides whether it is one.
    const known = final || lineEnd >= 0 || near.length === mostHeld
    const inWord = line.startsWith('_') && /\w/.test(this.#previous)
    if (!inWord && this.#span(line, known)) return true
    return inWord || known ? this.#put(this.#take(1), this.#lineStyles) : false
  }

  #span(line: string, known: boolean): boolean {
    const [linked, text = '', address = ''] = link.exec(line) ?? []
    if (linked !== undefined) {
      this.#take(linked.length)
      return this.#put(text === address ? address : `${text} (${address})`, [
        ...this.#lineStyles,
        'underline',
      ])
    }
    for (const [form, style] of spans) {
      const [whole, , inner = ''] = form.exec(line) ?? []
      if (whole === undefined || (!known && whole.length === line.length)) continue
      this.#take(whole.length)
      return this.#put(inner, [...this.#lineStyles, style])
    }
    return false
  }

  #lineRest(): number {
    const end = this.#held.indexOf('\n')
    return end < 0 ? this.#held.length : end + 1
  }

  #take(length: number): string {
    const taken = this.#held.slice(0, length)
    this.#held = this.#held.slice(length)
    return taken
  }

  #put(text: string, styles: readonly Style[] = []): true {
    const line = text.endsWith('\n') ? text.slice(0, -1) : text
    if (line) this.#printer.write(styles.length ? this.#printer.style(styles, line) : line)
    if (line !== text) {
      this.#printer.write('\n')
      this.#atLineStart = true
      this.#lineStyles = []
    }
    this.#previous = text.at(-1) ?? this.#previous
    return true
  }
}
