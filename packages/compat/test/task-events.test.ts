import { createArtifact, createMessage, type TaskEvent } from '@modelport/agent'
import { toProtolinkEvents } from '@modelport/compat'
import { describe, expect, it } from 'vitest'

const task = { id: 't', state: 'working' } as const
const at = '2026-01-02T03:04:05.000Z'
const base = { event_id: 't:7', task_id: 't', timestamp: at }
const eventsOf = (event: object) =>
  toProtolinkEvents(task, { seq: 7, at, ...event } as TaskEvent, 'weather')

describe('the events of a task in the form of Protolink', () => {
  it('a change of state names both states, and is final if nothing follows', () => {
    const change = { ...base, type: 'task_status_update', previous_state: 'working', metadata: {} }
    expect(eventsOf({ type: 'status', state: 'completed' })).toEqual([
      { ...change, new_state: 'completed', final: true },
    ])
    expect(eventsOf({ type: 'status', state: 'auth-required', metadata: { a: 1 } })).toEqual([
      { ...change, new_state: 'input-required', final: true, metadata: { a: 1 } },
    ])
    expect(eventsOf({ type: 'status', state: 'working' })).toMatchObject([{ final: false }])
  })

  it('a failure is a task_error with its text, and then the change of state', () => {
    expect(
      eventsOf({ type: 'status', state: 'failed', message: createMessage('agent', 'It broke') }),
    ).toEqual([
      {
        ...base,
        type: 'task_error',
        error_code: 'failed',
        error_message: 'It broke',
        recoverable: false,
      },
      expect.objectContaining({ type: 'task_status_update', new_state: 'failed', final: true }),
    ])
  })

  it('an artifact, progress and a piece of the text have the names of Protolink', () => {
    const artifact = createArtifact('warm', { id: 'a' })
    expect(eventsOf({ type: 'artifact', artifact, append: true })).toMatchObject([
      {
        ...base,
        type: 'task_artifact_update',
        append: true,
        artifact: { id: 'a', parts: [{ content: 'warm' }] },
      },
    ])
    expect(eventsOf({ type: 'progress', percent: 40 })).toEqual([
      { ...base, type: 'task_progress', progress: 40, message: null },
    ])
    expect(eventsOf({ type: 'text-delta', text: 'wa', attempt: 2 })).toEqual([
      {
        ...base,
        type: 'task_llm_stream',
        agent_name: 'weather',
        llm_event_type: 'llm_chunk',
        step: 2,
        content: 'wa',
        final: false,
        metadata: {},
      },
    ])
  })

  it('an event that Protolink does not know is left out', () => {
    expect(eventsOf({ type: 'checkpoint' })).toEqual([])
  })
})
