import {
  answerOf,
  approvalsOf,
  type ClientEvent,
  createMessage,
  isInterrupted,
  isTerminal,
  type Task,
  type TaskState,
  taskStates,
  textOfParts,
} from '@modelport/agent'
import { asText, isObject, LlmError } from '@modelport/core'
import type { AgUiEvent } from '@modelport/runtime/ui'

/** How the events of a task are written as AG-UI events. */
export interface AgUiTaskOptions {
  /** Default: the session of the task. */
  readonly threadId?: string
  /** Default: the id of the task. */
  readonly runId?: string
  /**
   * True puts each event of the task into `metadata.modelportTask` of an AG-UI event, so that {@link fromAgUiTaskEvents} gives the same events
   * back. They hold the whole task: not for every user. Default false.
   */
  readonly exact?: boolean
}

/**
 * Writes the events of an agent's client, from `stream` or `subscribe`, as AG-UI 1.0 events: one run with its text, its progress as an activity,
 * and its end. Approvals become interrupts.
 */
export async function* toAgUiTaskEvents(
  events: AsyncIterable<ClientEvent> | Iterable<ClientEvent>,
  options: AgUiTaskOptions = {},
): AsyncGenerator<AgUiEvent, void> {
  const story = new TaskStory(options)
  for await (const event of events) {
    const written = story.write(event)
    yield* options.exact ? withOriginal(written, event) : written
  }
  yield* story.end()
}

/** An event without a counterpart travels as a custom event. */
function withOriginal(written: readonly AgUiEvent[], event: ClientEvent): readonly AgUiEvent[] {
  const metadata = { modelportTask: JSON.parse(JSON.stringify(event)) as unknown }
  const last = written.at(-1)
  if (!last) return [{ type: 'CUSTOM', name: `modelport.task-${event.type}`, value: {}, metadata }]
  return [...written.slice(0, -1), { ...last, metadata }]
}

/** Follows a task, and writes what changes on a screen. */
class TaskStory {
  readonly #options: AgUiTaskOptions
  #task: Task | undefined
  #state: TaskState = 'working'
  /** The text of the state, for the message of a failure. */
  #said = ''
  #isStarted = false
  #messages = 0
  /** Text of the open message; undefined when none is open. */
  #text: string | undefined

  constructor(options: AgUiTaskOptions) {
    this.#options = options
  }

