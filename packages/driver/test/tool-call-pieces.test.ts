import type { StreamEvent } from '@modelport/core'
import { expect, test } from 'vitest'
import { defaultLimits } from '../src/base/limits.js'
import { ToolCallBuffer } from '../src/turn/tool-call-buffer.js'

function buffer(...used: string[]) {
  const events: StreamEvent[] = []
  return {
    events,
    calls: new ToolCallBuffer((event) => events.push(event), defaultLimits, new Set(used)),
  }
}

const start = (id: string, name = 'f'): StreamEvent => ({
  type: 'tool-call-start',
  toolCall: { id, name },
})
const delta = (id: string, text: string): StreamEvent => ({ type: 'tool-call-delta', id, text })

test('a call starts once its name and its id are known, or its name and a piece of its arguments', () => {
  const { calls, events } = buffer()
  calls.push(0, { name: 'f' })
  expect(events).toEqual([])
  calls.push(0, { id: 'a' })
  expect(events).toEqual([start('a')])
  calls.push(1, { name: 'g' })
  calls.push(1, { text: '{' })
  expect(events.slice(1)).toEqual([start('call_2', 'g'), delta('call_2', '{')])
})

test('a call without an id and without arguments starts when it ends', () => {
  const { calls, events } = buffer()
  calls.push(0, { name: 'f' })
  calls.endAll()
  expect(events).toEqual([
    start('call_1'),
    {
      type: 'tool-call-complete',
      toolCall: { id: 'call_1', name: 'f', arguments: {}, argumentsText: '' },
    },
  ])
})

test('a call keeps its first id and name, and ignores empty deltas', () => {
  const { calls, events } = buffer()
  calls.push(0, { id: 'a', name: 'f', text: '' })
  calls.push(0, { id: 'b', name: 'g', text: '' })
  calls.push(0, { text: undefined })
  expect(events).toEqual([start('a')])
})

test('what comes for a call after its end is not taken', () => {
  const { calls, events } = buffer()
  calls.push(0, { id: 'a', name: 'f', text: '{}' })
  calls.end(0)
  const count = events.length
  calls.push(0, { text: 'x' })
  calls.end(0)
  calls.endAll()
  calls.push(0, { text: 'x' })
  expect(events).toHaveLength(count)
  expect(calls.toolCalls()).toStrictEqual([
    { id: 'a', name: 'f', arguments: {}, argumentsText: '{}' },
  ])
  const open = buffer()
  open.calls.push(0, { id: 'a', name: 'f' })
  open.calls.endAll()
  open.calls.push(0, { text: 'x' })
  expect(open.events.map(({ type }) => type)).toEqual(['tool-call-start', 'tool-call-complete'])
})

test('the end of a call that never began changes nothing', () => {
  const { calls, events } = buffer()
  calls.end(7)
  calls.endAll()
  expect([events, calls.size, calls.toolCalls(), calls.finishedCalls()]).toEqual([[], 0, [], []])
})

test('a whole value stays when later pieces have none; its text is that of the wire, else its JSON', () => {
  const { calls } = buffer()
  calls.push(0, { id: 'a', name: 'f', value: { a: 1 } })
  calls.push(0, { value: undefined })
  calls.push(1, { id: 'b', name: 'f', value: { a: 1 }, text: '{ "a": 1 }' })
  calls.endAll()
  expect(calls.toolCalls()).toStrictEqual([
    { id: 'a', name: 'f', arguments: { a: 1 }, argumentsText: '{"a":1}' },
    { id: 'b', name: 'f', arguments: { a: 1 }, argumentsText: '{ "a": 1 }' },
  ])
})

test('keys are ordered by number only where all of them are numbers', () => {
  const order = (...keys: readonly (string | number)[]) => {
    const { calls } = buffer()
    for (const key of keys) calls.push(key, { id: String(key), name: 'f' })
    calls.endAll()
    return calls.finishedCalls().map(({ id }) => id)
  }
  expect(order(10, 9, 2)).toEqual(['2', '9', '10'])
  expect(order('b', 2, 1)).toEqual(['b', '2', '1'])
  expect(order('10', '9')).toEqual(['10', '9'])
})

test('only calls that have ended may be answered', () => {
  const { calls } = buffer()
  calls.push(0, { id: 'a', name: 'f', text: '{}' })
  calls.push(1, { id: 'b', name: 'f' })
  calls.end(0)
  expect(calls.finishedCalls().map(({ id }) => id)).toEqual(['a'])
  expect(calls.toolCalls().map(({ id }) => id)).toEqual(['a', 'b'])
})

test('an id that is taken gets the next number, one that is missing the next of the conversation', () => {
  const { calls } = buffer('x', 'x_2', 'call_1', 'call_5')
  calls.push(0, { id: 'x', name: 'f' })
  calls.push(1, { name: 'f', text: '{}' })
  expect(calls.toolCalls().map(({ id }) => id)).toEqual(['x_3', 'call_6'])
})
