import { describe, expect, it } from 'vitest'
import {
  addArtifact,
  addMessage,
  begin,
  cancel,
  complete,
  contentOf,
  createArtifact,
  createInferTask,
  createId,
  createTask,
  emptyTask,
  fail,
  forAction,
  isAgentError,
  lastItem,
  messages,
  mayTransition,
  parts,
  requireInput,
  stateHistory,
  type TaskState,
  taskStates,
  updateState,
} from '@modelport/agent'

/** The allowed transitions, written down a second time; everything else is refused. */
const allowed: Readonly<Record<TaskState, string>> = {
  submitted: 'working failed canceled rejected',
  working: 'input-required auth-required completed failed canceled rejected',
  'input-required': 'working failed canceled rejected',
  'auth-required': 'working failed canceled rejected',
  completed: '',
  failed: '',
  canceled: '',
  rejected: '',
  unknown: 'submitted working input-required auth-required completed failed canceled rejected',
}

describe('a task', () => {
  for (const from of taskStates)
    for (const to of taskStates)
      it(`${from === to ? 'stays' : allowed[from].split(' ').includes(to) ? 'may go' : 'refuses to go'} from ${from} to ${to}`, () => {
        const task = { ...emptyTask(), state: from }
        const isAllowed = from === to || allowed[from].split(' ').includes(to)
        expect(mayTransition(from, to)).toBe(isAllowed)
        if (!isAllowed) {
          expect(() => updateState(task, to)).toThrow(`Invalid task state transition: ${from} -> ${to}`)
          return
        }
        const moved = updateState(task, to)
        expect(moved.state).toBe(to)
        expect(stateHistory(moved)).toHaveLength(from === to ? 0 : 1)
      })

  it('records every change of state and passes through working when it completes', () => {
    const done = complete(createTask('hello'), 'done')
    expect(done.state).toBe('completed')
    expect(stateHistory(done).map(({ new_state: state }) => state)).toEqual(['working', 'completed'])
    expect(done.messages.at(-1)).toMatchObject({ role: 'agent', parts: [{ type: 'text', content: 'done' }] })
    expect(done.artifacts).toMatchObject([{ id: 'answer', kind: 'answer' }])
  })

  it('records working and input-required when a submitted task requires input', () => {
    const waiting = requireInput(createTask('hello'), messages.agent('Which city?'))
    expect(stateHistory(waiting).map(({ new_state: state }) => state)).toEqual(['working', 'input-required'])
    expect(waiting.statusMessage).toEqual(waiting.messages.at(-1))
    expect(stateHistory(requireInput(waiting))).toHaveLength(2)
  })

  it('keeps the error of a failure in its metadata and adds no message', () => {
    const failed = fail(createTask('hello'), 'Weather API unavailable')
    expect(failed.metadata['error']).toBe('Weather API unavailable')
    expect(failed.messages).toHaveLength(1)
    expect(() => fail(failed, 'again')).not.toThrow()
    expect(() => complete(failed, 'x')).toThrow('failed -> completed')
  })

  it('keeps the reason of a cancel, unless it is empty', () => {
    expect(cancel(createTask('x'), 'enough').metadata['cancel_reason']).toBe('enough')
    expect(cancel(createTask('x'), '').metadata).not.toHaveProperty('cancel_reason')
  })

  it('knows its newest item after each addition', () => {
    const message = messages.user('one')
    const task = addMessage(emptyTask(), message)
    expect(lastItem(task)).toBe(message)
    const artifact = createArtifact('result')
    const more = addArtifact(task, artifact)
    expect(lastItem(more)).toBe(artifact)
    expect(lastItem(addMessage(more, messages.agent('two')))).toMatchObject({ role: 'agent' })
    expect(lastItem(emptyTask())).toBeUndefined()
  })

  it('never changes the value it was made from', () => {
    const task = createTask('hello')
    const before = structuredClone(task)
    complete(begin(task), 'done')
    expect(task).toEqual(before)
  })

  it('starts from an infer part', () => {
    const [message] = createInferTask({ prompt: 'Calculate this' }).messages
    expect(message?.parts).toEqual([{ type: 'infer', content: { prompt: 'Calculate this' } }])
  })
})

describe('ids', () => {
  it('have a prefix, a time and 128 random bits from the injected sources', () => {
    const entropy = {
      now: () => Date.UTC(2026, 0, 2, 3, 4, 5),
      random: (bytes: Uint8Array<ArrayBuffer>) => bytes.fill(0xab),
    }
    expect(createId('task', entropy)).toBe(`task_20260102030405_${'ab'.repeat(16)}`)
    expect(createId('msg')).not.toBe(createId('msg'))
  })
})

describe('parts and artifacts', () => {
  it('refuse to be read as another type', () => {
    expect(contentOf(parts.toolCall('echo', { a: 1 }), 'tool_call').toolName).toBe('echo')
    expect(() => contentOf(parts.text('x'), 'tool_call')).toThrow('Expected a part of type tool_call, found text')
  })

  it('are associated with an action', () => {
    expect(forAction(createArtifact('x'), 'call_1').actionId).toBe('call_1')
  })

  it('carry a typed refusal', () => {
    try {
      updateState({ ...emptyTask(), state: 'completed' }, 'working')
      expect.unreachable()
    } catch (error) {
      expect(isAgentError(error, 'unsupported-operation')).toBe(true)
    }
  })
})
