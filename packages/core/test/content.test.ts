import {
  type ChatMessage,
  fromJson,
  fromWireMessage,
  isLlmError,
  isProvider,
  textOf,
  toImagePart,
  toJson,
  toMediaSource,
  toToolMessage,
  toWireMessage,
} from '@modelport/core'
import { describe, expect, test } from 'vitest'

describe('content', () => {
  test('bytes, data URIs and addresses become media sources', () => {
    expect(toMediaSource(new Uint8Array([1, 2, 255]), 'image/png')).toEqual({
      type: 'base64',
      data: 'AQL/',
      mediaType: 'image/png',
    })
    expect(toMediaSource('data:image/png;base64,AQL/')).toEqual({
      type: 'base64',
      data: 'AQL/',
      mediaType: 'image/png',
    })
    expect(toMediaSource('data:image/svg+xml;charset=utf-8;base64,AQL/')).toMatchObject({
      mediaType: 'image/svg+xml',
    })
    expect(toMediaSource('https://x.example/a.png')).toEqual({
      type: 'url',
      url: 'https://x.example/a.png',
    })
    expect(toImagePart('HTTPS://x.example/a', 'image/webp')).toEqual({
      type: 'image',
      source: { type: 'url', url: 'HTTPS://x.example/a', mediaType: 'image/webp' },
    })
  })

  test('large bytes are encoded whole', () => {
    const bytes = new Uint8Array(100_000).map((_, index) => index % 251)
    const source = toMediaSource(bytes, 'audio/wav')
    expect(source.type === 'base64' && Buffer.from(source.data, 'base64').equals(bytes)).toBe(true)
  })

  test.each(['/etc/passwd', 'data:text/plain,hi', 'data:;base64,AA==', '', 'file:///a.png'])(
    '%j is refused',
    (input) => {
      expect(() => toMediaSource(input)).toThrow(TypeError)
    },
  )

  test('bytes without a media type are refused', () => {
    expect(() => toMediaSource(new Uint8Array(1))).toThrow('need a media type')
  })

  test('textOf joins text parts with nothing between', () => {
    expect(textOf('a')).toBe('a')
    expect(
      textOf([
        { type: 'text', text: 'a' },
        toImagePart('https://x.example/'),
        { type: 'text', text: 'b' },
      ]),
    ).toBe('ab')
  })
})

describe('stored forms', () => {
  const call = { id: 'c1', name: 'add', arguments: { a: 1 }, argumentsText: '{"a":1}' }
  const messages: ChatMessage[] = [
    { role: 'system', content: 's' },
    { role: 'user', content: 'u \ud800 lone' },
    { role: 'assistant', content: 'a', toolCalls: [call] },
    { role: 'tool', toolCallId: 'c1', content: 'r', isError: true },
  ]

  test('a conversation survives JSON, lone surrogates included', () => {
    expect(fromJson(JSON.parse(JSON.stringify(toJson(messages))))).toEqual(messages)
  })

  test.each([
    undefined,
    null,
    1,
    'x',
    {},
    { version: 2, messages: [] },
    { version: 1 },
    { version: 1, messages: [{ role: 'lc' }] },
    { version: 1, messages: [null] },
    { version: 1, messages: ['user'] },
  ])('%j is refused', (stored) => {
    let caught: unknown
    try {
      fromJson(stored)
    } catch (error) {
      caught = error
    }
    expect(isLlmError(caught, 'invalid-request')).toBe(true)
  })

  test('the snake_case form keeps calls, call ids and error marks', () => {
    expect(messages.map(toWireMessage)).toEqual([
      { role: 'system', content: 's' },
      { role: 'user', content: 'u \ud800 lone' },
      {
        role: 'assistant',
        content: 'a',
        tool_calls: [{ id: 'c1', name: 'add', arguments: { a: 1 } }],
      },
      { role: 'tool', content: 'r', tool_call_id: 'c1', is_error: true },
    ])
    expect(messages.map(toWireMessage).map(fromWireMessage)).toEqual(messages)
  })

  test('a result becomes a tool message', () => {
    expect(toToolMessage({ callId: 'c', content: 'x' })).toEqual({
      role: 'tool',
      toolCallId: 'c',
      content: 'x',
    })
    expect(toToolMessage({ callId: 'c', content: 'x', isError: true }, 'add')).toEqual({
      role: 'tool',
      toolCallId: 'c',
      toolName: 'add',
      content: 'x',
      isError: true,
    })
  })
})

describe('isProvider', () => {
  const names = [
    'complete',
    'completeWithHistory',
    'generate',
    'stream',
    'streamWithHistory',
    'streamWithTools',
    'estimateTokens',
  ]
  const whole = {
    name: 'p',
    model: 'm',
    cheapestModel: 'c',
    ...Object.fromEntries(names.map((name) => [name, () => undefined])),
  }
  test('isProvider looks at every member', () => {
    expect(isProvider(whole)).toBe(true)
    for (const key of Object.keys(whole))
      expect(isProvider({ ...whole, [key]: 1 }), key).toBe(false)
    expect(isProvider(null)).toBe(false)
    expect(isProvider('p')).toBe(false)
  })
})
