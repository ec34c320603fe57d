import type { StreamEvent } from '@modelport/core'
import { expect, test } from 'vitest'
import { defaultLimits } from '../src/base/limits.js'
import { ToolCallBuffer } from '../src/turn/tool-call-buffer.js'

function buffer() {
  const events: StreamEvent[] = []
  return {
    events,
    calls: new ToolCallBuffer((event) => events.push(event), defaultLimits, new Set(['call_1'])),
  }
}

test('a call of which more may come has an error, whatever its text reads so far', () => {
  const { calls } = buffer()
  calls.push(0, { id: 'a', name: 'f' })
  expect(calls.toolCalls()).toMatchObject([
    { id: 'a', arguments: {}, argumentsText: '', error: expect.any(String) as string },
  ])
  calls.push(0, { text: '{"a":1}' })
  expect(calls.toolCalls()).toMatchObject([
    { arguments: {}, argumentsText: '{"a":1}', error: expect.any(String) as string },
  ])
  calls.end(0)
  expect(calls.toolCalls()).toEqual([
    { id: 'a', name: 'f', arguments: { a: 1 }, argumentsText: '{"a":1}' },
  ])
})

test('calls are complete in the order of their keys, however they end', () => {
  const { calls, events } = buffer()
  for (const key of [2, 0, 1]) calls.push(key, { id: `id${key}`, name: 'f', text: '{}' })
  calls.end(2)
  calls.end(1)
  expect(events.filter(({ type }) => type === 'tool-call-complete')).toEqual([])
  calls.end(0)
  const complete = events.flatMap((event) =>
    event.type === 'tool-call-complete' ? [event.toolCall.id] : [],
  )
  expect(complete).toEqual(['id0', 'id1', 'id2'])
})

test('more calls than the limit are a typed failure', () => {
  const calls = new ToolCallBuffer(
    () => undefined,
    { ...defaultLimits, maxToolCalls: 2 },
    new Set(),
  )
  for (const key of [0, 1, 1]) calls.push(key, { name: 'f', text: '{}' })
  expect(() => {
    calls.push(2, { name: 'f', text: '{}' })
  }).toThrow(
    expect.objectContaining({
      code: 'limit-exceeded',
      message: 'the turn has more than 2 tool calls',
    }),
  )
})

test('an empty object before the text of the arguments is a placeholder, one after it is the value', () => {
  const { calls } = buffer()
  calls.push(0, { id: 'a', name: 'f', value: {} })
  calls.push(0, { text: '{"city":' })
  calls.push(0, { text: '"Oslo"}' })
  calls.push(1, { id: 'b', name: 'f', text: '{"a":1}' })
  calls.push(1, { value: {} })
  calls.push(2, { id: 'c', name: 'f', value: {} })
  calls.push(3, { id: 'd', name: 'f', value: {} })
  calls.push(3, { text: '{"cut' })
  calls.endAll()
  expect(calls.toolCalls().map((call) => [call.arguments, call.error === undefined])).toEqual([
    [{ city: 'Oslo' }, true],
    [{}, true],
    [{}, true],
    [{}, false],
  ])
})

test('a value with fields is what is meant, and the text next to it what was received', () => {
  const { calls } = buffer()
  calls.push(0, { id: 'a', name: 'f', value: { city: 'Oslo' } })
  calls.push(0, { text: 'city=Oslo' })
  calls.push(1, { id: 'b', name: 'f', value: ['x'] })
  calls.push(1, { text: 'x' })
  calls.endAll()
  expect(calls.toolCalls()).toEqual([
    { id: 'a', name: 'f', arguments: { city: 'Oslo' }, argumentsText: 'city=Oslo' },
    { id: 'b', name: 'f', arguments: {}, argumentsText: 'x', error: expect.any(String) as string },
  ])
})

test('a call whose arguments are spaces so far is cut where the reply is', () => {
  const { calls } = buffer()
  calls.push(0, { id: 'a', name: 'f', text: ' \n' })
  calls.end(0)
  calls.endAll(true)
  expect(calls.toolCalls()).toMatchObject([
    { id: 'a', error: 'the reply ended before the call did' },
  ])
})

