import { type ChildProcess, fork } from 'node:child_process'
import type { Api } from './bodies.ts'
import type { Row } from './row.ts'
import type { Answer, Metrics, Sample } from './sample.ts'
import type { TaskName } from './task.ts'

const file = (name: string): URL => new URL(name, import.meta.url)

/**
 * The process of one row. It may fail, die or hang: then the question it was asked rejects, and
 * says why.
 */
export class ClientProcess {
  readonly #child: ChildProcess
  #complaints = ''

  constructor(row: Row, api: Api, task: TaskName) {
    this.#child = fork(file('client.ts'), [row.name, api, task], {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    this.#child.on('error', () => undefined)
    this.#child.stderr?.on('data', (text: Buffer) => {
      this.#complaints = (this.#complaints + text.toString()).slice(-2000)
    })
  }

  /** What the process said when its library was imported. */
  async ready(limitMs: number): Promise<Metrics> {
    return this.#answer(limitMs)
  }

  /** One sample. Ends the process when it takes longer than it may. */
  async take(sample: Sample, limitMs: number): Promise<Metrics> {
    const answer = this.#answer(limitMs)
    if (this.#child.connected) this.#child.send(sample, () => undefined)
    return answer
  }

  /** Ends the process. */
  end(): void {
    this.#child.kill('SIGKILL')
  }

  #answer(limitMs: number): Promise<Metrics> {
    return new Promise((resolve, reject) => {
      const settle = (finish: () => void): void => {
        clearTimeout(timer)
        this.#child.off('message', onMessage).off('exit', onExit)
        finish()
      }
      const fail = (reason: string): void => settle(() => reject(new Error(reason)))
      const onMessage = (answer: Answer): void =>
        'error' in answer ? fail(answer.error) : settle(() => resolve(answer.metrics))
      const onExit = (): void => fail(`its process ended: ${this.#lastComplaint()}`)
      const timer = setTimeout(() => {
        this.end()
        fail(`> ${limitMs / 1000} s`)
      }, limitMs)
      this.#child.on('message', onMessage).on('exit', onExit)
      if (this.#child.exitCode !== null || this.#child.signalCode !== null) onExit()
    })
  }

  #lastComplaint(): string {
    const lines = this.#complaints.split('\n').filter((line) => /\w/.test(line))
    return (
      lines.find((line) => /error/i.test(line)) ??
      lines.at(-1) ??
      `code ${String(this.#child.exitCode ?? this.#child.signalCode)}`
    )
  }
}

/**
 * The server of the measurements. Without it nothing can be measured: the program ends when it
 * does.
 */
export async function startServer(): Promise<{ readonly url: string; readonly close: () => void }> {
  const server = fork(file('server.ts'))
  const port = await new Promise<number>((resolve, reject) => {
    server
      .once('message', (message) => resolve(Number(message)))
      .once('exit', (code) => reject(new Error(`the server ended with ${String(code)}`)))
  })
  const onExit = (): never => {
    throw new Error('the server ended')
  }
  server.on('exit', onExit)
  return { url: `http://127.0.0.1:${port}`, close: () => server.off('exit', onExit).disconnect() }
}
