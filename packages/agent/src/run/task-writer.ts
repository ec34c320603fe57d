import type { ChatMessage } from '@modelport/core'
import { AgentError, isAgentError } from '../base/agent-error.js'
import { type Entropy, timestampOf } from '../base/ids.js'
import type { TaskEventBody } from '../models/task-event.js'
import { isInterrupted, isTerminal } from '../models/task-state.js'
import type { NewTaskEvent, TaskKey, TaskStore } from '../session/task-store.js'

/**
 * Appends the events of one running task, in order. Events that come while an append is under way
 * go out together.
 */
export class TaskWriter {
  readonly #store: TaskStore
  readonly #key: TaskKey
  readonly #entropy: Entropy
  #seq: number
  #queue: NewTaskEvent[] = []
  /** What goes into the conversation with the events of the next write. */
  #said: readonly ChatMessage[] = []
  #queueSaid: ChatMessage[] = []
  #flushing: Promise<void> | undefined
  #attempt: number
  #failure: unknown
  readonly #givesBack: AbortSignal | undefined

  /**
   * @param givesBack aborts when this process gives the task back: nothing is written then, since
   * another process reports the outcome
   */
  constructor(
    store: TaskStore,
    key: TaskKey,
    seq: number,
    entropy: Entropy,
    attempt = 1,
    givesBack?: AbortSignal,
  ) {
    this.#givesBack = givesBack
    this.#store = store
    this.#key = key
    this.#seq = seq
    this.#entropy = entropy
    this.#attempt = attempt
  }

  /** Sets the attempt of the events that follow. */
  set attempt(attempt: number) {
    this.#attempt = attempt
  }

  /** Adds messages to the conversation of the session, together with the events written next. */
  remember(messages: readonly ChatMessage[]): void {
    this.#said = [...this.#said, ...messages]
  }

  /**
   * Stores events; resolves once they are stored.
   * @throws {AgentError} `conflict` — another process took the task over.
   */
  write(...events: readonly TaskEventBody[]): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(toError(this.#failure))
    if (this.#givesBack?.aborted) return Promise.resolve()
    const at = timestampOf(this.#entropy)
    for (const event of events) this.#queue.push({ ...event, at, attempt: this.#attempt })
    this.#queueSaid.push(...this.#said)
    this.#said = []
    this.#flushing ??= this.#flush()
    return this.#flushing
  }

  async #flush(): Promise<void> {
    try {
      // Events written in the same tick go out together.
      await Promise.resolve()
      while (this.#queue.length) {
        const batch = this.#queue
        const said = this.#queueSaid
        this.#queue = []
        this.#queueSaid = []
        this.#seq = (await this.#store.append(this.#key, this.#seq, batch, said)).seq
      }
    } catch (error) {
      this.#failure = error
      throw error
    } finally {
      this.#flushing = undefined
    }
  }
}

/** True if the events end a turn so that the task waits for somebody. */
export const isWaiting = (events: readonly TaskEventBody[]): boolean =>
  events.some((event) => event.type === 'status' && isInterrupted(event.state))

const toError = (failure: unknown): Error =>
  failure instanceof Error
    ? failure
    : new AgentError('internal', 'The task store failed', { cause: failure })

/** Appends events although others write too, unless the task is over. */
export async function appendAnyway(
  store: TaskStore,
  entropy: Entropy,
  key: TaskKey,
  events: readonly TaskEventBody[],
  said?: readonly ChatMessage[],
): Promise<void> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const head = await store.head(key)
    if (!head || isTerminal(head.state)) return
    const at = timestampOf(entropy)
    try {
      await store.append(
        key,
        head.seq,
        events.map((event) => ({ ...event, at, attempt: 1 })),
        said,
      )
      return
    } catch (error) {
      if (!isAgentError(error, 'conflict')) throw error
    }
  }
}
