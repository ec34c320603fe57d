import { AgentError } from '../base/agent-error.js'
import { isObject, objectAt } from '../base/json.js'
import { answerArtifactId } from '../models/artifact.js'
import type { Task } from '../models/task.js'
import { isInterrupted } from '../models/task-state.js'
import { fromA2aArtifact, fromA2aMessage, fromA2aState, fromA2aTask } from '../wire/a2a/task-codec.js'
import type { A2aStreamResponse, A2aTask } from '../wire/a2a/types.js'
import { extensionUri } from '../wire/extension.js'
import { answerOf, artifactTextOf, type ClientEvent, questionOf } from './client.js'

/** The task of a response. An agent may send a message instead: it is read as a task that is over. */
export const taskOf = (response: A2aStreamResponse): Task => fromA2aTask(wireTaskOf(response))

function wireTaskOf({ task, message }: A2aStreamResponse): A2aTask {
  if (task) return task
  if (!message) throw new AgentError('invalid-agent-response', 'The agent sent neither a task nor a message')
  return {
    id: message.taskId ?? message.messageId,
    ...(message.contextId !== undefined && { contextId: message.contextId }),
    status: { state: 'TASK_STATE_COMPLETED' },
    history: [message],
  }
}

type ArtifactUpdate = NonNullable<A2aStreamResponse['artifactUpdate']>
type StatusUpdate = NonNullable<A2aStreamResponse['statusUpdate']>

/** Reads the responses of one stream: what each is to a reader, the text that was printed, and the task as they tell it. */
export class StreamStory {
  /** The task as the stream tells it, if it gave one. */
  #task: A2aTask | undefined
  #shown = ''
  /** Artifact of the last text. */
  #from: string | undefined

  /** What one response is to the reader; mostly one event. */
  next(response: A2aStreamResponse): readonly ClientEvent[] {
    const { task, message, statusUpdate, artifactUpdate } = response
    if (task || message) return this.#begin(wireTaskOf(response))
    if (artifactUpdate) return this.#artifact(artifactUpdate)
    return statusUpdate ? this.#status(statusUpdate) : []
  }

  /** The events of a snapshot after a reconnect: the text that is missing, and the task. */
  snapshot(task: Task): readonly ClientEvent[] {
    return [...this.#catchUp(artifactTextOf(task)), { type: 'task', task }]
  }

  /** The last events: the text that nothing has told, and the task. @param given the task as the agent has it now; unset: as the stream told it */
  end(given?: Task): readonly ClientEvent[] {
    const task = given ?? (this.#task && fromA2aTask(this.#task))
    if (!task) return []
    const question = isInterrupted(task.state) ? questionOf(task) : ''
    const rest = question ? this.#say(question) : task.state === 'completed' ? this.#rest(task) : []
    return [...rest, { type: 'task', task }]
  }

  /** What is missing of the answer; nothing is begun anew for a difference of blanks. */
  #rest(task: Task): readonly ClientEvent[] {
    const text = this.#shown ? artifactTextOf(task) : answerOf(task)
    return text.startsWith(this.#shown) ? this.#catchUp(text) : []
  }

  #catchUp(text: string): readonly ClientEvent[] {
    const shown = this.#shown
    if (text === shown) return []
    this.#shown = text
    if (shown && text.startsWith(shown)) return [{ type: 'text-delta', text: text.slice(shown.length) }]
    return [{ type: 'text-delta', text, first: true }]
  }

  /** A paragraph of its own. */
  #say(text: string): readonly ClientEvent[] {
    if (this.#shown.endsWith(text)) return []
    const separator = this.#shown && !this.#shown.endsWith('\n') ? '\n' : ''
    return this.#catchUp(this.#shown + separator + text)
  }

  #begin(task: A2aTask): readonly ClientEvent[] {
    const isFirst = this.#task === undefined
    this.#task = task
    const read = fromA2aTask(task)
    return isFirst ? [{ type: 'task', task: read }] : this.snapshot(read)
  }

  #status({ status, metadata }: StatusUpdate): readonly ClientEvent[] {
    const progress = objectAt(objectAt(metadata, extensionUri), 'progress')
    if (Object.keys(progress).length) {
      const { percent, message: note } = progress
      return [
        {
          type: 'progress',
          ...(typeof percent === 'number' && { percent }),
          ...(typeof note === 'string' && { message: note }),
        },
      ]
    }
    if (isObject(metadata) && isObject(metadata[extensionUri])) return []
    if (this.#task) this.#task = { ...this.#task, status }
    const { state, message: said } = status
    return [{ type: 'status', state: fromA2aState(state), ...(said && { message: fromA2aMessage(said) }) }]
  }

  #artifact(update: ArtifactUpdate): readonly ClientEvent[] {
    const { artifact, append } = update
    const known = this.#add(update)
    const texts = artifact.parts.flatMap(({ text }) => (text === undefined ? [] : [text]))
    const isAnswer = artifact.artifactId === answerArtifactId && texts.length === 1 && artifact.parts.length === 1
    const shown = this.#textEvents(artifact.artifactId, texts.join(append ? '' : '\n'), isPrinted(update), known)
    if (isAnswer) return shown
    return [{ type: 'artifact', artifact: fromA2aArtifact(artifact), ...(append && { append }) }, ...shown]
  }

  #textEvents(id: string, text: string, isShown: boolean, known: 'new' | 'replaced' | 'grown'): readonly ClientEvent[] {
    if (!isShown || !text) return []
    const isOther = this.#from !== undefined && this.#from !== id
    this.#from = id
    // The answer of an agent replaces what it said before; another artifact that changes leaves the rest as it is.
    if (id === answerArtifactId && known !== 'grown') return this.#restart(text)
    if (known === 'replaced') return this.#restart(this.#task ? artifactTextOf(fromA2aTask(this.#task)) : text)
    const isApart = isOther && this.#shown !== '' && !this.#shown.endsWith('\n')
    return this.#catchUp(this.#shown + (isApart ? '\n' : '') + text)
  }

  #restart(text: string): readonly ClientEvent[] {
    this.#shown = text
    return [{ type: 'text-delta', text, first: true }]
  }

  /** Adds a chunk to the task. */
  #add({ artifact, append }: ArtifactUpdate): 'new' | 'replaced' | 'grown' {
    const list = this.#task?.artifacts ?? []
    const at = list.findIndex(({ artifactId }) => artifactId === artifact.artifactId)
    const before = list[at]
    const whole = append && before ? { ...before, parts: [...before.parts, ...artifact.parts] } : artifact
    const artifacts = before ? list.with(at, whole) : [...list, whole]
    if (this.#task) this.#task = { ...this.#task, artifacts }
    return append ? 'grown' : before ? 'replaced' : 'new'
  }
}

/** A modelport agent says of each artifact what it is: only the answer is printed. */
function isPrinted({ artifact }: ArtifactUpdate): boolean {
  const kind = objectAt(artifact.metadata, extensionUri)['kind']
  return typeof kind !== 'string' || kind === 'answer'
}
