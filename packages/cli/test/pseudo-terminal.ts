import { type IPty, spawn } from '@lydell/node-pty'
import xterm from '@xterm/headless'
import { buildCli } from './build-cli.js'

/** The command line in a terminal: what it shows is what a person would see. */
export class PseudoTerminal {
  readonly #pty: IPty
  readonly #screen: InstanceType<typeof xterm.Terminal>
  readonly #exited: Promise<number>
  /** Every byte that was written, before the terminal acted on it. */
  raw = ''

  static async start(
    args: readonly string[],
    home: string,
    variables: Readonly<Record<string, string>> = {},
  ): Promise<PseudoTerminal> {
    return new PseudoTerminal(await buildCli(), args, home, variables)
  }

  constructor(
    program: string,
    args: readonly string[],
    home: string,
    variables: Readonly<Record<string, string>>,
  ) {
    const [cols, rows] = [100, 40]
    this.#screen = new xterm.Terminal({ cols, rows, allowProposedApi: true, scrollback: 1000 })
    this.#pty = spawn(process.execPath, [program, ...args], {
      cols,
      rows,
      cwd: home,
      name: 'xterm-256color',
      env: { PATH: process.env['PATH'] ?? '', HOME: home, TERM: 'xterm-256color', ...variables },
    })
    this.#pty.onData((data) => {
      this.raw += data
      this.#screen.write(data)
    })
    this.#exited = new Promise((resolve) => {
      this.#pty.onExit(({ exitCode }) => {
        resolve(exitCode)
      })
    })
  }

  /** The process of the program. */
  get pid(): number {
    return this.#pty.pid
  }

  /**
   * What is shown: lines without spaces at their end, from the first to the last that is not empty.
   */
  screen(): string {
    const { buffer } = this.#screen
    const lines = Array.from(
      { length: buffer.active.length },
      (_, index) => buffer.active.getLine(index)?.translateToString(true) ?? '',
    )
    return lines.join('\n').trimEnd()
  }

  /** Waits until the screen shows it. */
  async shows(wanted: string | RegExp, times = 1): Promise<void> {
    const found = (): number => this.screen().split(wanted).length - 1
    for (
      const deadline = Date.now() + 50_000;
      Date.now() < deadline;
      await new Promise((resolve) => setTimeout(resolve, 10))
    ) {
      if (found() >= times) return
    }
    throw new Error(`the terminal does not show ${String(wanted)}:\n${this.screen()}`)
  }

  type(text: string): void {
    this.#pty.write(text)
  }

  /** The exit code. */
  async ended(): Promise<number> {
    const code = await this.#exited
    // The screen takes in what was written last after it was handed over.
    await new Promise<void>((resolve) => {
      this.#screen.write('', resolve)
    })
    return code
  }

  kill(): void {
    try {
      this.#pty.kill('SIGKILL')
    } catch {
      // It has ended already.
    }
  }
}

/** Takes what differs from run to run out of a screen. */
export const stable = (screen: string): string =>
  screen
    .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT')
    .replace(/\d+ ms/g, 'N ms')
    .replace(/\d+\.\d s\b/g, 'N s')
    .replace(/\d{8}-\d{6}-[0-9a-f]{8}/g, 'SESSION')
    .replace(/\S*modelport-home-\w+/g, 'HOME')
