import {
  type ChatMessage,
  fromJson,
  fromWireMessage,
  isLlmError,
  isProvider,
  isRetryable,
  LlmError,
  ProviderError,
  parseBaseUrl,
  toMediaSource,
  toToolMessage,
  toUsage,
  toWireMessage,
  zeroCounts,
} from '@modelport/core'
import { describe, expect, test } from 'vitest'

/** What an error tells: its code and every word of it. */
function told(action: () => unknown): string {
  try {
    action()
  } catch (error) {
    if (isLlmError(error)) return `${error.code}: ${error.message}`
    throw error
  }
  return 'nothing is wrong'
}

test.each([
  ['https://ho\tst', 'it has a control character'],
  ['host', 'write it like https://host.example/v1'],
  ['ws://host', 'the scheme is ws: instead of https: or http:; write http://host:port'],
  ['https://user@host', 'it has user information; pass a key as apiKey'],
  ['https://:pw@host', 'it has user information; pass a key as apiKey'],
  ['http://host:0', 'its host or its port is not valid'],
])('the base URL %j: %s', (text, why) => {
  expect(told(() => parseBaseUrl(text))).toBe(`invalid-base-url: invalid base URL: ${why}`)
})

test('parseBaseUrl strips any number of spaces around a base URL', () => {
  expect(parseBaseUrl('   https://host/a b   ').href).toBe('https://host/a%20b')
})

describe('stored conversations', () => {
  test('stored conversations say what is wrong with them', () => {
    expect(told(() => fromJson({ version: 2, messages: [] }))).toBe(
      'invalid-request: stored conversation: expected version 1, found 2',
    )
    expect(told(() => fromJson(null))).toBe(
      'invalid-request: stored conversation: expected version 1, found undefined',
    )
    expect(told(() => fromJson({ version: 1, messages: [{ role: 'user' }, { role: 'lc' }] }))).toBe(
      'invalid-request: stored conversation: messages[1] has no known role',
    )
  })

  test('calls are read from assistant messages only, and only if there are any', () => {
    const calls = [{ id: 'a', name: 'f', arguments: {}, argumentsText: '{}' }]
    const messages: ChatMessage[] = [
      { role: 'assistant', content: 'a' },
      { role: 'assistant', content: 'b', toolCalls: [] },
      { role: 'user', content: 'c', toolCalls: calls } as ChatMessage,
    ]
    const wire = [
      { role: 'assistant', content: 'a' },
      { role: 'assistant', content: 'b' },
      { role: 'user', content: 'c' },
    ] as const
    expect(messages.map(toWireMessage)).toEqual(wire)
    expect(
      [wire[0], { ...wire[1], tool_calls: [] }, { ...wire[2], tool_calls: calls }].map(
        fromWireMessage,
      ),
    ).toEqual(wire)
  })

  test('a result without the id of its call has an empty one', () => {
    expect(fromWireMessage({ role: 'tool', content: 'x' })).toEqual({
      role: 'tool',
      content: 'x',
      toolCallId: '',
    })
  })

  test('a result whose tool is not known names none', () => {
    expect(toToolMessage({ callId: 'c', content: 'x' })).not.toHaveProperty('toolName')
  })
})

describe('media', () => {
  const refused = 'expected bytes, a base64 "data:" URI or an http(s) address'

  test.each([
    'see https://x.example/',
    'my data:image/png;base64,AA==',
    'data:image/png;base64url,AA==',
    'data:image/png,AA==',
    'data:image/png;base64',
  ])('%j is neither an address nor data', (input) => {
    expect(() => toMediaSource(input)).toThrow(new TypeError(refused))
  })

  test('media may have an address of http', () => {
    expect(toMediaSource('http://x.example/a')).toEqual({ type: 'url', url: 'http://x.example/a' })
  })
})

describe('errors', () => {
  test('a message of 2048 characters is whole', () => {
    expect(new LlmError('config', 'x'.repeat(2048)).message).toBe('x'.repeat(2048))
    expect(new LlmError('config', 'x'.repeat(2049)).message).toBe(`${'x'.repeat(2045)}...`)
  })

  test('a proxy that refuses will refuse again', () => {
    expect(isRetryable(new ProviderError('network', '', { provider: 'p', reason: 'proxy' }))).toBe(
      false,
    )
  })

  test('the brand of an error is not shown', () => {
    expect(Object.getOwnPropertySymbols(Object.assign({}, new LlmError('config', 'x')))).toEqual([])
  })
})

test('isProvider rejects undefined, null and functions', () => {
  for (const value of [undefined, null, 7, () => undefined]) expect(isProvider(value)).toBe(false)
})

test('a usage of turns is reported unless it says otherwise', () => {
  expect([
    toUsage([zeroCounts]).reported,
    toUsage([zeroCounts], 0, false).reported,
    toUsage([]).reported,
  ]).toEqual([true, false, false])
})
