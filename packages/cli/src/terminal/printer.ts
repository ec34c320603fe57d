import { styleText } from 'node:util'
import type { Output } from './io.js'
import { escapeUnsafe, TerminalText, toTerminalText } from './terminal-text.js'

/** How text looks. */
export type Style =
  | 'bold'
  | 'dim'
  | 'italic'
  | 'underline'
  | 'strikethrough'
  | 'red'
  | 'green'
  | 'yellow'
  | 'cyan'

/** Writes to one output: colours and safety on a terminal, the text as it is into a pipe. */
export class Printer {
  readonly #output: Output
  /** True where text may have styles. */
  readonly colours: boolean
  /** True where a person looks. */
  readonly terminal: boolean

  constructor(output: Output, environment: (name: string) => string | undefined) {
    this.#output = output
    this.terminal = output.isTTY === true
    this.colours = this.terminal && !environment('NO_COLOR') && environment('TERM') !== 'dumb'
  }

  get columns(): number {
    return this.#output.columns ?? 80
  }

  /** Our own text, as it is. */
  write(text: string): void {
    if (!this.#output.destroyed && !this.#output.writableEnded) this.#output.write(text)
  }

  line(text = ''): void {
    this.write(`${text}\n`)
  }

  /**
   * A value as one line of JSON. On a terminal, control characters are escaped too, which does not
   * change the value.
   */
  json(value: unknown): void {
    const text = JSON.stringify(value)
    this.line(this.terminal ? escapeUnsafe(text) : text)
  }

  /** The text in this style, where there are colours. */
  style(style: Style | readonly Style[], text: string): string {
    return this.colours ? styleText(style as Style[], text, { validateStream: false }) : text
  }

  /** Text from outside: made safe for a terminal, unchanged in a pipe. */
  foreign(text: string): string {
    return this.terminal ? toTerminalText(text) : text
  }

  /** The same for text that comes in pieces. */
  foreignStream(): (text: string) => string {
    if (!this.terminal) return (text) => text
    const filter = new TerminalText()
    return (text) => filter.push(text)
  }
}
