import {
  type AgentHost,
  type AgentStore,
  foldSession,
  isAgentError,
  isInterrupted,
  isTerminal,
  type SessionEntry,
  type SessionEntryBody,
  type SessionKey,
  sessionBusy,
  type TaskEvent,
  type TaskHead,
  type TaskKey,
} from '@modelport/agent'
import { messagesOfStopped } from './stopped-turn.js'
import { type ChatChunk, chunksOfTask, type ErrorText, type PlacedChunk } from './task-chunks.js'
import { type ChatUiMessage, messageOfChunks } from './ui-message.js'
import { uiPartsOf } from './user-message.js'

/** Tasks that one page of a list has. */
const pageSize = 200

/** Longest wait for the turn of a session, in milliseconds. */
const turnMs = 30_000

/** What the metadata of a task says about its place in a chat. */
interface ChatPlace {
  /** The page's id of the message that the task replies to. */
  readonly message: string
  /** The task that this one replaces, with all that came after it: the message was edited. */
  readonly replaces?: string
}

/** Name of that field of the metadata. */
const placeKey = 'chat'

/** The metadata of a task that replies to a message of a page. */
export const metadataOf = (
  message: string,
  replaces: string | undefined,
): { readonly chat: ChatPlace } => ({
  [placeKey]: { message, ...(replaces !== undefined && { replaces }) },
})

const placeOf = ({ record }: TaskHead): ChatPlace | undefined =>
  record.metadata[placeKey] as ChatPlace | undefined

/** The replies of one chat: the tasks of its session, as far as no edit replaced them. */
export class ChatReplies {
  readonly #store: AgentStore
  readonly #host: AgentHost
  readonly #session: SessionKey
  readonly #onError: ErrorText | undefined

  constructor(host: AgentHost, session: SessionKey, onError: ErrorText | undefined) {
    this.#host = host
    this.#store = host.store
    this.#session = session
    this.#onError = onError
  }

