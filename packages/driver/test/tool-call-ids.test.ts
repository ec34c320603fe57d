import type { ChatMessage } from '@modelport/core'
import { mapToolCallIds } from '@modelport/driver'
import { expect, test } from 'vitest'
import { toolCallIds } from '../src/turn/history.js'

const calling = (...ids: string[]): ChatMessage => ({
  role: 'assistant',
  content: '',
  toolCalls: ids.map((id) => ({ id, name: 'f', arguments: {}, argumentsText: '{}' })),
})
const mapped = (ids: readonly string[], rule?: Parameters<typeof mapToolCallIds>[1]): string[] =>
  toolCallIds(mapToolCallIds([calling(...ids)], rule))

test('an exact length is kept where ids fall together too, longer or shorter than what tells them apart', () => {
  for (const length of [3, 9, 20, 40]) {
    const ids = mapped(['a:', 'a/', 'a;', 'a'.repeat(50), `${'a'.repeat(50)}b`, ''], { length })
    expect(ids.map((id) => id.length)).toEqual(ids.map(() => length))
    expect(new Set(ids).size).toBe(6)
  }
})

test('a short id is filled up with zeros; one of the right length stays', () => {
  expect(mapped(['ab', 'abcdefghi', 'x:'], { length: 9 })).toEqual([
    'ab0000000',
    'abcdefghi',
    'x_0000000',
  ])
})

test('what has to change keeps what it can', () => {
  expect(mapped(['call:1'])).toEqual(['call_1'])
  expect(mapped([''])).toEqual(['call'])
  expect(mapped(['::'], { forbidden: /[^a-z]/g })).toEqual(['call'])
  const [first = '', second = ''] = mapped(['call:1', 'call/1'])
  expect(first).toBe('call_1')
  expect(second).toMatch(/^call_1[0-9a-z]{9}$/)
  const [long = ''] = mapped([`start-${'x'.repeat(60)}`], { maxLength: 20 })
  expect(long).toMatch(/^start-xxxxx[0-9a-z]{9}$/)
})

test('ids of 64 characters fit, of 65 do not', () => {
  const [fits, long = ''] = mapped(['x'.repeat(64), 'y'.repeat(65)])
  expect(fits).toBe('x'.repeat(64))
  expect(long).toMatch(/^y{55}[0-9a-z]{9}$/)
})

test('an id that just fits is not taken by one that has to be changed', () => {
  const long = 'x'.repeat(63)
  expect(mapped([`${long}:`, `${long}_`])[1]).toBe(`${long}_`)
  expect(mapped(['call:', 'call_'], { length: 5 })[1]).toBe('call_')
  expect(mapped([':', '_'])[1]).toBe('_')
})

test('different ids stay different where there is hardly room for them', () => {
  const ids = mapped(
    Array.from({ length: 12 }, (_, index) => `call-${index}`),
    { maxLength: 1 },
  )
  expect(new Set(ids).size).toBe(12)
  for (const id of ids) expect(id).toMatch(/^[0-9a-z]$/)
})

test('what has no calls is left as it is, and the given messages are not changed', () => {
  const messages: ChatMessage[] = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: 'x' },
    calling(),
    calling('a:1'),
    { role: 'tool', toolCallId: 'a:1', toolName: 'f', content: 'r' },
  ]
  const copy = structuredClone(messages)
  const found = mapToolCallIds(messages)
  expect(messages).toEqual(copy)
  expect([found[0], found[1], found[2]]).toEqual(messages.slice(0, 3))
  expect(found[2]).toBe(messages[2])
  expect(found[4]).toEqual({ role: 'tool', toolCallId: 'a_1', toolName: 'f', content: 'r' })
})

test('messages whose ids all fit are returned as they are', () => {
  const messages: ChatMessage[] = [
    calling('a1'),
    { role: 'tool', toolCallId: 'a1', toolName: 'f', content: 'r' },
  ]
  expect(mapToolCallIds(messages)).toBe(messages)
})
