import { AgentError } from '../base/agent-error.js'
import type { JsonValue } from '../base/json.js'
import { createMessage, type Message } from '../models/message.js'
import { textOfParts } from '../models/part.js'
import type { TaskEvent, TaskEventBody } from '../models/task-event.js'
import type { TaskContext } from './agent.js'
import { HandlerEffects } from './handler-effects.js'
import { runIdOf } from './held-work.js'
import type { BegunTurn, Turn } from './turn.js'
import { digestOf, type WaitingRequest } from './wait-state.js'

/** What a handler emits. */
type Emission = Extract<TaskEventBody, { type: 'message' | 'artifact' | 'text-delta' | 'progress' }>

type EffectArguments = Parameters<HandlerEffects['make']>

const emitted: ReadonlySet<string> = new Set(['message', 'artifact', 'text-delta', 'progress'])

/** False for what a person said about an effect: the handler did not emit that. */
const isEmission = (event: TaskEvent): boolean =>
  emitted.has(event.type) && !(event.type === 'message' && event.message.role === 'user')

/** One run of a handler, which a process that dies and a person who decides only interrupt. */
export interface HandlerRun {
  readonly id: string
  /** The message that it works on. */
  readonly message: Message
}

/** The run that a turn begins, or continues because somebody said what became of an effect. */
export function handlerRunOf({ task, message, wait, decisions }: Turn): HandlerRun {
  const asked = decisions.length ? wait?.handler : undefined
  const earlier = asked && task.messages.find(({ id }) => id === asked.messageId)
  return earlier ? { id: asked.runId, message: earlier } : { id: runIdOf(task), message }
}

/**
 * One run of a handler. If an earlier run of the same turn was cut off, what it emitted is stored:
 * this one emits the same again, in the same order, and only what comes after it is stored.
 */
export class HandlerTurn {
  readonly #turn: Turn
  readonly #run: HandlerRun
  readonly #begun: BegunTurn
  readonly #effects: HandlerEffects
  /** What an earlier run emitted; empty once this one has emitted something else. */
  #stored: readonly TaskEvent[]
  #emitted = 0
  #ids = 0
  /** The stored id of each artifact that was emitted again under a new one. */
  readonly #storedIds = new Map<string, string>()
  #hasDelta = false
  /** Set if this run emitted something else than an earlier one. */
  changed: AgentError | undefined

  constructor(turn: Turn, run: HandlerRun, begun: BegunTurn) {
    this.#turn = turn
    this.#run = run
    this.#begun = begun
    this.#stored = begun.events.filter(isEmission)
    this.#effects = new HandlerEffects(turn, run.id, begun.events)
  }

  /** What a person has to say about effects; waits for those that the handler left. */
  requests(): Promise<readonly WaitingRequest[]> {
    return this.#effects.requests()
  }

  /** What the handler is given. */
  get context(): TaskContext {
    const { task, run, signal, entropy } = this.#turn
    const { message } = this.#run
    return {
      task,
      message,
      input: textOfParts(message.parts),
      run,
      signal,
      conversation: () => this.#turn.readConversation(),
      delta: (text) => this.#emit({ type: 'text-delta', text }),
      progress: (percent, note) =>
        this.#emit({
          type: 'progress',
          ...(percent !== undefined && { percent }),
          ...(note !== undefined && { message: note }),
        }),
      artifact: (artifact, { append = false } = {}) =>
        this.#emit({ type: 'artifact', artifact, ...(append && { append: true as const }) }),
      say: (content) =>
        this.#emit({ type: 'message', message: createMessage('agent', content, entropy) }),
      now: () => Date.parse(this.#begun.at),
      id: () => digestOf(`${this.#run.id}/id/${++this.#ids}`).slice(0, 32),
      effect: async <Result extends JsonValue | undefined>(...asked: EffectArguments) =>
        (await this.#effects.make(...asked)) as Result,
    }
  }

  #emit(event: Emission): Promise<void> {
    // What a handler says of an outcome that is not known yet, it says otherwise when it is.
    if (this.#effects.isWaiting) return Promise.resolve()
    const before = this.#stored[this.#emitted++]
    if (before && contentOf(before) === contentOf(event)) {
      if (before.type === 'artifact' && event.type === 'artifact')
        this.#storedIds.set(event.artifact.id, before.artifact.id)
      this.#hasDelta ||= event.type === 'text-delta'
      return Promise.resolve()
    }
    if (before) {
      this.changed = changedAt(this.#turn, this.#emitted, before, event)
      this.#stored = []
      this.#hasDelta = false
    }
    return this.#turn.write(this.#toStored(event))
  }

  #toStored(event: Emission): Emission {
    if (event.type === 'text-delta') {
      const isFirst = !this.#hasDelta
      this.#hasDelta = true
      return { ...event, ...(isFirst && { first: true as const }) }
    }
    if (event.type !== 'artifact') return event
    const id = this.#storedIds.get(event.artifact.id) ?? event.artifact.id
    return { ...event, artifact: { ...event.artifact, id } }
  }
}

/** What an emission says, without ids and times that differ in each run. */
function contentOf(event: TaskEventBody): string {
  if (event.type === 'message') return JSON.stringify([event.type, event.message.parts])
  if (event.type === 'text-delta') return JSON.stringify([event.type, event.text])
  if (event.type === 'progress') return JSON.stringify([event.type, event.percent, event.message])
  if (event.type !== 'artifact') return event.type
  const { id: _, timestamp: __, ...content } = event.artifact
  return JSON.stringify([event.type, content, event.append ?? false])
}

const changedAt = (
  { agent, run }: Turn,
  number: number,
  before: TaskEventBody,
  now: TaskEventBody,
): AgentError =>
  new AgentError(
    'handler-changed',
    `The handler of "${agent.name}" ran again for task ${run.taskId} and emitted something else as number ${number}: before ${shown(before)}, now ${shown(now)}. Both are stored. Take times and ids from its context, and wrap what may differ in context.effect`,
  )

const shown = (event: TaskEventBody): string => contentOf(event).slice(0, 200)
