import { AgentError, type ClientEvent, createMessage, isTerminal, type Task, TaskStory } from '@modelport/agent'
import { isObject, type JsonObject } from '@modelport/core'
import { fromProtolinkArtifact, readProtolinkState } from './task-codec.js'

/**
 * Reads the frames of a stream of Protolink. The last event is the whole task, as the stream told it: the protocol has no other way to get it.
 * @throws {AgentError} what the agent refused; `invalid-agent-response` — a frame is not one, or the stream ended before the last one
 */
export async function* readProtolinkStream(
  frames: AsyncIterable<{ readonly data: string }>,
  sent: Task,
): AsyncGenerator<ClientEvent, void> {
  const story = new TaskStory()
  let isBegun = false
  let failure: string | undefined
  for await (const { data } of frames) {
    const frame = parse(data)
    if (frame['ok'] === false) throw refusal(frame['error'])
    const event = isObject(frame['result']) ? frame['result'] : undefined
    if (event && !isBegun) {
      isBegun = true
      const id = typeof event['task_id'] === 'string' ? event['task_id'] : sent.id
      yield* story.begin({ ...sent, id })
    }
    if (event?.['type'] === 'task_error') failure = textOf(event['error_message'])
    else if (event) yield* eventsOf(story, event, failure)
    if (frame['final'] === true) {
      yield* story.end()
      return
    }
  }
  throw new AgentError('invalid-agent-response', 'The stream of the agent ended before its task')
}

function eventsOf(story: TaskStory, event: JsonObject, failure: string | undefined): readonly ClientEvent[] {
  switch (event['type']) {
    case 'task_status_update': {
      const state = readProtolinkState(event['new_state'])
      const said = isTerminal(state) && failure ? createMessage('agent', failure) : undefined
      return story.status(state, textOf(event['timestamp']), said)
    }
    case 'task_artifact_update': {
      const artifact = fromProtolinkArtifact(event['artifact'])
      return story.artifact({ artifact, append: event['append'] === true, isPrinted: artifact.kind === 'answer' })
    }
    case 'task_llm_stream': {
      const text = event['llm_event_type'] === 'llm_chunk' ? textOf(event['content']) : undefined
      return text ? story.answerText(text, textOf(event['timestamp']) ?? '', true) : []
    }
    case 'task_progress': {
      const percent = event['progress']
      const message = textOf(event['message'])
      return [{ type: 'progress', ...(typeof percent === 'number' && { percent }), ...(message && { message }) }]
    }
    default:
      return []
  }
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

function refusal(error: unknown): AgentError {
  const message = isObject(error) ? textOf(error['message']) : undefined
  return new AgentError('invalid-agent-response', `The agent refused: ${(message ?? 'unknown').slice(0, 1_000)}`)
}

function parse(data: string): JsonObject {
  let frame: unknown
  try {
    frame = JSON.parse(data)
  } catch (error) {
    throw new AgentError('invalid-agent-response', 'The agent sent an event that is not JSON', { cause: error })
  }
  if (isObject(frame)) return frame
  throw new AgentError('invalid-agent-response', 'The agent sent an event that is not a JSON object')
}
