import {
  addArtifact,
  addMessage,
  answerOf,
  createArtifact,
  createMessage,
  createTask,
  type Task,
  updateState,
} from '@modelport/agent'
import { protolinkTasks } from '@modelport/compat'
import { describe, expect, it } from 'vitest'

const emptyTask = (): Task => ({ ...createTask('hello'), messages: [] })

/** The states that a task entered, oldest first. */
const statesOf = ({ metadata }: Task): readonly string[] =>
  (metadata['state_history'] as { new_state: string }[]).map(({ new_state: state }) => state)

describe('the life of a task of Protolink', () => {
  it('a submitted task of Protolink passes through working when it completes', () => {
    const done = protolinkTasks.complete(createTask('hello'), 'done')

    expect(done.state).toBe('completed')
    expect(statesOf(done)).toEqual(['working', 'completed'])
    expect(done.messages.at(-1)).toMatchObject({
      role: 'agent',
      parts: [{ type: 'text', content: 'done' }],
    })
    expect(done.artifacts).toMatchObject([{ id: 'answer', kind: 'answer' }])
    expect(answerOf(done)).toBe('done')
  })

  it('a task of Protolink that began completes with one change of state', () => {
    const done = protolinkTasks.complete(protolinkTasks.begin(createTask('hello')), 'done')
    expect(statesOf(done)).toEqual(['working', 'completed'])
  })

  it('a submitted task of Protolink passes through working when it requires input', () => {
    const question = createMessage('agent', 'Which city?')
    const waiting = protolinkTasks.requireInput(createTask('hello'), question)

    expect(statesOf(waiting)).toEqual(['working', 'input-required'])
    expect(waiting.messages.at(-1)).toEqual(question)
    expect(waiting.statusMessage).toEqual(question)
    expect(answerOf(waiting)).toBe('Which city?')
  })

  it('a task of Protolink that requires input again records no further change, and completes through working', () => {
    const waiting = protolinkTasks.requireInput(createTask('hello'))
    expect(statesOf(protolinkTasks.requireInput(waiting))).toEqual(['working', 'input-required'])

    const done = protolinkTasks.complete(waiting, 'done')
    expect(statesOf(done)).toEqual(['working', 'input-required', 'working', 'completed'])
  })

  it('a failed task of Protolink has its reason in metadata.error, and no further message', () => {
    const failed = protolinkTasks.fail(createTask('hello'), 'Weather API unavailable')

    expect(failed.state).toBe('failed')
    expect(failed.metadata['error']).toBe('Weather API unavailable')
    expect(failed.messages).toHaveLength(1)
    expect(answerOf(failed)).toBe('Weather API unavailable')
  })

  it('a task of Protolink that ended refuses another state, and keeps what it has', () => {
    const failed = protolinkTasks.fail(createTask('hello'), 'first')
    expect(() => protolinkTasks.complete(failed, 'x')).toThrow(
      'Invalid task state transition: failed -> completed',
    )

    const done = protolinkTasks.complete(createTask('hello'), 'done')
    expect(() => protolinkTasks.fail(done, 'late')).toThrow(
      'Invalid task state transition: completed -> failed',
    )
    expect(done.metadata).not.toHaveProperty('error')
  })

  it('a submitted task of Protolink cannot be completed without its verb', () => {
    expect(() => updateState(createTask('hello'), 'completed')).toThrow(
      'Invalid task state transition: submitted -> completed',
    )
  })

  it('a cancelled task of Protolink keeps the reason, unless it is empty', () => {
    const cancelled = protolinkTasks.cancel(createTask('x'), 'enough')
    expect(cancelled.metadata['cancel_reason']).toBe('enough')
    expect(protolinkTasks.cancel(createTask('x'), '').metadata).not.toHaveProperty('cancel_reason')
  })

  it('a task of Protolink knows its last item after each addition', () => {
    expect(protolinkTasks.lastItem(emptyTask())).toBeUndefined()

    const message = createMessage('user', 'one')
    const withMessage = addMessage(emptyTask(), message)
    expect(protolinkTasks.lastItem(withMessage)).toBe(message)

    const artifact = createArtifact('result')
    const withArtifact = addArtifact(withMessage, artifact)
    expect(protolinkTasks.lastItem(withArtifact)).toBe(artifact)

    const reply = createMessage('agent', 'two')
    expect(protolinkTasks.lastItem(addMessage(withArtifact, reply))).toBe(reply)
  })

  it('a task of Protolink never changes the value that it was made from', () => {
    const task = createTask('hello')
    const before = structuredClone(task)
    protolinkTasks.complete(protolinkTasks.begin(task), 'done')
    expect(task).toEqual(before)
  })

  it('a task of Protolink begins with an infer part', () => {
    const task = protolinkTasks.createInferTask({ prompt: 'Calculate this' })
    expect(task.state).toBe('submitted')
    expect(task.messages).toMatchObject([
      { role: 'user', parts: [{ type: 'infer', content: { prompt: 'Calculate this' } }] },
    ])
  })
})
