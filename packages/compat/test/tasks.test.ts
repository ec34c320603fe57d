import { addArtifact, addMessage, createArtifact, createMessage, createTask, type Task } from '@modelport/agent'
import { protolinkTasks } from '@modelport/compat'
import { describe, expect, it } from 'vitest'

const empty = (): Task => ({ ...createTask('hello'), messages: [] })

describe('the life of a task of Protolink', () => {
  it('a task of Protolink records every change of state and passes through working when it completes', () => {
    const done = protolinkTasks.complete(createTask('hello'), 'done')
    expect(done.state).toBe('completed')
    expect(protolinkTasks.history(done).map(({ new_state: state }) => state)).toEqual(['working', 'completed'])
    expect(done.messages.at(-1)).toMatchObject({ role: 'agent', parts: [{ type: 'text', content: 'done' }] })
    expect(done.artifacts).toMatchObject([{ id: 'answer', kind: 'answer' }])
  })

  it('a task of Protolink records working and input-required when a submitted task requires input', () => {
    const waiting = protolinkTasks.requireInput(createTask('hello'), createMessage('agent', 'Which city?'))
    expect(protolinkTasks.history(waiting).map(({ new_state: state }) => state)).toEqual(['working', 'input-required'])
    expect(waiting.statusMessage).toEqual(waiting.messages.at(-1))
    expect(protolinkTasks.history(protolinkTasks.requireInput(waiting))).toHaveLength(2)
  })

  it('a task of Protolink keeps the error of a failure in its metadata and adds no message', () => {
    const failed = protolinkTasks.fail(createTask('hello'), 'Weather API unavailable')
    expect(failed.metadata['error']).toBe('Weather API unavailable')
    expect(failed.messages).toHaveLength(1)
    expect(() => protolinkTasks.fail(failed, 'again')).not.toThrow()
    expect(() => protolinkTasks.complete(failed, 'x')).toThrow('failed -> completed')
  })

  it('a task of Protolink keeps the reason of a cancel, unless it is empty', () => {
    expect(protolinkTasks.cancel(createTask('x'), 'enough').metadata['cancel_reason']).toBe('enough')
    expect(protolinkTasks.cancel(createTask('x'), '').metadata).not.toHaveProperty('cancel_reason')
  })

  it('a task of Protolink knows its newest item after each addition', () => {
    const message = createMessage('user', 'one')
    const task = addMessage(empty(), message)
    expect(protolinkTasks.lastItem(task)).toBe(message)
    const artifact = createArtifact('result')
    const more = addArtifact(task, artifact)
    expect(protolinkTasks.lastItem(more)).toBe(artifact)
    expect(protolinkTasks.lastItem(addMessage(more, createMessage('agent', 'two')))).toMatchObject({ role: 'agent' })
    expect(protolinkTasks.lastItem(empty())).toBeUndefined()
  })

  it('a task of Protolink never changes the value it was made from', () => {
    const task = createTask('hello')
    const before = structuredClone(task)
    protolinkTasks.complete(protolinkTasks.begin(task), 'done')
    expect(task).toEqual(before)
  })

  it('a task of Protolink starts from an infer part', () => {
    const [message] = protolinkTasks.createInfer({ prompt: 'Calculate this' }).messages
    expect(message?.parts).toEqual([{ type: 'infer', content: { prompt: 'Calculate this' } }])
  })
})
