import { type ChatMessage, isLlmError, type ToolCall } from '@modelport/core'
import { tryParseJson } from '@modelport/core/text'
import { checkApiKey, parseJson } from '@modelport/driver'
import { describe, expect, test } from 'vitest'
import { defaultLimits } from '../src/base/limits.js'
import { createFramer, type FramerChoice } from '../src/framing/framing.js'
import { normalizeHistory } from '../src/turn/history.js'
import { parseToolArguments } from '../src/turn/tool-arguments.js'
import { ToolCallBuffer } from '../src/turn/tool-call-buffer.js'

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

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

describe('a body that cannot be read', () => {
  const framed = (choice: Partial<FramerChoice>, ...chunks: readonly Uint8Array[]) =>
    told(() => {
      const framer = createFramer(
        { framing: 'sse', stream: true, contentType: '', maxEventBytes: 10, ...choice },
        () => undefined,
      )
      for (const chunk of chunks) framer.push(chunk)
      framer.end()
    })

  test('a line and an event that are too long say so', () => {
    expect(framed({}, bytes('x'.repeat(11)))).toBe(
      'limit-exceeded: a line of the stream is longer than 10 bytes',
    )
    expect(framed({}, bytes('data:abcd\ndata:efghi\n'))).toBe('nothing is wrong')
    expect(framed({}, bytes('data:abcd\ndata:efghij\n'))).toBe(
      'limit-exceeded: an event of the stream is longer than 10 bytes',
    )
  })

  test('bytes that are not text say so', () => {
    expect(framed({}, Uint8Array.of(0xff, 10))).toBe('protocol: the body is not valid UTF-8')
    expect(framed({ stream: false }, Uint8Array.of(0xff))).toBe(
      'protocol: the body is not valid UTF-8',
    )
  })

  test('a web page is named as one', () => {
    expect(framed({ contentType: 'text/html' })).toBe(
      'protocol: the server returned a web page; check the base URL and any proxy in between',
    )
  })
})

test('nothing is cut before its end', () => {
  for (const framing of ['sse', 'ndjson'] as const)
    expect(
      createFramer({ framing, stream: true, contentType: '', maxEventBytes: 10 }, () => undefined)
        .cut,
    ).toBe(false)
})

test('an error shows the first 100 characters of text that is not JSON', () => {
  expect(told(() => parseJson('{"a":'))).toBe('protocol: not JSON: "{\\"a\\":"')
  expect(told(() => parseJson('x'.repeat(101)))).toBe(`protocol: not JSON: "${'x'.repeat(100)}"`)
  expect([parseJson('{"a":1}'), tryParseJson('[1]'), tryParseJson('oops')]).toEqual([
    { a: 1 },
    [1],
    undefined,
  ])
})

test('checkApiKey reports an invalid character by its position', () => {
  const why = 'a key is visible ASCII without spaces'
  expect(told(() => checkApiKey('ö-0123', 'p'))).toBe(
    `config: p: the API key has an invalid character at position 0: ${why}`,
  )
  expect(told(() => checkApiKey('sk 123', 'p'))).toBe(
    `config: p: the API key has an invalid character at position 2: ${why}`,
  )
})

describe('tool arguments', () => {
  const parsed = (text: string) => parseToolArguments(text, defaultLimits).error

  test('tool arguments say what they are instead of an object, at most 200 characters of it', () => {
    expect(parsed('{"a"')).toBe('the arguments are not valid JSON: {"a"')
    expect(parsed('[]')).toBe('the arguments are not a JSON object: []')
    expect(parsed('"x"')).toBe('the arguments are not a JSON object: "x"')
    expect(parsed('null')).toBe('the arguments are not a JSON object: null')
    expect(parsed('x'.repeat(200))).toBe(`the arguments are not valid JSON: ${'x'.repeat(200)}`)
    expect(parsed('x'.repeat(201))).toBe(`the arguments are not valid JSON: ${'x'.repeat(200)}...`)
    expect(parsed('{"__proto__":1}')).toBe(
      'the arguments have a key "__proto__" or "constructor.prototype", which is refused',
    )
  })

  test('a lower limit of nesting holds for short texts too', () => {
    const limits = { ...defaultLimits, maxToolArgumentDepth: 3 }
    for (const fits of [
      '{"a":[[1]],"b":[{}]}',
      '{"a":[{},{},{},[]],"b":{},"c":{}}',
      '{"a":"[[[[","b":"{{{{"}',
      '{"a":"\\"[[[[","b":"\\\\"}',
    ]) {
      expect(parseToolArguments(fits, limits).error).toBeUndefined()
    }
    for (const deep of [
      '{"a":"}}}}","b":[[[1]]]}',
      '{"a":"\\"]]]]","b":[[[1]]]}',
      '{"a":"\\\\","b":[[[1]]]}',
    ]) {
      expect(told(() => parseToolArguments(deep, limits))).toBe(
        'limit-exceeded: tool arguments are nested deeper than 3',
      )
    }
    expect(told(() => parseToolArguments('{"a":[[[1]]]}', limits))).toBe(
      'limit-exceeded: tool arguments are nested deeper than 3',
    )
    expect(told(() => parseToolArguments('{"a":{"b":{"c":{}}}}', limits))).toBe(
      'limit-exceeded: tool arguments are nested deeper than 3',
    )
  })
})

