import {
  addArtifact,
  addMessage,
  answerArtifactId,
  answerOf,
  createArtifact,
  createMessage,
  createPart,
  createTask,
  isAgentError,
  updateState,
} from '@modelport/agent'
import {
  fromProtolinkCard,
  fromProtolinkMessage,
  fromProtolinkTask,
  protolinkTasks,
  toProtolinkCard,
  toProtolinkMessage,
  toProtolinkTask,
} from '@modelport/compat'
import { describe, expect, it } from 'vitest'
import { fc } from '../../../test/support/fast-check.js'
import { card, message, task } from '../../serve/test/wire/arbitraries.js'

/** The first part of a task's artifact, read from this wire form. */
const readPart = (type: string, content: object) =>
  fromProtolinkTask({ artifacts: [{ parts: [{ type, content }] }] }).artifacts[0]?.parts[0]

const overTheWire = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe('the Protolink codec', () => {
  it('the Protolink codec gives every task back as it was', () => {
    fc.assert(
      fc.property(task, (value) => {
        expect(fromProtolinkTask(overTheWire(toProtolinkTask(value)))).toEqual(value)
      }),
    )
  })

  it('the Protolink codec gives every card back as it was', () => {
    fc.assert(
      fc.property(card, (value) => {
        expect(fromProtolinkCard(overTheWire(toProtolinkCard(value)))).toEqual(value)
      }),
    )
  })

  it('the Protolink codec writes cards whose capabilities and skills have only the fields of Protolink, because its reader refuses any others', () => {
    const capabilities = [
      ...[
        'streaming',
        'push_notifications',
        'state_transition_history',
        'delegation',
        'has_llm',
        'max_concurrency',
      ],
      ...[
        'message_batching',
        'tool_calling',
        'multi_step_reasoning',
        'timeout_support',
        'rag',
        'code_execution',
      ],
    ]
    const skill = ['id', 'description', 'input_schema', 'output_schema', 'tags', 'examples']
    fc.assert(
      fc.property(card, (value) => {
        const wire = toProtolinkCard(value) as { capabilities: object; skills: object[] }
        expect(Object.keys(wire.capabilities).toSorted()).toEqual(capabilities.toSorted())
        for (const one of wire.skills) expect(Object.keys(one)).toEqual(skill)
      }),
    )
  })

  it('the Protolink codec reads the outputs of tools that Protolink writes, and writes errors as Protolink reads them', () => {
    const read = (content: object) => readPart('tool_output', content)
    const failed = { call_id: 'c1', result: null, error: { message: "Tool 'x' not found" } }
    expect(read(failed)).toMatchObject({ content: { callId: 'c1', error: "Tool 'x' not found" } })
    expect(read({ ...failed, error: { code: 7, message: 'no' } })).toMatchObject({
      content: { error: '{"code":7,"message":"no"}' },
    })
    expect(read({ call_id: 'c1', result: 42, error: null })?.content).toEqual({
      callId: 'c1',
      result: 42,
    })
    const written = toProtolinkTask(
      createTask(createMessage('user', [createPart.toolOutput({ callId: 'c1', error: 'no' })])),
    )
    expect(written).toMatchObject({
      messages: [{ parts: [{ content: { call_id: 'c1', error: { message: 'no' } } }] }],
    })
  })

  it('the Protolink codec shows the reply of a completed task once', () => {
    const answer = createArtifact('done', { id: answerArtifactId, kind: 'answer' })
    const completed = updateState(updateState(createTask('hi'), 'working'), 'completed')
    const wire = toProtolinkTask(
      addMessage(addArtifact(completed, answer), createMessage('agent', 'done')),
    ) as {
      artifacts: unknown[]
      messages: unknown[]
    }
    expect(wire.artifacts).toEqual([])
    expect(wire.messages).toHaveLength(2)
  })

  it('the Protolink codec shares nothing with the task, so that a change of one is not a change of the other', () => {
    const task = { ...createTask('hi', { metadata: { a: { b: 1 } } }), flowState: { q: { z: 1 } } }
    const wire = toProtolinkTask(task) as {
      flow_state: { q: { z: number } }
      metadata: { a: { b: number } }
    }
    wire.flow_state.q.z = 2
    wire.metadata.a.b = 2
    expect([task.flowState, task.metadata]).toEqual([{ q: { z: 1 } }, { a: { b: 1 } }])
  })

  it('the Protolink codec spells canceled as Protolink does in every place, and reads both spellings', () => {
    const status = createMessage('user', [createPart.status('cancelled')])
    const cancelled = updateState(updateState(createTask(status), 'working'), 'canceled')
    expect(cancelled.state).toBe('cancelled')

    const wire = toProtolinkTask(cancelled)
    expect(wire).toMatchObject({
      state: 'canceled',
      messages: [{ parts: [{ type: 'status', content: { state: 'canceled' } }] }],
      metadata: {
        state_history: [
          { previous_state: 'submitted', new_state: 'working' },
          { previous_state: 'working', new_state: 'canceled' },
        ],
      },
    })
    expect(JSON.stringify(wire)).not.toContain('cancelled')
    expect(fromProtolinkTask(overTheWire(wire))).toEqual(cancelled)
    expect(fromProtolinkTask({ ...wire, state: 'cancelled' })).toEqual(cancelled)
  })

  it('the Protolink codec writes states that Protolink does not have by its names, and gives them back', () => {
    const waiting = updateState(updateState(createTask('hi'), 'working'), 'auth-required')
    const rejected = updateState(waiting, 'rejected')

    const wire = toProtolinkTask(rejected)
    expect(wire).toMatchObject({
      state: 'failed',
      metadata: {
        state_history: [
          { new_state: 'working' },
          { new_state: 'input-required' },
          { previous_state: 'input-required', new_state: 'failed' },
        ],
      },
    })
    expect(fromProtolinkTask(overTheWire(wire))).toEqual(rejected)
  })

  it('the Protolink codec reads the reason of a failure from metadata.error', () => {
    const failed = fromProtolinkTask({ state: 'failed', metadata: { error: 'boom' } })
    expect(answerOf(failed)).toBe('boom')
    expect(failed.metadata['error']).toBe('boom')

    const { id, ...task } = toProtolinkTask(createTask('hi'))
    const metadata = { ...(task['metadata'] as object), error: 'boom' }
    expect(answerOf(fromProtolinkTask({ id, ...task, state: 'failed', metadata }))).toBe('boom')
  })

  it('the Protolink codec writes the reason of a failure to metadata.error, and gives the task back as it was', () => {
    const statusMessage = createMessage('agent', 'It broke')
    const failed = { ...updateState(createTask('hi'), 'failed'), statusMessage }

    const wire = toProtolinkTask(failed)
    expect(wire).toMatchObject({ metadata: { error: 'It broke' } })
    expect(fromProtolinkTask(overTheWire(wire))).toEqual(failed)
  })

  it('the Protolink codec forgets what a task waited for when Protolink has completed it', () => {
    const question = createMessage('agent', 'Which city?')
    const wire = toProtolinkTask(protolinkTasks.requireInput(createTask('hi'), question))
    const completed = fromProtolinkTask({ ...wire, state: 'completed' })
    expect(completed.state).toBe('completed')
    expect(completed).not.toHaveProperty('statusMessage')
  })

  it('the Protolink codec writes and reads one message', () => {
    fc.assert(
      fc.property(message, (value) => {
        expect(fromProtolinkMessage(overTheWire(toProtolinkMessage(value)))).toEqual(value)
      }),
    )
    expect(fromProtolinkMessage({ parts: [{ type: 'text', content: 'hi' }] })).toMatchObject({
      role: 'user',
      parts: [{ type: 'text', content: 'hi' }],
    })
    expect(() => fromProtolinkMessage({ parts: [{ content: 'x' }] })).toThrow('/parts/0/type')
  })

  it('the Protolink codec keeps fields and part types that it does not know', () => {
    const found = fromProtolinkTask({
      id: 't',
      new_field: [1],
      messages: [{ parts: [{ type: 'hologram', content: { x: 1 } }] }],
    })
    expect(found.metadata['protolink_extra']).toEqual({ new_field: [1] })
    expect(found.messages[0]?.parts).toEqual([
      { type: 'other', wireType: 'hologram', content: { x: 1 } },
    ])
  })

  it('the Protolink codec accepts the three spellings of a route key and refuses a route without one', () => {
    for (const key of ['route_key', 'route', 'key'])
      expect(readPart('route', { [key]: 'quality' })).toMatchObject({
        content: { routeKey: 'quality' },
      })
    expect(() => readPart('route', {})).toThrow('/artifacts/0/parts/0/content/route_key')
  })

  it.each([
    [{ state: 'asleep' }, '/state'],
    [
      { messages: [{ parts: [{ type: 'tool_call', content: { args: [] } }] }] },
      '/messages/0/parts/0/content/tool_name',
    ],
    [{ messages: [{ parts: [{ content: 'x' }] }] }, '/messages/0/parts/0/type'],
    [{ artifacts: 'x' }, '/artifacts'],
    [{ 'a/b~c': {}, metadata: 7 }, '/metadata'],
    [7, ''],
  ])('the Protolink codec names the place of the mistake in %j', (wire, pointer) => {
    try {
      fromProtolinkTask(wire)
      expect.unreachable()
    } catch (error) {
      expect(
        isAgentError(error, 'invalid-params') &&
          error.violations.map((violation) => violation.pointer),
      ).toContain(pointer)
    }
  })

  it('the Protolink codec refuses JSON that is nested too deeply', () => {
    let deep: unknown = 1
    for (let level = 0; level < 10_000; level++) deep = [deep]
    expect(() => fromProtolinkTask({ metadata: { deep } })).toThrow('nested deeper')
  })
})
