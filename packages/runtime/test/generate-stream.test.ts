import { createMock } from '@modelport/provider-mock'
import { describe, expect, test } from 'vitest'
import { combine, generateStream } from '../src/index.js'
import { asksFor, connect, vendors } from './wire-vendors.js'

const user = { role: 'user', content: 'Go.' } as const

describe.each(vendors)('a streamed answer of $name', (vendor) => {
  test('keeps its calls, usage and finish reason', async () => {
    const { provider } = await connect(vendor, {
      ...asksFor(['add', { a: 1 }], ['add', { a: 2 }]),
      text: ['Let me ', 'see.'],
    })
    const tools = [
      { name: 'add', description: 'Adds', parameters: { type: 'object', properties: { a: { type: 'number' } } } },
    ]
    const reader = await generateStream(provider, [user], { tools })
    const pieces: string[] = []
    for await (const event of reader) if (event.type === 'text-delta') pieces.push(event.text)
    const generation = await reader.generation()
    expect(pieces).toEqual(['Let me ', 'see.'])
    expect(generation).toMatchObject({
      text: 'Let me see.',
      finishReason: 'tool-calls',
      usage: { inputTokens: 40, outputTokens: 8 },
    })
    expect(generation.toolCalls.map(({ arguments: given }) => given)).toEqual([{ a: 1 }, { a: 2 }])
    expect(generation.message.toolCalls).toEqual(generation.toolCalls)
    expect(generation.rawFinishReason).toEqual(expect.any(String))
  })
})

test('the answer can be had without reading', async () => {
  const reader = await generateStream(createMock({ responses: ['Hello World'] }), [user])
  expect((await reader.generation()).text).toBe('Hello World')
})

test('combined models see the conversation as it was, their own prompt, and each earlier answer once', async () => {
  const members = ['one', 'two', 'three'].map((prompt) => ({
    prompt,
    provider: createMock({ responses: [`Answer ${prompt}`] }),
  }))
  const generation = await combine(members, [user], { system: 'Original' })
  expect(generation.text).toBe('Answer one\nAnswer two\nAnswer three')
  expect(generation.usage).toMatchObject({ inputTokens: 30, outputTokens: 15 })
  const asked = members.map(({ provider }) => provider.requests[0])
  expect(asked.map((turn) => turn?.messages[0]?.content)).toEqual([
    'Original\n\none',
    'Original\n\ntwo',
    'Original\n\nthree',
  ])
  expect(asked[2]?.messages.map(({ content }) => content).slice(1, 4)).toEqual(['Go.', 'Answer one', 'Answer two'])
  await expect(combine([], [user])).rejects.toMatchObject({ code: 'config' })
})
