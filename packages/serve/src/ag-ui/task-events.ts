import {
  answerOf,
  approvalsOf,
  type ClientEvent,
  isInterrupted,
  type Task,
  type TaskState,
  textOfParts,
} from '@modelport/agent'
import type { AgUiEvent } from '@modelport/runtime/ui'

/** How the events of a task are written as AG-UI events. */
export interface AgUiTaskOptions {
  /** Default: the session of the task. */
  readonly threadId?: string
  /** Default: the id of the task. */
  readonly runId?: string
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
  for await (const event of events) yield* story.write(event)
  yield* story.end()
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
    const interrupts = (this.#task ? approvalsOf(this.#task) : []).map(
      ({ requestId, reason, expiresAt, digest, question }) => ({
        id: requestId,
        reason: question ? 'question' : 'approval',
        ...((question?.message ?? reason) !== undefined && { message: question?.message ?? reason }),
        ...(expiresAt !== undefined && { expiresAt }),
        ...(digest !== undefined && { metadata: { digest, ...(question && { question }) } }),
      }),
    )
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
