import {
  AgentError,
  isInterrupted,
  isTerminal,
  type NewTaskEvent,
  type TaskHead,
  type TaskKey,
  type TaskRecord,
} from '@modelport/agent'
import type { ChatMessage } from '@modelport/core'
import type { RunEvent } from '@modelport/runtime'
import { isDurableError } from '../database/durable-error.js'
import type { HeldRun, RunParts } from '../runs/held-run.js'
import { ManifestWriter } from '../runs/manifests.js'
import type { RunChange } from '../runs/run-change.js'
import { giveTurn, lockSession, sessionOf, turnKey } from '../runs/session-turns.js'
import { logOf, SqlTasks } from './sql-tasks.js'
import { dropTranscript, lastStatus, wakeOf } from './task-run.js'

/**
 * Tasks as the holder of one writes them: each append is part of the next transaction of its run,
 * which fails once the claim is lost.
 */
export class HeldTasks extends SqlTasks {
  /** The run that was opened last. */
  openedRun: string | undefined
  readonly #held: HeldRun
  readonly #now: () => number
  readonly #manifests = new ManifestWriter()
  #head: TaskHead | undefined

  constructor({ database, codec }: RunParts, held: HeldRun) {
    super(database, codec)
    this.#held = held
    this.#now = () => database.now()
  }

  override async append(
    key: TaskKey,
    expected: number,
    events: readonly NewTaskEvent[],
    said: readonly ChatMessage[] = [],
  ): Promise<TaskHead> {
    // Only the holder appends, so that its own head is the newest.
    const before = this.#head ?? (await this.head(key))
    if (!before)
      throw new AgentError('task-not-found', 'Task not found', { metadata: { taskId: key.id } })
    const { head, statements } = this.planAppend(before, expected, events)
    this.#head = head
    try {
      await this.#held.journal.commit((change) => {
        change.run(...statements)
        change.notify(logOf(key.id))
        if (said.length > 0) change.run(lockSession(key.id), ...this.planSaid(key.id, head, said))
        this.#apply(change, head, events)
      })
    } catch (error) {
      this.#head = undefined
      if (!isDurableError(error, 'fenced')) throw error
      throw new AgentError(
        'conflict',
        `Task ${key.id} was claimed by another worker: stop working on it`,
        {
          cause: error,
        },
      )
    }
    if (this.#held.journal.isEnded) this.#held.stop()
    return head
  }

  /** A model call mostly sends the same blocks as the one before it. */
  protected override toStored(event: NewTaskEvent, seq: number): NewTaskEvent {
    return event.type === 'run'
      ? { ...event, event: this.#manifests.toStored(event.event, seq) as RunEvent }
      : event
  }

  #apply(change: RunChange, { record }: TaskHead, events: readonly NewTaskEvent[]): void {
    const { id } = record
    if (events.some((event) => event.type === 'text-delta' && event.attempt === 1))
      change.markProgress()
    const last = lastRunSeq(events)
    if (last !== undefined) this.#held.journal.storedUpTo(last)
    const changed = lastStatus(events)
    if (!changed) return
    if (isTerminal(changed.state)) {
      change.run(dropTranscript(id))
      change.settle({ status: 'finished', result: { status: changed.state } })
      this.#giveTurn(change, record)
    } else if (isInterrupted(changed.state)) {
      const wake = wakeOf(events, this.#now())
      // Not claimed like the others when it is due: `expired` gives it.
      change.settle({ status: 'suspended', wake, phase: 3 })
      this.#giveTurn(change, record)
    }
  }

  #giveTurn(change: RunChange, record: TaskRecord): void {
    change.run(...giveTurn(record.id, this.#now()))
    change.notify(turnKey(sessionOf(record)))
  }
}

/** Number of the last event of the run among these. */
function lastRunSeq(events: readonly NewTaskEvent[]): number | undefined {
  for (const event of [...events].reverse()) {
    if (event.type === 'run') return event.event.seq
    if (event.type === 'text-delta' && event.runSeq !== undefined) return event.runSeq
  }
  return undefined
}
