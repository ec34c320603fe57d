import { AgentError } from '../base/agent-error.js'
import { isObject, objectAt } from '../base/json.js'
import { answerArtifactId } from '../models/artifact.js'
import type { Task } from '../models/task.js'
import { fromA2aArtifact, fromA2aMessage, fromA2aState, fromA2aTask } from '../wire/a2a/task-codec.js'
import type { A2aStreamResponse, A2aTask } from '../wire/a2a/types.js'
import { extensionUri } from '../wire/extension.js'
import type { ClientEvent } from './client.js'

/** The task of a response. An agent may send a message instead: it is read as a task that is over. */
export function taskOf({ task, message }: A2aStreamResponse): Task {
  if (task) return fromA2aTask(task)
  if (!message) throw new AgentError('invalid-agent-response', 'The agent sent neither a task nor a message')
  const wire: A2aTask = {
    id: message.taskId ?? message.messageId,
    ...(message.contextId !== undefined && { contextId: message.contextId }),
    status: { state: 'TASK_STATE_COMPLETED' },
    history: [message],
  }
  return fromA2aTask(wire)
}

/** What one event of a stream is to the reader; mostly one event. */
export function toClientEvents(response: A2aStreamResponse): readonly ClientEvent[] {
  const { task, message, statusUpdate, artifactUpdate } = response
  if (task || message) return [{ type: 'task', task: taskOf(response) }]
  if (artifactUpdate) return artifactEvents(artifactUpdate)
  if (!statusUpdate) return []
  const progress = objectAt(objectAt(statusUpdate.metadata, extensionUri), 'progress')
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
  if (isObject(statusUpdate.metadata) && isObject(statusUpdate.metadata[extensionUri])) return []
  const { state, message: said } = statusUpdate.status
  return [{ type: 'status', state: fromA2aState(state), ...(said && { message: fromA2aMessage(said) }) }]
}

function artifactEvents(update: NonNullable<A2aStreamResponse['artifactUpdate']>): readonly ClientEvent[] {
  const { artifact, append, lastChunk } = update
  const [part] = artifact.parts
  const isText = artifact.artifactId === answerArtifactId && artifact.parts.length === 1 && part?.text !== undefined
  if (!isText && !append) return [{ type: 'artifact', artifact: fromA2aArtifact(artifact) }]
  if (part?.text === undefined) return [{ type: 'artifact', artifact: fromA2aArtifact(artifact) }]
  if (part.text === '' && lastChunk) return []
  return [{ type: 'text-delta', text: part.text, ...(!append && { first: true as const }) }]
}
