// The receiver of payments of a process that dies: its ledger is a file.
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { OutcomeUnknown, type ReconcileOutcome } from '@modelport/runtime'
import { type Call, type SendingForm, sendings } from './history.js'
import type { OracleJob } from './oracle-jobs.js'
import type { Payee } from './program.js'
import { broken } from './virtual-network.js'

/** A line of the ledger. */
export interface OracleLine {
  readonly seed: number
  readonly wish: string
  readonly key: string
  readonly effect: boolean
}

export const ledgerIn = (file: string): readonly OracleLine[] =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .trim()
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as OracleLine)
    : []

const forever = (): Promise<never> =>
  new Promise((_, reject) => {
    // Keeps the process alive, as an open connection does.
    setTimeout(() => reject(broken('ECONNRESET')), 60_000).unref()
  })

export class FilePayee implements Payee {
  readonly #file: string
  readonly #job: OracleJob
  readonly #calls: ReadonlyMap<string, Call>

  constructor(file: string, job: OracleJob) {
    this.#file = file
    this.#job = job
    this.#calls = new Map(job.steps.flat().map((call) => [call.wish, call]))
  }

  /** True if the receiver did it. */
  wasPaid(wish: string): boolean {
    return this.#lines().some((line) => line.wish === wish && line.effect)
  }

  /** Work that continues elsewhere is done there. */
  finish(wish: string): void {
    if (!this.wasPaid(wish)) this.#note(wish, `late ${wish}`, true)
  }

  async send(wish: string, key: string): Promise<string> {
    const lines = this.#lines().filter((line) => !line.key.startsWith('late'))
    const call = this.#calls.get(wish)
    const number = lines.length + 1
    const death = this.#job.deaths.find(({ sending }) => sending === number)
    if (death) {
      this.#note(wish, key, death.hasArrived && this.#isNew(call, key))
      process.kill(process.pid, 'SIGKILL')
      return forever()
    }

    const before = lines.filter((line) => line.wish === wish).length
    const form: SendingForm = sendings[call?.ends[before] ?? 'answers']
    this.#note(wish, key, form.effect && this.#isNew(call, key))
    if (form.hangs) return forever()
    await new Promise((resolve) => setTimeout(resolve, form.ms === undefined ? 1 : 20))
    if (form.breaks !== undefined) throw broken(form.breaks)
    if (form.isUnclear) throw new OutcomeUnknown('the receiver answered 500')
    if (!form.effect) throw new Error(`declined ${wish}`)
    return `paid ${wish}`
  }

  reconcile(key: string): Promise<ReconcileOutcome> {
    const line = this.#lines().find((each) => each.key === key && each.effect)
    return Promise.resolve(
      line ? { outcome: 'executed', result: `paid ${line.wish}` } : { outcome: 'not-executed' },
    )
  }

  /** False for a key that the receiver knows, if it looks at keys. */
  #isNew(call: Call | undefined, key: string): boolean {
    const isKeyed = call?.tool.startsWith('keyed') === true
    return !isKeyed || !this.#lines().some((line) => line.key === key && line.effect)
  }

  #lines(): readonly OracleLine[] {
    return ledgerIn(this.#file).filter(({ seed }) => seed === this.#job.seed)
  }

  #note(wish: string, key: string, effect: boolean): void {
    const line: OracleLine = { seed: this.#job.seed, wish, key, effect }
    appendFileSync(this.#file, `${JSON.stringify(line)}\n`)
  }
}
