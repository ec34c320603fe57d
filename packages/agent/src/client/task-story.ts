import { type Artifact, answerArtifactId } from '../models/artifact.js'
import type { Message } from '../models/message.js'
import { createPart, type Part } from '../models/part.js'
import type { Task } from '../models/task.js'
import { addArtifact } from '../models/task.js'
import { isInterrupted, isTerminal, type TaskState } from '../models/task-state.js'
import { answerOf, artifactTextOf, type ClientEvent, questionOf } from './client.js'

/** What happens to an artifact of a task. */
export interface ArtifactChunk {
  /** The artifact, or with `append` the parts that are added to the one of its id. */
  readonly artifact: Artifact
  /** True: the parts are added to the artifact; false: they replace it. */
  readonly append: boolean
  /** False: its text is not for the reader. */
  readonly isPrinted: boolean
}

/**
 * Follows one task for a reader: turns changes into events, and keeps the printed text and the
 * current task.
 */
export class TaskStory {
  /** The task as the stream tells it, if it gave one. */
  #task: Task | undefined
  #shown = ''
  /** The state of the last `status`. */
  #state: TaskState | undefined
  /** Artifact of the last text. */
  #from: string | undefined

  /** The current task: the first one is emitted as it is, a later one after the missing text. */
  begin(task: Task): readonly ClientEvent[] {
    const isFirst = this.#task === undefined
    this.#task = task
    return isFirst ? [{ type: 'task', task }] : this.snapshot(task)
  }

  /**
   * The events of a snapshot after a reconnect: what the reader missed of the text and the state,
   * and the task.
   */
  snapshot(task: Task): readonly ClientEvent[] {
    return [...this.#catchUp(artifactTextOf(task)), ...this.#stop(task), { type: 'task', task }]
  }

  /**
   * The last events: what the reader missed of the text and the state, and the task.
   * @param given the task as the agent has it now; unset: as the stream told it
   */
  end(given?: Task): readonly ClientEvent[] {
    const task = given ?? this.#task
    if (!task) return []
    const question = isInterrupted(task.state) ? questionOf(task) : ''
    const rest = question ? this.#say(question) : task.state === 'completed' ? this.#rest(task) : []
    return [...rest, ...this.#stop(task), { type: 'task', task }]
  }

  /** The state changed, or the agent said something. */
  status(state: TaskState, at?: string, message?: Message): readonly ClientEvent[] {
    if (this.#task) {
      const { statusMessage: _, ...rest } = this.#task
      this.#task = {
        ...rest,
        state,
        ...(at !== undefined && { statusAt: at }),
        ...(message && { statusMessage: message }),
      }
    }
    this.#state = state
    return [{ type: 'status', state, ...(message && { message }) }]
  }

  /** The state of a task that is over or waits, unless the stream said it before it broke. */
  #stop({ state, statusMessage }: Task): readonly ClientEvent[] {
    const isStopped = isTerminal(state) || isInterrupted(state)
    if (!isStopped || state === this.#state) return []
    this.#state = state
    return [{ type: 'status', state, ...(statusMessage && { message: statusMessage }) }]
  }

  /** An artifact, or more of one. */
  artifact({ artifact, append, isPrinted }: ArtifactChunk): readonly ClientEvent[] {
    const texts = artifact.parts.flatMap((part) => (part.type === 'text' ? [part.content] : []))
    const isAnswer =
      artifact.id === answerArtifactId && texts.length === 1 && artifact.parts.length === 1
    const isKnown = isAnswer && !append && this.#answer() === texts[0]
    const known = this.#add(artifact, append)
    // The text was streamed already.
    if (isKnown) return []
    const text = texts.join(append ? '' : '\n')
    const shown = isPrinted && text ? this.#textEvents(artifact.id, text, known) : []
    return isAnswer ? shown : [{ type: 'artifact', artifact, ...(append && { append }) }, ...shown]
  }

  /** Text of the answer as it is generated. */
  answerText(text: string, timestamp: string, append: boolean): readonly ClientEvent[] {
    const artifact = {
      id: answerArtifactId,
      kind: 'answer',
      metadata: {},
      timestamp,
      parts: [createPart.text(text)],
    }
    return this.artifact({ artifact, append, isPrinted: true })
  }

  /** The missing part of the answer; a difference in white space alone does not begin it anew. */
  #rest(task: Task): readonly ClientEvent[] {
    const text = this.#shown ? artifactTextOf(task) : answerOf(task)
    return text.startsWith(this.#shown) ? this.#catchUp(text) : []
  }

  #catchUp(text: string): readonly ClientEvent[] {
    const shown = this.#shown
    if (text === shown) return []
    this.#shown = text
    if (shown && text.startsWith(shown))
      return [{ type: 'text-delta', text: text.slice(shown.length) }]
    return [{ type: 'text-delta', text, first: true }]
  }

  /** A paragraph of its own. */
  #say(text: string): readonly ClientEvent[] {
    if (this.#shown.endsWith(text)) return []
    const separator = this.#shown && !this.#shown.endsWith('\n') ? '\n' : ''
    return this.#catchUp(this.#shown + separator + text)
  }

  #textEvents(
    id: string,
    text: string,
    known: 'new' | 'replaced' | 'grown',
  ): readonly ClientEvent[] {
    const isOther = this.#from !== undefined && this.#from !== id
    this.#from = id
    // The answer of an agent replaces its earlier text; a change of another artifact leaves the
    // rest as it is.
    if (id === answerArtifactId && known !== 'grown') return this.#restart(text)
    if (known === 'replaced') return this.#restart(this.#task ? artifactTextOf(this.#task) : text)
    const isApart = isOther && this.#shown !== '' && !this.#shown.endsWith('\n')
    return this.#catchUp(this.#shown + (isApart ? '\n' : '') + text)
  }

  #restart(text: string): readonly ClientEvent[] {
    this.#shown = text
    return [{ type: 'text-delta', text, first: true }]
  }

  /** The answer so far; unset if there is none, or if it is more than one text. */
  #answer(): string | undefined {
    const parts = this.#task?.artifacts.find(({ id }) => id === answerArtifactId)?.parts ?? []
    const text = parts.map((part) => (part.type === 'text' ? part.content : undefined))
    return text.length && !text.includes(undefined) ? text.join('') : undefined
  }

  /** Adds a chunk to the task. */
  #add(artifact: Artifact, append: boolean): 'new' | 'replaced' | 'grown' {
    const before = this.#task?.artifacts.find(({ id }) => id === artifact.id)
    const whole =
      append && before ? { ...before, parts: joined(before.parts, artifact.parts) } : artifact
    if (this.#task) this.#task = addArtifact(this.#task, whole)
    return append ? 'grown' : before ? 'replaced' : 'new'
  }
}

/**
 * Parts with more parts: a text continues the text before it: parts of their own are shown as
 * lines.
 */
function joined(before: readonly Part[], more: readonly Part[]): readonly Part[] {
  const last = before.at(-1)
  const first = more[0]
  if (last?.type !== 'text' || first?.type !== 'text') return [...before, ...more]
  return [
    ...before.slice(0, -1),
    { ...last, content: last.content + first.content },
    ...more.slice(1),
  ]
}
