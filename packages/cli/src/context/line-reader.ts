import { createInterface, type Interface, type ReadLineOptions } from 'node:readline'
import { Writable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { Interrupted, UsageError } from '../errors/exit-codes.js'
import type { Io } from '../terminal/io.js'
import { watchPaste } from './watch-paste.js'

/** Reads what the user says, a line at a time. */
export interface LineReader {
  /**
   * The next line; undefined at the end of the input. Ctrl-C takes away what was typed of it, and
   * rejects {@link Interrupted} at an empty prompt.
   */
  read(prompt: string): Promise<string | undefined>
  /** The answer to a question: nothing that was typed before the question was there to be read. */
  answer(question: string): Promise<string | undefined>
  /**
   * Keeps what is typed for the next {@link read}, without an echo, until the returned function is
   * called. Ctrl-C calls `onInterrupt`.
   */
  hold(onInterrupt: () => void): () => void
  close(): void
}

/** What helps a person who types. */
export interface TypingAids {
  /** What was typed before, the newest first. */
  readonly history?: readonly string[]
  /**
   * What a line can become with Tab. Synchronous: readline does not hold back the keys that follow,
   * nor its end.
   */
  readonly complete?: (line: string) => readonly string[]
}

/** From a terminal with line editing and history, from a pipe without a prompt. */
export function createLineReader(
  { stdin, stdout, stderr }: Pick<Io, 'stdin' | 'stdout' | 'stderr'>,
  aids: TypingAids = {},
): LineReader {
  // Answers may go into a pipe; the prompt is for the person.
  return stdin.isTTY
    ? new TerminalLines(stdin, stdout.isTTY ? stdout : stderr, aids)
    : new PipedLines(stdin)
}

/** Stands for a line end in a message that Up brings back: it is edited as one line. */
const lineEnd = '⏎'
/** Maximum messages that Up brings back. */
const historySize = 200

/** Keys of the first half second were meant for something else. */
const fastestAnswerMs = 500

/**
 * Opens one interface for each line, and a silent one while keys are held. Without one, Ctrl-C is a
 * signal.
 */
class TerminalLines implements LineReader {
  readonly #stdin: Io['stdin']
  readonly #output: Io['stdout']
  #history: string[]
  readonly #complete: TypingAids['complete']
  /** Lines that came before they were asked for, as when several are pasted. */
  readonly #ahead: string[] = []
  /** The typed start of the next line. */
  #begun = ''
  /** True once Ctrl-D was typed while keys were held. */
  #hasEnded = false
  #held: Interface | undefined
  #onInterrupt: (() => void) | undefined

  constructor(stdin: Io['stdin'], output: Io['stdout'], { history = [], complete }: TypingAids) {
    this.#stdin = stdin
    this.#output = output
    this.#history = history.map(toHistory)
    this.#complete = complete
  }

  async read(prompt: string): Promise<string | undefined> {
    const ahead = this.#ahead.shift()
    if (ahead !== undefined) this.#output.write(`${prompt}${ahead}\n`)
    else if (this.#hasEnded) return undefined
    const typed = ahead ?? (await this.#ask(prompt, 0))
    if (!typed?.trim()) return typed
    // A message that was brought back may be edited before it is sent.
    const line = this.#history.some((one) => one.includes(lineEnd))
      ? typed.replaceAll(lineEnd, '\n')
      : typed
    const entry = toHistory(line)
    this.#history = [entry, ...this.#history.filter((one) => one !== entry)].slice(0, historySize)
    return line
  }

  async answer(question: string): Promise<string | undefined> {
    if (this.#hasEnded) return undefined
    this.#letGo()
    try {
      return await this.#ask(question, fastestAnswerMs)
    } finally {
      if (this.#onInterrupt) this.#listen(this.#onInterrupt)
    }
  }

  hold(onInterrupt: () => void): () => void {
    this.#onInterrupt = onInterrupt
    this.#listen(onInterrupt)
    return () => {
      this.#onInterrupt = undefined
      this.#letGo()
    }
  }

  #listen(onInterrupt: () => void): void {
    if (this.#hasEnded) return
    const lines = createInterface({
      input: this.#stdin,
      output: nowhere(),
      terminal: true,
      ...this.#completer(),
    })
    let above = ''
    lines.on('SIGINT', onInterrupt)
    lines.on('line', (line) => {
      if (line.endsWith('\\')) above += `${line.slice(0, -1)}\n`
      else {
        this.#ahead.push(above + line)
        above = ''
      }
    })
    lines.once('close', () => {
      if (this.#held === lines) this.#hasEnded = true
      this.#held = undefined
      if (above) this.#ahead.push(above.slice(0, -1))
    })
    lines.write(this.#begun)
    this.#held = lines
  }

  #letGo(): void {
    const lines = this.#held
    if (!lines) return
    this.#begun = lines.line
    this.#held = undefined
    lines.close()
  }

  /** Keys of the first `deafMs` do not answer the question: they wait for their turn. */
  #ask(prompt: string, deafMs: number): Promise<string | undefined> {
    const lines = createInterface({
      input: this.#stdin,
      output: this.#output,
      terminal: true,
      history: [...this.#history],
      historySize,
      ...(!deafMs && this.#completer()),
    })
    const answers: string[] = []
    let above = ''
    const deaf = this.#deafen(lines, prompt, deafMs)
    const paste = watchPaste(this.#stdin, this.#output, lines)
    lines.once('close', () => {
      deaf.end()
      paste.end()
    })
    return new Promise((resolve, reject) => {
      lines.on('SIGINT', () => {
        if (!deafMs && (lines.line || above)) {
          above = ''
          clearLine(lines, prompt)
          return
        }
        reject(new Interrupted('interrupted'))
        lines.close()
        this.#output.write('\n')
      })
      lines.on('line', (line) => {
        if (deaf.active()) {
          this.#ahead.push(line)
          lines.prompt()
          return
        }
        const continues = !deafMs && line.endsWith('\\')
        if (paste.active() || continues) {
          above += `${continues ? line.slice(0, -1) : line}\n`
          lines.setPrompt(this.#output.isTTY && continues ? '… ' : '')
          lines.prompt()
          return
        }
        if (answers.push(line) > 1) return
        // The rest of the same input is read before this.
        queueMicrotask(() => {
          this.#begun = deafMs ? this.#begun + lines.line : lines.line
          this.#ahead.push(...answers.slice(1))
          resolve(above + line)
          lines.close()
        })
      })
      lines.once('close', () => {
        resolve(undefined)
      })
      lines.setPrompt(prompt)
      lines.prompt()
      if (deafMs) return
      if (this.#begun) lines.write(this.#begun)
      this.#begun = ''
    })
  }

  /** Holds back keys that are typed within so many milliseconds, for the next {@link read}. */
  #deafen(lines: Interface, prompt: string, deafMs: number): { active(): boolean; end(): void } {
    let active = deafMs > 0
    const timer = setTimeout(() => {
      active = false
      if (!deafMs || !lines.line) return
      this.#begun += lines.line
      clearLine(lines, prompt)
    }, deafMs)
    return {
      active: () => active,
      end: () => {
        clearTimeout(timer)
      },
    }
  }

  #completer(): Pick<ReadLineOptions, 'completer'> {
    const complete = this.#complete
    return complete ? { completer: (line: string) => [[...complete(line)], line] } : {}
  }

  close(): void {
    this.#onInterrupt = undefined
    this.#letGo()
    this.#stdin.pause()
  }
}

/** Accepts output and shows nothing. */
const nowhere = (): Writable =>
  new Writable({
    write: (_chunk, _encoding, done) => {
      done()
    },
  })

const toHistory = (text: string): string => text.replaceAll('\n', lineEnd)

/** Takes away what was typed, as shells do at Ctrl-C. */
function clearLine(lines: Interface, prompt: string): void {
  lines.write(null, { ctrl: true, name: 'e' })
  lines.write(null, { ctrl: true, name: 'u' })
  lines.setPrompt(prompt)
  lines.prompt()
}

/** Maximum characters of a line that is piped in. */
const maxLineLength = 16_777_216

class PipedLines implements LineReader {
  readonly #stdin: Io['stdin']
  readonly #lines: AsyncGenerator<string, undefined>

  constructor(stdin: Io['stdin']) {
    this.#stdin = stdin
    this.#lines = linesOf(stdin)
  }

  async read(): Promise<string | undefined> {
    const next = await this.#lines.next()
    return next.value
  }

  /** Piped input waits by itself. */
  hold(): () => void {
    return () => undefined
  }

  /** Nobody is there to ask. */
  answer(): Promise<undefined> {
    return Promise.resolve(undefined)
  }

  close(): void {
    this.#stdin.destroy()
  }
}

/**
 * The lines of an input, without their ends.
 * @throws {UsageError} a line is longer than {@link maxLineLength}.
 */
async function* linesOf(input: Io['stdin']): AsyncGenerator<string, undefined> {
  const decoder = new StringDecoder('utf8')
  let pieces: string[] = []
  let length = 0
  for await (const chunk of input as AsyncIterable<Buffer | string>) {
    const [first = '', ...rest] = (typeof chunk === 'string' ? chunk : decoder.write(chunk)).split(
      '\n',
    )
    length += first.length
    if (length > maxLineLength)
      throw new UsageError(
        `a line has more than ${maxLineLength} characters; pipe in shorter lines`,
      )
    pieces.push(first)
    for (const next of rest) {
      yield pieces.join('').replace(/\r$/, '')
      pieces = [next]
      length = next.length
    }
  }
  const last = pieces.join('') + decoder.end()
  if (last) yield last
  return undefined
}