  /** All tasks of the session, also those that an edit replaced, oldest first. */
  async all(): Promise<readonly TaskHead[]> {
    const { principal, agent, id: sessionId } = this.#session
    const found: TaskHead[] = []
    let cursor: string | undefined
    do {
      const page = await this.#store.tasks.list({
        principal,
        agent,
        sessionId,
        limit: pageSize,
        cursor,
      })
      found.push(...page.heads)
      cursor = page.next
    } while (cursor !== undefined)
    return found.sort((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1))
  }

  /** The tasks that the page shows, oldest first. */
  async shown(): Promise<readonly TaskHead[]> {
    const shown: TaskHead[] = []
    for (const head of await this.all()) {
      const replaced = placeOf(head)?.replaces
      const place = shown.findIndex(({ record }) => record.id === replaced)
      if (place >= 0) shown.length = place
      shown.push(head)
    }
    return shown
  }

  /** The task that replies to a message of the page. */
  async replyTo(message: string): Promise<TaskHead | undefined> {
    return (await this.shown()).findLast((head) => placeOf(head)?.message === message)
  }

  /** The first reply that is being made, or waits for its turn. */
  async running(): Promise<TaskHead | undefined> {
    return (await this.shown()).find(isRunning)
  }

  /**
   * The messages of the page. The reply that is being made is not among them, nor what comes after
   * it: the page reads it as a stream.
   */
  async messages(): Promise<readonly ChatUiMessage[]> {
    const messages: ChatUiMessage[] = []
    for (const head of await this.shown()) {
      const events = await this.#stored(keyOf(head))
      messages.push(...questionOf(head, events))
      if (isRunning(head)) return messages
      const reply = await this.#messageOf(head, events)
      if (reply) messages.push(reply)
    }
    return messages
  }

  async #messageOf(
    { record }: TaskHead,
    events: readonly TaskEvent[],
  ): Promise<ChatUiMessage | undefined> {
    const chunks: ChatChunk[] = []
    for await (const { chunk } of chunksOfTask(record.id, each(events), this.#onError))
      chunks.push(chunk)
    return messageOfChunks(record.id, chunks)
  }

  /** The reply of a task, from its first chunk until it is over or waits for somebody. */
  chunks(key: TaskKey, signal: AbortSignal): AsyncGenerator<PlacedChunk, void> {
    return chunksOfTask(key.id, this.events(key, signal), this.#onError)
  }

  /** The events of a reply behind a number, until it is over or waits for somebody. */
  async *events(
    key: TaskKey,
    signal: AbortSignal,
    after: number = 0,
  ): AsyncGenerator<TaskEvent, void> {
    const head = await this.#store.tasks.head(key)
    // A reply that waited before, and continues, is read to its next end.
    const last = head?.seq ?? 0
    for await (const event of this.#store.tasks.watch(key, after + 1, signal)) {
      yield event
      if (event.type === 'status' && isInterrupted(event.state) && event.seq >= last) return
    }
  }

  /** Number of the event with which a reply asked for these requests; 0 if it never did. */
  async placeOfRequests(key: TaskKey, requests: ReadonlySet<string>): Promise<number> {
    const events = await this.#stored(key)
    const asking = events.findLast(
      (event) =>
        event.type === 'status' &&
        event.message?.parts.some(
          (part) => part.type === 'request' && requests.has(part.content.requestId),
        ),
    )
    return asking?.seq ?? 0
  }

  async #stored(key: TaskKey): Promise<readonly TaskEvent[]> {
    return this.#store.tasks.read(key, 1)
  }

  /**
   * Stops these replies, or all that are not over. What was said so far stays in the conversation.
   */
  async stop(heads?: readonly TaskHead[]): Promise<void> {
    const open = (heads ?? (await this.all())).filter(({ state }) => !isTerminal(state))
    const stopped: { readonly id: string; readonly said: ReturnType<typeof messagesOfStopped> }[] =
      []
    for (const head of open) {
      const key = keyOf(head)
      const said = messagesOfStopped(await this.#stored(key))
      await this.#host.cancel(key, 'stopped by the user', undefined, said).catch(ignoreEnd)
      stopped.push({ id: key.id, said })
    }
    if (stopped.length) await this.#keepSaid(stopped)
  }

  /** Adds to the conversation what replies said that did not have its turn when they stopped. */
  async #keepSaid(
    stopped: readonly {
      readonly id: string
      readonly said: ReturnType<typeof messagesOfStopped>
    }[],
  ): Promise<void> {
    const hasSaid = async (): Promise<ReadonlySet<string | undefined>> => {
      const entries = await this.#store.sessions.read(this.#session, 1)
      return new Set(entries.flatMap((one) => (one.type === 'messages' ? [one.taskId] : [])))
    }
    const known = await hasSaid()
    const lost = stopped.filter(({ id }) => !known.has(id))
    if (!lost.length) return
    await this.#withTurn(async (holder) => {
      const { seq } = await this.#store.sessions.head(this.#session)
      const entries = lost.map(
        ({ id, said }) => ({ type: 'messages', taskId: id, messages: said }) as const,
      )
      await this.#store.sessions.append(this.#session, seq, entries, now(), holder)
    })
  }

  /**
   * Takes the conversation back to before a reply: that reply and all later ones are stopped, and
   * the model does not read them any more. The log keeps them.
   */
  async forkBefore(reply: TaskHead): Promise<void> {
    const all = await this.all()
    const later = all.slice(all.findIndex(({ record }) => record.id === reply.record.id))
    await this.stop(later)

    const ids = new Set(later.map(({ record }) => record.id))
    await this.#withTurn(async (holder) => {
      const entries = await this.#store.sessions.read(this.#session, 1)
      const place = entries.findIndex(
        (entry) => entry.type === 'messages' && entry.taskId !== undefined && ids.has(entry.taskId),
      )
      if (place < 0) return
      const forked = {
        type: 'replaced',
        reason: 'forked',
        messages: foldSession(entries.slice(0, place)),
        from: { sessionId: this.#session.id, seq: place },
      } as const
      await this.#store.sessions.append(this.#session, entries.length, [forked], now(), holder)
    })
  }

  /**
   * Makes the conversation what the page shows, before a new message: replies that wait end with
   * what they said, since the message takes their place, and what was said is added that a process
   * left out when it died.
   *
   * @param until a reply that is replaced: it and all later ones are not read any more
   */
  async catchUp(until?: TaskHead, keepsWaiting: boolean = false): Promise<void> {
    const shown = await this.#shownBefore(until)
    const waiting = shown.filter(({ state }) => isInterrupted(state))
    if (waiting.length && !keepsWaiting) await this.stop(waiting)
    // The one that is made has the turn of the conversation, and has read it.
    if (shown.some(isRunning) || !(await this.#leftOut(until)).length) return

    await this.#withTurn(async (holder) => {
      const entries = await this.#leftOut(until)
      const { seq } = await this.#store.sessions.head(this.#session)
      if (entries.length)
        await this.#store.sessions.append(this.#session, seq, entries, now(), holder)
    })
  }

  async #shownBefore(until: TaskHead | undefined): Promise<readonly TaskHead[]> {
    const shown = await this.shown()
    const end = shown.findIndex(({ record }) => record.id === until?.record.id)
    return end < 0 ? shown : shown.slice(0, end)
  }

  /** What replies said that are over and on the page, and that the model does not read. */
  async #leftOut(
    until: TaskHead | undefined,
  ): Promise<readonly (SessionEntryBody & { readonly type: 'messages' })[]> {
    const over = (await this.#shownBefore(until)).filter(({ state }) => isTerminal(state))
    const { start } = await this.#store.sessions.head(this.#session)
    const current = await this.#store.sessions.read(this.#session, start)
    const [first] = current
    const isForked = first?.type === 'replaced' && first.reason === 'forked'
    const entries = isForked ? await this.#store.sessions.read(this.#session, 1) : current
    const read = tasksOf(entries)
    // A summary has what came before it.
    const [summary] = first?.type === 'replaced' && !isForked ? [first] : []
    const leftOut = over.filter(
      ({ record, statusAt }) => !read.has(record.id) && !(summary && statusAt <= summary.at),
    )

    const found: (SessionEntryBody & { readonly type: 'messages' })[] = []
    for (const head of leftOut) {
      const taskId = head.record.id
      const before = entries.find((one) => one.type === 'messages' && one.taskId === taskId)
      const messages =
        before?.messages ??
        (head.state === 'cancelled' ? messagesOfStopped(await this.#stored(keyOf(head))) : [])
      if (messages.length) found.push({ type: 'messages', taskId, messages })
    }
    return found
  }

  /** Removes the chat: its replies, and its conversation. */
  async delete(): Promise<void> {
    const all = await this.all()
    for (const head of all)
      if (!isTerminal(head.state))
        await this.#host.cancel(keyOf(head), 'the chat was deleted').catch(ignoreEnd)
    await this.#store.sessions.delete(this.#session)
    for (const head of all) await this.#store.tasks.delete(keyOf(head))
  }

  async #withTurn(work: (holder: string) => Promise<void>): Promise<void> {
    const holder = `chat ${crypto.randomUUID()}`
    const signal = AbortSignal.timeout(turnMs)
    const other = await this.#store.sessions.take(this.#session, holder, signal)
    if (other !== undefined) throw sessionBusy(this.#session, other)
    try {
      await work(holder)
    } finally {
      await this.#store.sessions.release(this.#session, holder)
    }
  }
}

/** The tasks whose messages are in a conversation: a fork takes it back to an earlier entry. */
function tasksOf(entries: readonly SessionEntry[]): ReadonlySet<string> {
  const at: ReadonlySet<string>[] = []
  let tasks: ReadonlySet<string> = new Set()
  for (const entry of entries) {
    if (entry.type === 'messages' && entry.taskId !== undefined)
      tasks = new Set([...tasks, entry.taskId])
    if (entry.type === 'replaced' && entry.reason === 'forked')
      tasks = at[(entry.from?.seq ?? 0) - 1] ?? new Set()
    at.push(tasks)
  }
  return tasks
}

/** True for a reply that is being made, or waits for its turn. */
export const isRunning = ({ state }: TaskHead): boolean =>
  !isTerminal(state) && !isInterrupted(state)

/** The key of a task. */
export const keyOf = ({ record: { principal, id } }: TaskHead): TaskKey => ({ principal, id })

const orderOf = ({ record }: TaskHead): string => `${record.createdAt} ${record.id}`

const now = (): string => new Date().toISOString()

/** The message of the user that a task replies to, as the page has it. */
function questionOf(head: TaskHead, events: readonly TaskEvent[]): readonly ChatUiMessage[] {
  const asked = events.find((event) => event.type === 'message' && event.message.role === 'user')
  if (asked?.type !== 'message') return []
  const id = placeOf(head)?.message ?? asked.message.id
  return [{ id, role: 'user', parts: uiPartsOf(asked.message) }]
}

async function* each<Item>(items: readonly Item[]): AsyncGenerator<Item, void> {
  for (const item of items) yield await Promise.resolve(item)
}

/** The reply ended by itself meanwhile. */
function ignoreEnd(error: unknown): undefined {
  if (isAgentError(error, 'task-not-cancelable')) return undefined
  throw error
}
