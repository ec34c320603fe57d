// The program of the example as real processes, from its sources.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))
const sources = path('../../../../scripts/sources.mjs')
const main = path('../../src/main.ts')

export class Program {
  readonly #process: ChildProcess
  /** The first line that it printed: the address of the page. */
  readonly url: string

  private constructor(child: ChildProcess, url: string) {
    this.#process = child
    this.url = url
  }

  /** @param cwd has the database */
  static async start(
    cwd: string,
    role: 'web' | 'worker' | undefined,
    env: Readonly<Record<string, string>>,
  ): Promise<Program> {
    const child = spawn(
      process.execPath,
      ['--no-warnings', '--import', sources, main, ...(role ? [role] : [])],
      { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] },
    )
    let complaints = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text))
    const line = once(createInterface(child.stdout), 'line').then(([first]) => String(first))
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`the program ended with ${String(code)}: ${complaints}`)
    })
    ended.catch(() => undefined)
    return new Program(child, await Promise.race([line, ended]))
  }

  /** As `kill -9` does; resolves when the process is gone. */
  async kill(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return
    const exit = once(this.#process, 'exit')
    this.#process.kill('SIGKILL')
    await exit
  }
}