  write(event: ClientEvent): readonly AgUiEvent[] {
    if (event.type === 'task') {
      this.#task = event.task
      this.#state = event.task.state
    }
    const start = this.#start()
    return [...start, ...this.#changes(event)]
  }

  /** The rest of the run: its open message, and how it ended. */
  end(): readonly AgUiEvent[] {
    const run = { threadId: this.#threadId(), runId: this.#runId() }
    const rest = [...this.#start(), ...this.#endMessage()]
    if (this.#state === 'failed' || this.#state === 'rejected') {
      const said = [this.#said, this.#task ? answerOf(this.#task) : '', `the task ${this.#state}`]
      return [...rest, { type: 'RUN_ERROR', message: said.find(Boolean), code: this.#state }]
    }
    return [...rest, { type: 'RUN_FINISHED', ...run, outcome: this.#outcome() }]
  }

  #changes(event: ClientEvent): readonly AgUiEvent[] {
    switch (event.type) {
      case 'task':
        return this.#show(answerTextOf(event.task))
      case 'text-delta':
        return event.first ? [...this.#endMessage(), ...this.#add(event.text)] : this.#add(event.text)
      case 'status':
        this.#state = event.state
        this.#said = event.message ? textOfParts(event.message.parts) : ''
        if (event.message && this.#task)
          this.#task = { ...this.#task, state: event.state, statusMessage: event.message }
        return [{ type: 'CUSTOM', name: 'modelport.task-status', value: { state: event.state, message: this.#said } }]
      case 'progress': {
        const { percent, message } = event
        const content = { ...(percent !== undefined && { percent }), ...(message !== undefined && { message }) }
        const messageId = `progress-${this.#runId()}`
        return [{ type: 'ACTIVITY_SNAPSHOT', messageId, activityType: 'modelport.progress', content, replace: true }]
      }
      case 'artifact':
        return [{ type: 'CUSTOM', name: 'modelport.task-artifact', value: event.artifact }]
    }
  }

  #start(): readonly AgUiEvent[] {
    if (this.#isStarted) return []
    this.#isStarted = true
    return [{ type: 'RUN_STARTED', threadId: this.#threadId(), runId: this.#runId(), protocolVersion: '1.0' }]
  }

  /** A snapshot replaces what was shown: its rest is added if it continues the open message, else a new message begins. */
  #show(text: string): readonly AgUiEvent[] {
    const shown = this.#text ?? ''
    // A question was shown after the answer: the answer is not shown again.
    if (shown.startsWith(text)) return []
    return text.startsWith(shown) ? this.#add(text.slice(shown.length)) : [...this.#endMessage(), ...this.#add(text)]
  }

  #add(delta: string): readonly AgUiEvent[] {
    if (!delta) return []
    const begins = this.#text === undefined
    if (begins) this.#messages++
    this.#text = (this.#text ?? '') + delta
    const messageId = `text-${this.#messages}`
    const content = { type: 'TEXT_MESSAGE_CONTENT', messageId, delta }
    return begins ? [{ type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' }, content] : [content]
  }

  #endMessage(): readonly AgUiEvent[] {
    if (this.#text === undefined) return []
    this.#text = undefined
    return [{ type: 'TEXT_MESSAGE_END', messageId: `text-${this.#messages}` }]
  }

  #outcome(): AgUiEvent {
    if (this.#state === 'completed') return { type: 'success' }
    if (!isInterrupted(this.#state)) return { type: 'cancelled' }
    const interrupts = (this.#task ? approvalsOf(this.#task) : []).map(({ requestId, reason, expiresAt }) => ({
      id: requestId,
      reason: 'approval',
      ...(reason !== undefined && { message: reason }),
      ...(expiresAt !== undefined && { expiresAt }),
    }))
    if (interrupts.length > 0) return { type: 'interrupt', interrupts }
    return { type: 'interrupt', interrupts: [{ id: this.#runId(), reason: this.#state, message: this.#said }] }
  }

  #threadId(): string {
    return this.#options.threadId ?? this.#task?.sessionId ?? 'session'
  }

  #runId(): string {
    return this.#options.runId ?? this.#task?.id ?? 'task'
  }
}

/** The answer of a task so far, without the text of its state. */
const answerTextOf = ({ artifacts }: Task): string =>
  textOfParts(artifacts.find(({ kind, id }) => kind === 'answer' || id === 'answer')?.parts ?? [])

/**
 * Reads what happened to a task from AG-UI events. Events that {@link toAgUiTaskEvents} wrote with `exact` come back as they were. From any other agent it
 * reads text, progress, the end and the failure, and skips the rest.
 * @throws {LlmError} `protocol` — an event is not an object with a `type`.
 */
export async function* fromAgUiTaskEvents(
  events: AsyncIterable<unknown> | Iterable<unknown>,
): AsyncGenerator<ClientEvent, void> {
  let isExact = false
  let message = ''
  for await (const event of events) {
    if (!isObject(event) || typeof event['type'] !== 'string')
      throw new LlmError('protocol', 'fromAgUiTaskEvents: an event must be an object with a "type"')
    const { metadata } = event
    const original = isObject(metadata) ? metadata['modelportTask'] : undefined
    if (isClientEvent(original)) {
      isExact = true
      yield original
    } else if (!isExact) {
      const id = asText(event['messageId'])
      yield* readForeign(event, id !== message)
      if (event['type'].startsWith('TEXT_MESSAGE_')) message = id
    }
  }
}

/** Events of this package are trusted to be what they were when they were written. */
const isClientEvent = (value: unknown): value is ClientEvent => isObject(value) && typeof value['type'] === 'string'

function readForeign(event: Readonly<Record<string, unknown>>, isFirst: boolean): readonly ClientEvent[] {
  switch (event['type']) {
    case 'RUN_STARTED':
      return [{ type: 'status', state: 'working' }]
    case 'TEXT_MESSAGE_START':
      return [{ type: 'text-delta', text: '', first: true }]
    case 'TEXT_MESSAGE_CONTENT':
    case 'TEXT_MESSAGE_CHUNK':
      return [{ type: 'text-delta', text: asText(event['delta']), ...(isFirst && { first: true }) }]
    case 'ACTIVITY_SNAPSHOT':
      return toProgress(event['content'])
    case 'RUN_ERROR': {
      const code = taskStates.find((state) => state === event['code'] && isTerminal(state)) ?? 'failed'
      return [{ type: 'status', state: code, message: createMessage('agent', asText(event['message'])) }]
    }
    case 'RUN_FINISHED':
      return [{ type: 'status', state: toState(event['outcome']) }]
    default:
      return []
  }
}

function toProgress(content: unknown): readonly ClientEvent[] {
  if (!isObject(content)) return []
  const { percent, message } = content
  if (typeof percent !== 'number' && typeof message !== 'string') return []
  return [
    {
      type: 'progress',
      ...(typeof percent === 'number' && { percent }),
      ...(typeof message === 'string' && { message }),
    },
  ]
}

/** A run without an outcome succeeded, as before AG-UI 1.0. */
function toState(outcome: unknown): TaskState {
  const type = isObject(outcome) ? outcome['type'] : 'success'
  if (type === 'interrupt') return 'input-required'
  return type === 'cancelled' ? 'cancelled' : 'completed'
}
