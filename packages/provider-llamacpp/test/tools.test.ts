import type { StreamEvent, ToolCall } from '@modelport/core'
import { afterAll, describe, expect, test } from 'vitest'
import { local, tools, unavailable, user, withThinking } from './local-model.js'

describe.skipIf(unavailable !== undefined)('tools of a model in this process', () => {
  const provider = local()
  afterAll(() => provider.close())

  test('two parallel calls get their results, and the final reply is made from them', async () => {
    const reader = await provider.streamWithTools(
      [user('What is the weather in Paris and in Rome?')],
      tools,
    )
    const events: StreamEvent[] = []
    const calls: ToolCall[] = []
    for await (const event of reader) {
      events.push(event)
      if (event.type === 'tool-call-complete') calls.push(event.toolCall)
      if (event.type === 'turn-end' && event.reason === 'tool-calls') {
        await reader.sendToolResults(
          calls.map(({ id, arguments: { city } }) => ({
            callId: id,
            content: city === 'Paris' ? 'rainy, 7 degrees' : 'sunny, 31 degrees',
          })),
        )
      }
    }
    expect(calls).toEqual([
      {
        id: 'call_1',
        name: 'get_weather',
        arguments: { city: 'Paris' },
        argumentsText: '{"city": "Paris"}',
      },
      {
        id: 'call_2',
        name: 'get_weather',
        arguments: { city: 'Rome' },
        argumentsText: '{"city": "Rome"}',
      },
    ])
    expect(reader.fullText()).toMatch(/7 degrees|31 degrees/)
    expect(events.filter(({ type }) => type === 'turn-end')).toHaveLength(2)
    expect(reader.usage().turns).toHaveLength(2)
    // The second round's prompt begins with all of the first.
    expect(reader.usage().turns[1]?.cacheReadTokens).toBeGreaterThan(100)
    expect(events.filter(({ type }) => type === 'tool-call-delta').length).toBeGreaterThan(10)
  })

  test('marks never show as text', async () => {
    const { text, toolCalls } = await provider.generate([user('What is 12 plus 30?')], {
      tools: [...tools],
    })
    expect({ text, toolCalls: toolCalls.map(({ arguments: value }) => value) }).toEqual({
      text: '',
      toolCalls: [{ a: 12, b: 30 }],
    })
  })

  test('a model in this process thinks before it calls', async () => {
    const answer = await provider.generate([user('What is the weather in Paris?')], {
      tools: [...tools],
      ...withThinking,
    })
    expect(answer).toMatchObject({
      reasoning: 'I need the weather in Paris.',
      finishReason: 'tool-calls',
    })
  })

  test('setTools takes effect from the next turn', async () => {
    const reader = await provider.streamWithTools([user('What is 12 plus 30?')], tools)
    let before = 0
    for await (const event of reader) {
      if (event.type !== 'turn-end' || event.reason !== 'tool-calls') continue
      before = event.usage.inputTokens
      reader.setTools([])
      const call = reader
        .messages()
        .flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []))[0]
      await reader.sendToolResults([{ callId: call!.id, content: '42' }])
    }
    expect(reader.fullText()).toContain('42')
    const [, second] = reader.usage().turns
    expect(second!.inputTokens).toBeLessThan(before + 40)
  })

  test.each(['required', { name: 'add' }] as const)(
    'toolChoice %j is enforced by a grammar',
    async (toolChoice) => {
      const answer = await provider.generate([user('Tell me a story.')], {
        tools: [...tools],
        toolChoice,
      })
      expect(answer.finishReason).toBe('tool-calls')
      expect(answer.toolCalls.length).toBeGreaterThan(0)
      for (const call of answer.toolCalls) {
        expect(call.error).toBeUndefined()
        if (typeof toolChoice === 'object')
          expect(call).toMatchObject({
            name: 'add',
            arguments: { a: expect.any(Number), b: expect.any(Number) },
          })
      }
    },
  )

  test('toolChoice none calls nothing, parallelToolCalls false one at a time', async () => {
    const messages = [user('What is the weather in Paris and in Rome?')]
    expect(
      (await provider.generate(messages, { tools: [...tools], toolChoice: 'none' })).toolCalls,
    ).toEqual([])
    for (const toolChoice of ['auto', 'required'] as const) {
      const { toolCalls } = await provider.generate(messages, {
        tools: [...tools],
        toolChoice,
        parallelToolCalls: false,
      })
      expect(toolCalls).toHaveLength(1)
    }
  })

  test('the model sees that a tool failed', async () => {
    const call = {
      id: 'c',
      name: 'get_weather',
      arguments: { city: 'Oslo' },
      argumentsText: '{"city":"Oslo"}',
    }
    const messages = [
      user('What is the weather in Oslo?'),
      { role: 'assistant', content: '', toolCalls: [call] },
      { role: 'tool', toolCallId: 'c', content: 'no such city', isError: true },
    ] as const
    const { tokens: plain } = await provider.countTokens(
      messages.map((message) =>
        message.role === 'tool' ? { ...message, isError: false } : message,
      ),
    )
    expect((await provider.countTokens(messages)).tokens).toBeGreaterThan(plain)
  })

  test('a choice that names no tool is refused before the model is asked', async () => {
    await expect(provider.complete('x', { toolChoice: { name: 'nothing' } })).rejects.toMatchObject(
      {
        code: 'invalid-request',
      },
    )
    await expect(provider.complete('x', { toolChoice: 'required' })).rejects.toMatchObject({
      code: 'invalid-request',
    })
  })

  test('a template that shows no tools says so', async () => {
    const plain = local({ chatTemplate: '{% for m in messages %}{{ m.content }}\n{% endfor %}' })
    await expect(plain.generate([user('x')], { tools: [...tools] })).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('chatTemplate'),
    })
    await plain.close()
  })
})
