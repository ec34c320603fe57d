import { createArtifact, createTask } from '@modelport/agent'
import { describe, expect, it } from 'vitest'
import { fc } from '../../../../test/support/fast-check.js'
import { fromA2aCard, toA2aCard } from '../../src/a2a/card-codec.js'
import { decodeProto } from '../../src/a2a/proto-json.js'
import { fromCheckedTask, toA2aTask } from '../../src/a2a/task-codec.js'
import { card, task } from './arbitraries.js'

const fromA2aTask = (wire: unknown) => fromCheckedTask(decodeProto('Task', wire))
const overTheWire = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe('the A2A codec', () => {
  it('the A2A codec gives every task back as it was, with our extension', () => {
    fc.assert(
      fc.property(task, (value) => {
        expect(fromA2aTask(overTheWire(toA2aTask(value, { extension: true })))).toEqual(value)
      }),
    )
  })

  it('the A2A codec gives every card back as it was', () => {
    fc.assert(
      fc.property(card, (value) => {
        expect(fromA2aCard(overTheWire(toA2aCard(value)))).toEqual(value)
      }),
    )
  })

  it('the A2A codec reads what it wrote after foreign agents dropped all metadata', () => {
    fc.assert(
      fc.property(task, (value) => {
        const wire = JSON.stringify(toA2aTask(value, { extension: true }), (key, inner: unknown) =>
          key === 'metadata' ? undefined : inner,
        )
        expect(fromA2aTask(JSON.parse(wire)).state).toBe(value.state)
      }),
    )
  })

  it('the A2A codec limits the history and leaves artifacts out as asked', () => {
    const answer = createArtifact('done', { id: 'answer', kind: 'answer' })
    const value = { ...createTask('hi'), state: 'completed' as const, artifacts: [answer] }
    expect(toA2aTask(value, { historyLength: 1 }).history).toHaveLength(1)
    expect(toA2aTask(value, { historyLength: 0 })).not.toHaveProperty('history')
    expect(toA2aTask(value, { artifacts: false })).not.toHaveProperty('artifacts')
    expect(toA2aTask(value)).toMatchObject({
      status: { state: 'TASK_STATE_COMPLETED' },
      artifacts: [{ artifactId: 'answer', parts: [{ text: 'done' }] }],
    })
  })

  it('the A2A codec refuses JSON that is nested too deeply', () => {
    let deep: unknown = 1
    for (let level = 0; level < 10_000; level++) deep = [deep]
    const wire = { id: 't', status: { state: 'TASK_STATE_WORKING' }, metadata: { deep } }
    expect(() => fromA2aTask(wire)).toThrow('nested deeper')
  })
})