test('while ends are held no call is complete, and an ended one still has an error', () => {
  const { calls, events } = buffer()
  calls.push(0, { id: 'a', name: 'f', text: '{}' })
  calls.hold()
  calls.end(0)
  expect(events.map(({ type }) => type)).toEqual(['tool-call-start', 'tool-call-delta'])
  expect(calls.toolCalls()).toMatchObject([{ id: 'a', error: expect.any(String) as string }])
  calls.endAll()
  expect(events.at(-1)).toMatchObject({ type: 'tool-call-complete', toolCall: { id: 'a' } })
})

test('a call without arguments waits for the end of the reply, which says whether it was cut before them', () => {
  const completed = (cut: boolean): unknown[] => {
    const { calls, events } = buffer()
    calls.push(0, { id: 'a', name: 'f' })
    calls.push(1, { id: 'b', name: 'f', value: {} })
    calls.end(0)
    calls.end(1)
    expect(events.map(({ type }) => type)).not.toContain('tool-call-complete')
    calls.endAll(cut)
    return events.flatMap((event) => (event.type === 'tool-call-complete' ? [event.toolCall] : []))
  }
  const whole = { id: 'b', name: 'f', arguments: {}, argumentsText: '{}' }
  expect(completed(false)).toEqual([
    { id: 'a', name: 'f', arguments: {}, argumentsText: '' },
    whole,
  ])
  expect(completed(true)).toEqual([
    {
      id: 'a',
      name: 'f',
      arguments: {},
      argumentsText: '',
      error: 'the reply ended before the call did',
    },
    whole,
  ])
})

test('numbers that come in falling order, and a text key among them, keep the order of the calls', () => {
  const { calls, events } = buffer()
  for (const key of [3, 1, 2]) calls.push(key, { id: `id${key}`, name: 'f', text: '{}' })
  calls.end(1)
  calls.push(0, { id: 'id0', name: 'f', text: '{}' })
  calls.endAll()
  const complete = events.flatMap((event) =>
    event.type === 'tool-call-complete' ? [event.toolCall.id] : [],
  )
  expect(complete).toEqual(['id1', 'id0', 'id2', 'id3'])
  expect(calls.toolCalls().map(({ id }) => id)).toEqual(['id0', 'id1', 'id2', 'id3'])
  calls.push('x', { id: 'idx', name: 'f' })
  expect(calls.toolCalls().map(({ id }) => id)).toEqual(['id3', 'id1', 'id2', 'id0', 'idx'])
})

test('text keys keep the order they came in', () => {
  const { calls } = buffer()
  for (const key of ['z', 'a', 'm']) calls.push(key, { id: key, name: 'f' })
  calls.endAll()
  expect(calls.toolCalls().map(({ id }) => id)).toEqual(['z', 'a', 'm'])
})

test('ids that are missing or taken are made unique in the conversation', () => {
  const { calls } = buffer()
  calls.push(0, { name: 'f', text: '{}' })
  calls.push(1, { id: 'call_1', name: 'f' })
  calls.push(2, { id: 'call_1', name: 'f' })
  calls.push(3, { name: 'f' })
  calls.endAll()
  const ids = calls.toolCalls().map(({ id }) => id)
  expect(new Set(ids).size).toBe(4)
  expect(ids).not.toContain('call_1')
})

test('arguments beyond the limit, and a call without a name, are typed failures', () => {
  const { calls } = buffer()
  calls.push(0, { id: 'a', name: 'f' })
  expect(() => calls.push(0, { text: 'x'.repeat(1024 * 1024 + 1) })).toThrow(
    expect.objectContaining({ code: 'limit-exceeded' }),
  )
  const nameless = buffer().calls
  nameless.push(0, { id: 'a', text: '{}' })
  expect(() => nameless.endAll()).toThrow(expect.objectContaining({ code: 'protocol' }))
})

test('a name that comes after the arguments loses none of them', () => {
  const { calls, events } = buffer()
  calls.push(0, { text: '{"a"' })
  calls.push(0, { id: 'a', name: 'f', text: ':1}' })
  calls.endAll()
  expect(events).toEqual([
    { type: 'tool-call-start', toolCall: { id: 'a', name: 'f' } },
    { type: 'tool-call-delta', id: 'a', text: '{"a"' },
    { type: 'tool-call-delta', id: 'a', text: ':1}' },
    {
      type: 'tool-call-complete',
      toolCall: { id: 'a', name: 'f', arguments: { a: 1 }, argumentsText: '{"a":1}' },
    },
  ])
})
