import { isInterrupted, isTerminal, type TaskEvent, type TaskState, textOfParts } from '@modelport/agent'
import type { JsonObject } from '@modelport/core'
import { toProtolinkArtifact, toProtolinkState } from './task-codec.js'

/** An event in Protolink's form. */
export interface ProtolinkEvent {
  readonly wire: JsonObject
  /** True for the last event of a stream. */
  readonly final: boolean
}

/** What one event is on Protolink's wire; mostly one, sometimes nothing. `previous` is the state of the task before the event. */
export function encodeProtolinkEvent(
  taskId: string,
  agentName: string,
  event: TaskEvent,
  previous: TaskState,
): readonly ProtolinkEvent[] {
  const base = { event_id: `${taskId}:${event.seq}`, task_id: taskId, timestamp: event.at }
  const one = (wire: JsonObject, final = false): readonly ProtolinkEvent[] => [{ wire: { ...base, ...wire }, final }]
  switch (event.type) {
    case 'status': {
      const final = isTerminal(event.state) || isInterrupted(event.state)
      const status = {
        type: 'task_status_update',
        previous_state: toProtolinkState(previous),
        new_state: toProtolinkState(event.state),
        final,
        metadata: event.metadata ?? {},
      }
      if (event.state !== 'failed') return one(status, final)
      const error = {
        type: 'task_error',
        error_code: 'failed',
        error_message: event.message ? textOfParts(event.message.parts) : '',
        recoverable: false,
      }
      return [...one(error), ...one(status, true)]
    }
    case 'artifact':
      return one({
        type: 'task_artifact_update',
        artifact: toProtolinkArtifact(event.artifact),
        ...(event.append && { append: true }),
      })
    case 'progress':
      return one({ type: 'task_progress', progress: event.percent ?? null, message: event.message ?? null })
    case 'text-delta':
      return one({
        type: 'task_llm_stream',
        agent_name: agentName,
        llm_event_type: 'llm_chunk',
        step: event.attempt,
        content: event.text,
        final: false,
        metadata: {},
      })
    default:
      return []
  }
}
