import {
  AgentError,
  type HeldTask,
  isTerminal,
  type TaskKey,
  type TaskStore,
  type TaskTurn,
} from '@modelport/agent'
import { isDurableError } from '../database/durable-error.js'
import type { HeldRun, RunParts } from '../runs/held-run.js'
import { stoppedResult } from '../runs/stored-run.js'
import { HeldTasks } from './held-tasks.js'
import { endKey } from './sql-tasks.js'

/** A task that this process has claimed. */
export class SqlHeldTask implements HeldTask {
  readonly tasks: TaskStore
  readonly #tasks: HeldTasks
  readonly #held: HeldRun
  readonly #parts: RunParts
  readonly #ended = new AbortController()
  readonly #unwatch: () => void

  constructor(parts: RunParts, held: HeldRun, key: TaskKey) {
    this.#held = held
    this.#parts = parts
    this.tasks = this.#tasks = new HeldTasks(parts, held)
    this.#unwatch = parts.database.watch(endKey(key.id), () => void this.#look(key))
  }

  get signal(): AbortSignal {
    return AbortSignal.any([this.#held.signal, this.#ended.signal])
  }

  get attempt(): number {
    return this.#held.run.tries + 1
  }

  async open(runId: string): Promise<TaskTurn> {
    const { run, journal } = this.#held
    if (this.#tasks.openedRun === runId) return this.#openAgain()
    const { checkpoint, acceptsChange } = run
    // A later turn of this hold has another id, and so had the run that is stored.
    const isOther = this.#tasks.openedRun !== undefined || checkpoint?.runId !== runId
    if (isOther && (checkpoint !== undefined || this.#tasks.openedRun !== undefined))
      await journal.restart()
    this.#tasks.openedRun = runId
    return isOther
      ? { journal, messages: [], acceptsChange }
      : { journal, resume: checkpoint, messages: await journal.messages(), acceptsChange }
  }

  /** The run as this hold has stored it: a decision came while it worked. */
  async #openAgain(): Promise<TaskTurn> {
    const { run, journal } = this.#held
    await journal.flush()
    const { checkpoint } = await this.#parts.table.get(run.id)
    return checkpoint === undefined
      ? { journal, messages: [] }
      : { journal, resume: checkpoint, messages: await journal.messages() }
  }

  async stop(why: string): Promise<void> {
    this.#unwatch()
    await this.#held.end({ status: 'stopped', result: stoppedResult('config', 'fingerprint', why) })
  }

  async release(): Promise<void> {
    this.#unwatch()
    // The event that ended the task, or made it wait, has ended the hold too.
    if (this.#held.journal.isEnded) {
      this.#held.stop()
      return
    }
    await this.#held.release().catch((error: unknown) => {
      // Another process took it over.
      if (!isDurableError(error, 'fenced')) throw error
    })
  }

  async #look(key: TaskKey): Promise<void> {
    if (this.#held.journal.isEnded) return
    const head = await this.#tasks.head(key).catch(() => undefined)
    if (head && isTerminal(head.state))
      this.#ended.abort(new AgentError('conflict', `the task is ${head.state}`))
  }
}