describe('tool calls', () => {
  const collect = (limits = defaultLimits) => new ToolCallBuffer(() => undefined, limits, new Set())
  const limits = { ...defaultLimits, maxToolArgumentLength: 8 }

  test('arguments that are too long are named, as text, in pieces, and as an object', () => {
    const fits = collect(limits)
    fits.push(0, { id: 'a', name: 'f', text: '{"a"' })
    fits.push(0, { text: ':12}' })
    expect(told(() => fits.endAll())).toBe('nothing is wrong')
    expect(told(() => fits.push(1, { id: 'b', name: 'g', text: '{"a":123}' }))).toBe(
      'limit-exceeded: the arguments of "g" are longer than 8',
    )
    const object = collect(limits)
    object.push(0, { id: 'a', name: 'f', value: { a: 123 } })
    expect(told(() => object.endAll())).toBe(
      'limit-exceeded: the arguments of "f" are longer than 8',
    )
  })

  test('an object that is too deep to be written down is named', () => {
    let value: unknown = 1
    for (let depth = 0; depth < 100_000; depth++) value = { value }
    const calls = collect()
    calls.push(0, { id: 'a', name: 'f', value })
    // Some engines write it down all the same; it is then too deep to be read.
    expect(told(() => calls.endAll())).toMatch(
      /^limit-exceeded: (tool|the) arguments (of "f" )?are nested deeper than 128$/,
    )
  })

  test('a call without a name is named, and one that was not ended', () => {
    const calls = collect()
    calls.push(0, { id: 'a', name: 'f', text: '{}' })
    expect(calls.toolCalls()).toEqual([
      {
        id: 'a',
        name: 'f',
        arguments: {},
        argumentsText: '{}',
        error: 'the reply ended before the call did',
      },
    ])
    calls.push(1, { id: 'b', text: '{}' })
    expect(calls.toolCalls()).toHaveLength(1)
    expect(told(() => calls.endAll())).toBe('protocol: the server sent a tool call without a name')
  })
})

describe('a history', () => {
  const user: ChatMessage = { role: 'user', content: 'Hi' }
  const call = (id: string): ToolCall => ({ id, name: 'f', arguments: {}, argumentsText: '{}' })
  const asks = (...ids: string[]): ChatMessage => ({
    role: 'assistant',
    content: '',
    toolCalls: ids.map(call),
  })
  const result = (toolCallId: string): ChatMessage => ({ role: 'tool', toolCallId, content: '' })

  test.each<[string, ChatMessage[]]>([
    ['the conversation is empty: give at least one message', []],
    [
      'messages[1]: unknown role "developer"; for "developer" write "system"',
      [user, { role: 'developer', content: '' } as unknown as ChatMessage],
    ],
    ['messages[1]: no call with the id "a" is open', [user, result('a')]],
    ['messages[2]: no call with the id "b" is open', [user, asks('a'), result('b')]],
    [
      'messages[3]: no call with the id "a" is open',
      [user, asks('a', 'b'), result('a'), result('a')],
    ],
    [
      'messages[1]: tool calls without a result: a, c; add a tool message for each',
      [user, asks('a', 'b', 'c'), result('b'), user],
    ],
  ])('a wrong history is refused with its own message: %s', (message, messages) => {
    expect(told(() => normalizeHistory(messages, undefined))).toBe(`invalid-request: ${message}`)
  })

  test('an assistant without calls needs no results', () => {
    const messages: ChatMessage[] = [user, asks(), { role: 'assistant', content: 'x' }, user]
    expect(normalizeHistory(messages, undefined)).toEqual(messages)
  })
})
