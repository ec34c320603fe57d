import type { ChatMessage, StreamEvent, ToolStreamReader } from '@modelport/core'
import { describe, expect, test } from 'vitest'
import { play, type Step } from './scripted-driver.js'

const question: readonly ChatMessage[] = [{ role: 'user', content: 'Hi' }]
const call = (id: string, key = 0): Step => [
  'toolCall',
  key,
  { id, name: `tool_${id}`, text: '{}' },
]
const stop: Step = ['finish', 'stop']
const pause: Step = ['finish', 'pause']
const image = {
  type: 'image' as const,
  source: { type: 'url' as const, url: 'https://x.example/a.png' },
}

/** Reads up to the end of the turn. */
async function toTurnEnd(reader: ToolStreamReader): Promise<StreamEvent[]> {
  const events: StreamEvent[] = []
  for (let result = await reader.next(); !result.done; result = await reader.next()) {
    events.push(result.value)
    if (result.value.type === 'turn-end') break
  }
  return events
}

async function rest(reader: ToolStreamReader): Promise<StreamEvent[]> {
  const events: StreamEvent[] = []
  for await (const event of reader) events.push(event)
  return events
}

const told = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'nothing is wrong',
    (error: unknown) => String(error),
  )

describe('results', () => {
  const start = async () => {
    const played = play([
      [['text', 'a'], ['usage', { inputTokens: 1 }], call('x'), call('y', 1), stop],
      [['text', 'b'], ['usage', { inputTokens: 2 }], stop],
    ])
    const reader = await played.provider.streamWithTools(question, [])
    return { ...played, reader }
  }

  test('results are sent in the order of the calls, in whatever order they come', async () => {
    const { reader, turns } = await start()
    await toTurnEnd(reader)
    expect(reader.fullText()).toBe('a')
    await reader.sendToolResults([{ callId: 'y', content: '2' }])
    await reader.sendToolResults([{ callId: 'x', content: '1', isError: true }])
    const results = [
      { role: 'tool', toolCallId: 'x', toolName: 'tool_x', content: '1', isError: true },
      { role: 'tool', toolCallId: 'y', toolName: 'tool_y', content: '2' },
    ]
    expect(reader.messages().slice(2)).toEqual(results)
    expect(turns).toHaveLength(1)
    const events = await rest(reader)
    expect(events.map(({ type }) => type)).toEqual(['text-delta', 'turn-end', 'done'])
    expect(turns[1]?.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'tool',
    ])
    expect(turns[1]?.messages.slice(2)).toEqual(results)
    expect(reader.messages().map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'tool',
      'assistant',
    ])
    expect(reader.fullText()).toBe('ab')
    expect(events[1]).toMatchObject({
      reason: 'stop',
      usage: { inputTokens: 2, turns: [{ inputTokens: 2 }] },
    })
    expect(events[2]).toMatchObject({
      reason: 'stop',
      usage: { inputTokens: 3, turns: [{ inputTokens: 1 }, { inputTokens: 2 }], reported: true },
    })
    expect(reader.usage()).toMatchObject({ inputTokens: 3 })
  })

  test('results that fit no call are refused, all of them', async () => {
    const { reader } = await start()
    expect(await told(reader.sendToolResults([{ callId: 'x', content: '' }]))).toBe(
      'TypeError: sendToolResults: no tool call is open',
    )
    await toTurnEnd(reader)
    const refused = (...ids: string[]) =>
      told(reader.sendToolResults(ids.map((callId) => ({ callId, content: '' }))))
    expect(await refused('x', 'z')).toBe(
      'LlmError: sendToolResults: "z" is not a tool call of this turn; awaiting results for: x, y',
    )
    expect(await refused('x', 'x')).toBe(
      'LlmError: sendToolResults: "x" already has its result; awaiting results for: x, y',
    )
    expect(reader.messages()).toHaveLength(2)
    await reader.sendToolResults([{ callId: 'x', content: '' }])
    expect(await refused('x')).toBe(
      'LlmError: sendToolResults: "x" already has its result; awaiting results for: y',
    )
    expect(await refused('y', 'x')).toBe(
      'LlmError: sendToolResults: "x" already has its result; awaiting results for: y',
    )
    await reader.sendToolResults([{ callId: 'y', content: '' }])
    expect(await refused('x')).toBe(
      'LlmError: sendToolResults: "x" already has its result; awaiting results for: none',
    )
  })

  test('results that are missing stop the read, not the stream', async () => {
    const { reader } = await start()
    await toTurnEnd(reader)
    await reader.sendToolResults([{ callId: 'y', content: '' }])
    await expect(reader.next()).rejects.toMatchObject({
      code: 'invalid-request',
      message: 'tool calls without a result: x; send one for each before reading on',
    })
    await reader.sendToolResults([{ callId: 'x', content: '' }])
    expect((await rest(reader)).at(-1)).toMatchObject({ type: 'done' })
  })

  test('results that are missing are all named', async () => {
    const reader = await play([
      [call('x'), call('y', 1), call('z', 2), stop],
    ]).provider.streamWithTools(question, [])
    await toTurnEnd(reader)
    await reader.sendToolResults([{ callId: 'y', content: '' }])
    expect(await told(reader.next())).toBe(
      'LlmError: tool calls without a result: x, z; send one for each before reading on',
    )
  })

  test('after the end no result is accepted', async () => {
    const { reader } = await start()
    await toTurnEnd(reader)
    expect((await rest(reader)).map(({ type }) => type)).toEqual(['done'])
    expect(await told(reader.sendToolResults([{ callId: 'x', content: '' }]))).toBe(
      'TypeError: sendToolResults: the stream has ended',
    )
    const { reader: closed } = await start()
    await toTurnEnd(closed)
    await closed.close()
    expect(await told(closed.sendToolResults([{ callId: 'x', content: '' }]))).toBe(
      'TypeError: sendToolResults: the stream has ended',
    )
    const { reader: done } = await start()
    await toTurnEnd(done)
    expect((await done.next()).value).toMatchObject({ type: 'done' })
    expect(await told(done.sendToolResults([{ callId: 'x', content: '' }]))).toBe(
      'TypeError: sendToolResults: the stream has ended',
    )
  })
})

