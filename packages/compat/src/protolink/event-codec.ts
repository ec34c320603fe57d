import { isInterrupted, isTerminal, type Task, type TaskEvent, textOfParts } from '@modelport/agent'
import type { JsonObject } from '@modelport/core'
import { toProtolinkState } from './state-names.js'
import { toProtolinkArtifact } from './task-codec.js'

/**
 * The events of Protolink for one event of a task, as plain JSON with its names and fields: mostly
 * one, two for a failure, none for an event that Protolink does not know.
 * @param task the task with the state before the event
 * @param agentName who writes the text
 */
export function toProtolinkEvents(
  task: Pick<Task, 'id' | 'state'>,
  event: TaskEvent,
  agentName: string,
): readonly JsonObject[] {
  const one = (fields: JsonObject): JsonObject => ({
    event_id: `${task.id}:${event.seq}`,
    task_id: task.id,
    timestamp: event.at,
    ...fields,
  })
  switch (event.type) {
    case 'status': {
      const status = one({
        type: 'task_status_update',
        previous_state: toProtolinkState(task.state),
        new_state: toProtolinkState(event.state),
        final: isTerminal(event.state) || isInterrupted(event.state),
        metadata: event.metadata ?? {},
      })
      if (event.state !== 'failed') return [status]
      const message = event.message ? textOfParts(event.message.parts) : ''
      return [
        one({
          type: 'task_error',
          error_code: 'failed',
          error_message: message,
          recoverable: false,
        }),
        status,
      ]
    }
    case 'artifact':
      return [
        one({
          type: 'task_artifact_update',
          artifact: toProtolinkArtifact(event.artifact),
          ...(event.append && { append: true }),
        }),
      ]
    case 'progress':
      return [
        one({
          type: 'task_progress',
          progress: event.percent ?? null,
          message: event.message ?? null,
        }),
      ]
    case 'text-delta':
      return [
        one({
          type: 'task_llm_stream',
          agent_name: agentName,
          llm_event_type: 'llm_chunk',
          step: event.attempt,
          content: event.text,
          final: false,
          metadata: {},
        }),
      ]
    default:
      return []
  }
}
