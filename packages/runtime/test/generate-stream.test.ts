import { createMock } from '@modelport/provider-mock'
import { describe, expect, test } from 'vitest'
import { combine, defineTool, generateStream, infer } from '../src/index.js'
import { asksFor, connect, vendors } from './wire-vendors.js'

const user = { role: 'user', content: 'Go.' } as const

describe.each(vendors)('a streamed answer of $name', (vendor) => {
  test('a streamed reply keeps its calls, usage and finish reason', async () => {
    const { provider } = await connect(vendor, {
      ...asksFor(['add', { a: 1 }], ['add', { a: 2 }]),
      text: ['Let me ', 'see.'],
    })
    const tools = [
      {
        name: 'add',
        description: 'Adds',
        parameters: { type: 'object', properties: { a: { type: 'number' } } },
      },
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

test('a run gives the reply without reading the stream', async () => {
  const reader = await generateStream(createMock({ responses: ['Hello World'] }), [user])
  expect((await reader.generation()).text).toBe('Hello World')
})

const panelists = () =>
  ['one', 'two', 'three'].map((prompt) => ({
    prompt,
    provider: createMock({ responses: [`Answer ${prompt}`] }),
  }))
const call = { name: 'look', arguments: {} }

describe('combine', () => {
  test('combine shows each model the conversation, its own prompt, and each earlier reply once', async () => {
    const members = panelists()
    const generation = await combine(members).generate([user], { system: 'Original' })
    expect(generation.text).toBe('Answer one\nAnswer two\nAnswer three')
    expect(generation.usage).toMatchObject({ inputTokens: 30, outputTokens: 15 })
    const asked = members.map(({ provider }) => provider.requests[0])
    expect(asked.map((turn) => turn?.messages[0]?.content)).toEqual([
      'Original\n\none',
      'Original\n\ntwo',
      'Original\n\nthree',
    ])
    expect(asked[2]?.messages.map(({ content }) => content).slice(1, 4)).toEqual([
      'Go.',
      'Answer one',
      'Answer two',
    ])
    expect(() => combine([])).toThrow(expect.objectContaining({ code: 'config' }) as Error)
  })

  test('combine streams the same text and usage as generate gives', async () => {
    const reader = await combine(panelists()).stream('Go.')
    let text = ''
    for await (const piece of reader) text += piece
    expect(text).toBe('Answer one\nAnswer two\nAnswer three')
    expect(reader.fullText()).toBe(text)
    expect(reader.usage()).toMatchObject({ inputTokens: 30, outputTokens: 15 })
    expect(reader.finishReason()).toBe('stop')
  })

  test('combine is a provider that infer can run with tools', async () => {
    const thinker = createMock({ responses: ['I think', 'I still think'] })
    const doer = createMock({ responses: [{ toolCalls: [call] }, 'Done.'] })
    const look = defineTool({ name: 'look', description: 'Looks', execute: () => 'seen' })
    const provider = combine([
      { provider: thinker, prompt: 'Think.' },
      { provider: doer, prompt: 'Act.' },
    ])
    const result = await infer(provider, { query: 'Go.', tools: [look] })
    expect(result).toMatchObject({
      status: 'final',
      text: 'I still think\nDone.',
      metrics: { executedActions: 1 },
    })
  })

  test('combine continues a stream with tools once every result is there', async () => {
    const doer = createMock({ responses: [{ toolCalls: [call, call] }, 'Done.'] })
    const reader = await combine([{ provider: doer, prompt: '' }]).streamWithTools(
      [user],
      [{ name: 'look', description: 'Looks' }],
    )
    const ids: string[] = []
    for (let result = await reader.next(); !result.done; result = await reader.next()) {
      if (result.value.type === 'tool-call-complete') ids.push(result.value.toolCall.id)
      if (result.value.type === 'turn-end') break
    }
    const [first = '', second = ''] = ids
    await expect(reader.sendToolResults([{ callId: 'other', content: '' }])).rejects.toThrow(
      `"other" is not a tool call`,
    )
    await reader.sendToolResults([{ callId: first, content: 'a' }])
    await expect(reader.next()).rejects.toThrow(`tool calls without a result: ${second}`)
    await reader.sendToolResults([{ callId: second, content: 'b' }])
    const types: string[] = []
    for await (const event of reader) types.push(event.type)
    expect(types.filter((type) => type !== 'text-delta')).toEqual(['turn-end', 'done'])
    expect(reader.messages().map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'tool',
      'assistant',
    ])
    expect(doer.requests[1]?.messages.map(({ content }) => content)).toEqual(['Go.', '', 'a', 'b'])
    await expect(reader.sendToolResults([])).rejects.toThrow(TypeError)
  })

  test('combine rejects the call, not a read, if the first model fails, and stops when it is closed or aborted', async () => {
    const broken = createMock({
      responses: [{ error: 'auth' }],
      defaults: { retry: { attempts: 1 } },
    })
    await expect(combine([{ provider: broken, prompt: '' }]).stream('Go.')).rejects.toMatchObject({
      code: 'auth',
    })
    const closed = await combine(panelists()).streamWithTools([user], [])
    await closed.next()
    await closed.close()
    expect(await closed.next()).toEqual({ done: true, value: undefined })
    const controller = new AbortController()
    const aborted = await combine(panelists()).streamWithTools([user], [], {
      signal: controller.signal,
    })
    controller.abort(new Error('enough'))
    await expect(aborted.next()).rejects.toThrow('enough')
  })
})