describe('what a stream tells on its way', () => {
  test('a stream reports text and counts of the turn being read', async () => {
    const { provider } = play([[['text', 'a'], ['usage', { inputTokens: 4 }], ['text', 'b'], stop]])
    const reader = await provider.streamWithTools(question, [{ name: 'f', description: 'a tool' }])
    expect([reader.fullText(), reader.usage().reported, reader.usage().turns]).toEqual([
      '',
      false,
      [],
    ])
    await reader.next()
    expect([reader.fullText(), reader.usage().reported]).toEqual(['a', false])
    await reader.next()
    expect(reader.fullText()).toBe('ab')
    expect(reader.usage()).toMatchObject({
      inputTokens: 4,
      reported: true,
      turns: [{ inputTokens: 4 }],
    })
    expect(reader.usage().toolDefinitionTokens).toBeGreaterThan(5)
    expect(reader.messages()).toEqual(question)
    await rest(reader)
    expect([reader.fullText(), reader.usage().inputTokens]).toEqual(['ab', 4])
  })

  test('a text stream reports its finish reason', async () => {
    const reader = await play([
      [
        ['text', 'a'],
        ['reasoning', 'b'],
        ['finish', 'length'],
      ],
    ]).provider.stream('Hi')
    expect(reader.finishReason()).toBeUndefined()
    const texts: string[] = []
    for await (const text of reader) texts.push(text)
    expect([texts, reader.finishReason(), reader.fullText()]).toEqual([['a'], 'length', 'a'])
    expect(reader.usage()).toMatchObject({ toolDefinitionTokens: 0, reported: false })
  })

  test('a stream reports the details of all turns, as generate returns them', async () => {
    const turn = (name: string): Step[] => [
      ['citation', { url: `https://${name}.example` }],
      ['providerToolCall', { name, data: 1 }],
      ['logprobs', [{ token: name, logprob: -1 }]],
      ['warning', name],
    ]
    const answers: Step[][] = [
      [...turn('a'), call('x'), ['finish', 'tool-calls', 'calls']],
      [['text', 'b'], ...turn('b'), ['finish', 'stop', 'end']],
    ]
    const reader = await play(answers).provider.streamWithTools(question, [])
    expect(reader.details()).toEqual({})
    await toTurnEnd(reader)
    const details = (...names: string[]) => ({
      citations: names.map((name) => ({ url: `https://${name}.example` })),
      providerToolCalls: names.map((name) => ({ name, data: 1 })),
      logprobs: names.map((name) => ({ token: name, logprob: -1 })),
      warnings: names,
    })
    expect(reader.details()).toEqual({ ...details('a'), rawFinishReason: 'calls' })
    await reader.sendToolResults([{ callId: 'x', content: '1' }])
    await reader.next()
    expect(reader.details()).toEqual(details('a'))
    await rest(reader)
    expect(reader.details()).toEqual({ ...details('a', 'b'), rawFinishReason: 'end' })
    const { provider } = play([answers[1]!])
    const text = await provider.stream('Hi')
    for await (const _ of text);
    expect(text.details()).toEqual({ ...details('b'), rawFinishReason: 'end' })
    expect(await provider.generate(question)).toMatchObject(text.details())
  })

  test('tools that change hold from the next turn on', async () => {
    const { provider, turns } = play([
      [call('x'), stop],
      [['text', 'b'], stop],
    ])
    const reader = await provider.streamWithTools(question, [{ name: 'f', description: 'a' }])
    await toTurnEnd(reader)
    const before = reader.usage().toolDefinitionTokens
    expect(() => reader.setTools([{ name: 'a b', description: '' }])).toThrow('tool name "a b"')
    reader.setTools([
      { name: 'g', description: 'a much longer description than the other one has' },
    ])
    await reader.sendToolResults([{ callId: 'x', content: '' }])
    await rest(reader)
    expect(turns.map(({ tools }) => tools.map(({ name }) => name))).toEqual([['f'], ['g']])
    expect(reader.usage().toolDefinitionTokens).toBeGreaterThan(before)
    reader.setTools([])
    expect(reader.usage().toolDefinitionTokens).toBeGreaterThan(before)
  })

  test('a stream reports that its tools cannot be written as JSON, even if the driver accepts them', async () => {
    const reader = await play([[['text', 'a'], stop]]).provider.streamWithTools(question, [
      { name: 'f', description: '', parameters: { most: 1n } },
    ])
    expect((await reader.next()).value).toEqual({ type: 'text-delta', text: 'a' })
    await expect(reader.next()).rejects.toThrow('BigInt')
    await expect(reader.next()).rejects.toThrow('BigInt')
  })

  test('each turn has a key of its own', async () => {
    const { provider, ios } = play([
      [call('x'), stop],
      [['text', 'b'], stop],
    ])
    const reader = await provider.streamWithTools(question, [])
    await toTurnEnd(reader)
    await reader.sendToolResults([{ callId: 'x', content: '' }])
    await rest(reader)
    const [first, second] = ios.map(({ idempotencyKey }) => idempotencyKey)
    expect(first).toMatch(/^modelport-[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/)
    expect(second).toMatch(/^modelport-[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/)
    expect(second).not.toBe(first)
  })
})

describe('a turn that the vendor pauses', () => {
  test('a turn that the vendor pauses continues by itself, and is one message', async () => {
    const { provider, turns } = play([
      [
        ['reasoning', 'h'],
        ['text', 'a'],
        ['state', [1]],
        ['usage', { outputTokens: 1 }],
        ['warning', 'v'],
        pause,
      ],
      [
        ['reasoning', 'm'],
        ['text', 'b'],
        ['state', [2]],
        ['usage', { outputTokens: 2 }],
        ['warning', 'w'],
        ['model', 'm-2'],
        ['finish', 'stop', 'end'],
      ],
    ])
    const found = await provider.generate(question)
    expect(found).toMatchObject({
      text: 'ab',
      reasoning: 'hm',
      finishReason: 'stop',
      rawFinishReason: 'end',
      warnings: ['v', 'w'],
      usage: { outputTokens: 3 },
    })
    expect(found.message).toEqual({
      role: 'assistant',
      content: 'ab',
      reasoning: 'hm',
      origin: { provider: 'p', model: 'm-2', state: [1, 2] },
    })
    expect(turns[1]?.messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: 'a', origin: { state: [1] } },
    ])
  })

  test('a turn that the vendor pauses keeps parts in their order, and no half of a state', async () => {
    const joined = async (first: readonly Step[], second: readonly Step[]) =>
      (
        await play([
          [...first, pause],
          [...second, stop],
        ]).provider.generate(question)
      ).message
    expect(
      (
        await joined(
          [['text', 'a']],
          [
            ['text', 'b'],
            ['part', image],
          ],
        )
      ).content,
    ).toEqual([{ type: 'text', text: 'a' }, { type: 'text', text: 'b' }, image])
    expect((await joined([['part', image]], [['text', 'b']])).content).toEqual([
      image,
      { type: 'text', text: 'b' },
    ])
    expect((await joined([['part', image]], [['state', 1]])).content).toEqual([image])
    expect(
      await joined(
        [
          ['text', 'a'],
          ['state', [1]],
        ],
        [['text', 'b']],
      ),
    ).toEqual({ role: 'assistant', content: 'ab', origin: { provider: 'p', model: 'm' } })
    expect(
      await joined(
        [['text', 'a']],
        [
          ['text', 'b'],
          ['state', [1]],
        ],
      ),
    ).toEqual({ role: 'assistant', content: 'ab', origin: { provider: 'p', model: 'm' } })
    expect(await joined([['text', 'a']], [['reasoning', 'b']])).toEqual({
      role: 'assistant',
      content: 'a',
      reasoning: 'b',
      origin: { provider: 'p', model: 'm' },
    })
  })

  test('a turn that the vendor pauses again and again continues ten times at most', async () => {
    const { provider, turns } = play([[['text', 'a'], pause]])
    expect(await provider.generate(question)).toMatchObject({
      text: 'a'.repeat(11),
      finishReason: 'pause',
      message: { content: 'a'.repeat(11) },
    })
    expect(turns).toHaveLength(11)
  })

  test('a turn that the vendor pauses waits for the results of its calls, and may pause as often again after them', async () => {
    const { provider, turns } = play([
      [['text', 'a'], call('x'), pause],
      [['text', 'b'], pause],
      [['text', 'c'], stop],
    ])
    const reader = await provider.streamWithTools(question, [])
    await toTurnEnd(reader)
    await reader.sendToolResults([{ callId: 'x', content: '' }])
    expect(
      (await rest(reader)).flatMap((event) => ('reason' in event ? [event.reason] : [])),
    ).toEqual(['pause', 'stop', 'stop'])
    expect(turns).toHaveLength(3)
    expect(reader.messages().map(({ role, content }) => [role, content])).toEqual([
      ['user', 'Hi'],
      ['assistant', 'a'],
      ['tool', ''],
      ['assistant', 'bc'],
    ])
  })

  test('text before the question is not joined to the reply', async () => {
    const history: ChatMessage[] = [...question, { role: 'assistant', content: 'before' }]
    const reader = await play([[['text', 'a'], stop]]).provider.streamWithTools(history, [])
    await rest(reader)
    expect(reader.messages().map(({ content }) => content)).toEqual(['Hi', 'before', 'a'])
  })
})
