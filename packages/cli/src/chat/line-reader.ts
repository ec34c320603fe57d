import { createInterface } from 'node:readline'
import type { Io } from '../io.js'
import { Interrupted } from '../exit-codes.js'

/** Reads what the user says, a line at a time. */
export interface LineReader {
  /** The next line; undefined at the end of the input. Rejects {@link Interrupted} for Ctrl-C at the prompt. */
  read(prompt: string): Promise<string | undefined>
  close(): void
}

/** From a terminal with line editing and history, from a pipe without a prompt. */
export function createLineReader({ stdin, stdout }: Pick<Io, 'stdin' | 'stdout'>): LineReader {
  return stdin.isTTY ? new TerminalLines(stdin, stdout) : new PipedLines(stdin)
}

/** One interface a line: between lines the terminal is its own, so that Ctrl-C is a signal again. */
class TerminalLines implements LineReader {
  readonly #stdin: Io['stdin']
  readonly #stdout: Io['stdout']
  #history: string[] = []

  constructor(stdin: Io['stdin'], stdout: Io['stdout']) {
    this.#stdin = stdin
    this.#stdout = stdout
  }

  read(prompt: string): Promise<string | undefined> {
    const lines = createInterface({ input: this.#stdin, output: this.#stdout, terminal: true, history: [...this.#history], historySize: 200 })
    return new Promise((resolve, reject) => {
      lines.on('history', (history) => { this.#history = history })
      lines.once('SIGINT', () => {
        reject(new Interrupted('interrupted'))
        lines.close()
        this.#stdout.write('\n')
      })
      lines.once('line', (line) => {
        resolve(line)
        lines.close()
      })
      lines.once('close', () => { resolve(undefined) })
      lines.setPrompt(prompt)
      lines.prompt()
    })
  }

  close(): void {
    this.#stdin.pause()
  }
}

class PipedLines implements LineReader {
  readonly #lines: AsyncIterator<string>
  readonly #close: () => void

  constructor(stdin: Io['stdin']) {
    const lines = createInterface({ input: stdin, crlfDelay: Infinity })
    this.#lines = lines[Symbol.asyncIterator]()
    this.#close = () => { lines.close() }
  }

  async read(): Promise<string | undefined> {
    const next = await this.#lines.next()
    return next.done ? undefined : next.value
  }

  close(): void {
    this.#close()
  }
}
