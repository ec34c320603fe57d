import { AgentError, type ClientEvent, type Task, type TaskStory } from '@modelport/agent'
import { isObject } from '@modelport/core'
import {
  fromA2aArtifact,
  fromA2aMessage,
  fromA2aState,
  fromCheckedTask,
} from '../a2a/task-codec.js'
import type { A2aStreamResponse, A2aTask } from '../a2a/types.js'
import { objectAt } from '../base/json.js'
import { extensionUri } from '../wire/extension.js'

/**
 * The task of a response. An agent may send a message instead: it is read as a task that is over.
 */
export const taskOf = (response: A2aStreamResponse): Task => fromCheckedTask(wireTaskOf(response))

function wireTaskOf({ task, message }: A2aStreamResponse): A2aTask {
  if (task) return task
  if (!message)
    throw new AgentError('invalid-agent-response', 'The agent sent neither a task nor a message')
  return {
    id: message.taskId ?? message.messageId,
    ...(message.contextId !== undefined && { contextId: message.contextId }),
    status: { state: 'TASK_STATE_COMPLETED' },
    history: [message],
  }
}

type ArtifactUpdate = NonNullable<A2aStreamResponse['artifactUpdate']>
type StatusUpdate = NonNullable<A2aStreamResponse['statusUpdate']>

/** The events of a reader for one response of a stream; usually one. */
export function eventsOf(story: TaskStory, response: A2aStreamResponse): readonly ClientEvent[] {
  const { task, message, statusUpdate, artifactUpdate } = response
  if (task || message) return story.begin(taskOf(response))
  if (artifactUpdate) {
    const { artifact, append = false } = artifactUpdate
    return story.artifact({
      artifact: fromA2aArtifact(artifact),
      append,
      isPrinted: isPrinted(artifactUpdate),
    })
  }
  return statusUpdate ? statusEvents(story, statusUpdate) : []
}

function statusEvents(
  story: TaskStory,
  { status, metadata }: StatusUpdate,
): readonly ClientEvent[] {
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
  const { state, message: said, timestamp } = status
  return story.status(fromA2aState(state), timestamp, said && fromA2aMessage(said))
}

/** A modelport agent marks the kind of each artifact: only the answer is printed. */
function isPrinted({ artifact }: ArtifactUpdate): boolean {
  const kind = objectAt(artifact.metadata, extensionUri)['kind']
  return typeof kind !== 'string' || kind === 'answer'
}
