import type { Printer } from './printer.js'

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']

/** Shows progress on a terminal: nothing in the first second, then a line that moves. */
export class Progress {
  readonly #printer: Printer
  readonly #startedAt = performance.now()
  #timer: ReturnType<typeof setTimeout> | undefined
  #shown = false
  #label: string

  constructor(printer: Printer, label: string) {
    this.#printer = printer
    this.#label = label
    if (!printer.terminal) return
    this.#timer = setTimeout(() => {
      this.#draw(0)
    }, 1000)
  }

  say(label: string): void {
    this.#label = this.#printer.foreign(label)
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#shown) this.#printer.write('\r\u001b[K')
    this.#shown = false
  }

  #draw(count: number): void {
    this.#shown = true
    const seconds = Math.floor((performance.now() - this.#startedAt) / 1000)
    const text = `${frames[count % frames.length] ?? ''} ${this.#label} ${seconds} s`
    this.#printer.write(
      `\r\u001b[K${this.#printer.style('dim', text.slice(0, this.#printer.columns - 1))}`,
    )
    this.#timer = setTimeout(() => {
      this.#draw(count + 1)
    }, 100)
  }
}

/** Shows progress while the work lasts. */
export async function withProgress<T>(
  printer: Printer,
  label: string,
  work: () => Promise<T>,
): Promise<T> {
  const progress = new Progress(printer, label)
  try {
    return await work()
  } finally {
    progress.stop()
  }
}
