import type { AssistantMessage, ChatMessage, ToolMessage } from '@modelport/core'
import { mapToolCallIds } from '@modelport/driver'
import { describe, expect, test } from 'vitest'
import { normalizeHistory, toolCallIds } from '../src/turn/history.js'
import { sanitizeToolCallId } from '../src/turn/tool-call-ids.js'

const user: ChatMessage = { role: 'user', content: 'Hi' }
const calling = (...ids: string[]): AssistantMessage => ({
  role: 'assistant',
  content: '',
  toolCalls: ids.map((id) => ({ id, name: `tool_${id}`, arguments: {}, argumentsText: '{}' })),
})
const result = (toolCallId: string, more: Partial<ToolMessage> = {}): ToolMessage => ({
  role: 'tool',
  toolCallId,
  content: `result of ${toolCallId}`,
  ...more,
})

describe('a history', () => {
  test('the system option stands first, system messages stay where they are', () => {
    const messages: ChatMessage[] = [user, { role: 'system', content: 'later' }]
    expect(normalizeHistory(messages, 'first')).toEqual([
      { role: 'system', content: 'first' },
      ...messages,
    ])
    expect(normalizeHistory(messages, '')[0]).toEqual({ role: 'system', content: '' })
    expect(normalizeHistory(messages, undefined)).toEqual(messages)
  })

  test('a history refuses a system option that is not text', () => {
    expect(() => normalizeHistory([user], 5 as never)).toThrow('system must be text, not number')
  })

  test('results come in call order, with the names of their tools', () => {
    const normal = normalizeHistory(
      [
        user,
        calling('a', 'b'),
        result('b', { isError: true }),
        result('a'),
        user,
        calling('c'),
        result('c', { toolName: 'other' }),
      ],
      undefined,
    )
    expect(
      normal.map((message) =>
        message.role === 'tool' ? [message.toolCallId, message.toolName] : message.role,
      ),
    ).toEqual([
      'user',
      'assistant',
      ['a', 'tool_a'],
      ['b', 'tool_b'],
      'user',
      'assistant',
      ['c', 'tool_c'],
    ])
    expect(normal[3]).toMatchObject({ isError: true })
  })

  test('the given messages are not changed', () => {
    const messages = [user, calling('a', 'b'), result('b'), result('a')]
    const copy = structuredClone(messages)
    normalizeHistory(messages, 'x')
    expect(messages).toEqual(copy)
  })

  test.each<[string, ChatMessage[]]>([
    ['empty', []],
    ['a call without a result', [user, calling('a')]],
    ['one of two calls without a result', [user, calling('a', 'b'), result('a'), user]],
    ['a result without a call', [user, result('a')]],
    ['a result of another turn', [user, calling('a'), result('a'), user, result('a')]],
    ['a result after another message', [user, calling('a'), user, result('a')]],
    ['two results of one call', [user, calling('a'), result('a'), result('a')]],
    ['an unknown role', [{ role: 'developer', content: 'x' } as unknown as ChatMessage]],
  ])('%s is refused', (_, messages) => {
    expect(() => normalizeHistory(messages, 'system')).toThrow(
      expect.objectContaining({ code: 'invalid-request' }),
    )
  })

  test('a history lists the ids of all its calls', () => {
    expect(toolCallIds([user, calling('a', 'b'), result('a'), calling('c')])).toEqual([
      'a',
      'b',
      'c',
    ])
  })
})

describe('ids that an API accepts', () => {
  const mapped = (
    ids: readonly string[],
    rule?: Parameters<typeof mapToolCallIds>[1],
  ): string[] => {
    const messages = mapToolCallIds([calling(...ids), ...ids.map((id) => result(id))], rule)
    const calls = toolCallIds(messages)
    expect(
      messages.flatMap((message) => (message.role === 'tool' ? [message.toolCallId] : [])),
    ).toEqual(calls)
    expect(new Set(calls).size).toBe(new Set(ids).size)
    return calls
  }

  test('an id that fits stays as it is', () => {
    expect(mapped(['call_1', 'toolu_01AbC-9', 'x'.repeat(64)])).toEqual([
      'call_1',
      'toolu_01AbC-9',
      'x'.repeat(64),
    ])
  })

  test('different ids stay different, the same id stays the same', () => {
    const ids = [
      'call:1',
      'call_1',
      'call/1',
      'ł',
      'ó',
      '',
      `${'x'.repeat(80)}1`,
      `${'x'.repeat(80)}2`,
    ]
    for (const rule of [{}, { maxLength: 40 }, { maxLength: 12 }]) {
      for (const id of mapped(ids, rule))
        expect(id).toMatch(new RegExp(`^[\\w-]{1,${rule.maxLength ?? 64}}$`))
    }
    expect(mapped(ids)).toEqual(mapped(ids))
  })

  test('an exact length is kept', () => {
    for (const id of mapped(['a', 'call_123456789', 'abcdefghi', 'call:1', 'call_1'], {
      length: 9,
      forbidden: /[^a-zA-Z0-9]/g,
    }))
      expect(id).toMatch(/^\w{9}$/)
  })

  test('ten thousand ids of one start stay different in nine characters', () => {
    const ids = Array.from(
      { length: 10_000 },
      (_, index) => `chatcmpl-tool-${'0'.repeat(40)}${index}`,
    )
    expect(new Set(mapped(ids, { length: 9 })).size).toBe(10_000)
  })

  test('an id that fits is not taken by one that came before and has to be changed', () => {
    expect(mapped(['call:1', 'call_1'])[1]).toBe('call_1')
  })

  test('forbidden characters of an id are replaced', () => {
    expect(sanitizeToolCallId('a:b/ł🚀')).toBe('a_b____')
    expect(sanitizeToolCallId('a:b', /:/g)).toBe('a_b')
    expect(sanitizeToolCallId('call_0:x', /[^a-zA-Z0-9]/g)).toBe('call0x')
  })
})
