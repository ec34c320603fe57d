import { createMock, type MockResponse } from '@modelport/provider-mock'
import { describe, expect, test } from 'vitest'
import {
  ConversationHistory,
  callAction,
  callActionStream,
  defineTool,
  type InferRequest,
  infer,
  inferStream,
} from '../src/index.js'

const tool = (execute: () => unknown = () => 'done') =>
  defineTool({ name: 'work', description: 'Works', execute })
const calls: MockResponse = { toolCalls: [{ name: 'work' }] }
const start = (responses: readonly MockResponse[], request: Partial<InferRequest> = {}) => {
  const provider = createMock({ responses, chunkSize: 1 })
  return { provider, reader: inferStream(provider, { query: 'Go.', tools: [tool()], ...request }) }
}

const drain = async (reader: AsyncIterable<unknown>): Promise<number> => {
  let events = 0
  for await (const _event of reader) events++
  return events
}

describe('a run that is read', () => {
  test('a run that is read begins with the first read and goes at the pace of its reader', async () => {
    const { provider, reader } = start(['0123456789'])
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(provider.requests).toHaveLength(0)
    await reader.next()
    let chunks = 0
    for await (const { type } of reader) {
      if (type === 'text-delta') chunks++
      if (chunks === 3) break
    }
    const result = await reader.result()
    expect(result.status).toBe('cancelled')
    expect(result.text.length).toBeLessThan(6)
  })

  test('a run that is read ends cleanly, and stays ended', async () => {
    const { reader } = start(['ab'])
    let last = ''
    for await (const { type } of reader) last = type
    expect(last).toBe('final')
    expect([await reader.next(), await reader.next()]).toEqual([
      { done: true, value: undefined },
      { done: true, value: undefined },
    ])
    expect((await reader.result()).status).toBe('final')
    await reader.close()
  })

  test('a run that is read goes to its end by itself when only the result is asked for', async () => {
    const { reader } = start([calls, 'a long answer that nobody reads'])
    expect(await reader.result()).toMatchObject({ status: 'final', steps: 2 })
    expect(await reader.next()).toEqual({ done: true, value: undefined })
  })

  test('a wrong request throws at once', () => {
    expect(() => start(['x'], { query: undefined as never })).toThrow('nothing is asked')
  })

  test('abort: reads reject with the reason, each with the same, and the result is cancelled with what was done', async () => {
    const controller = new AbortController()
    const reason = new Error('enough')
    const { reader } = start([calls], {
      signal: controller.signal,
      tools: [tool(() => new Promise(() => setTimeout(() => controller.abort(reason), 5)))],
    })
    await expect(drain(reader)).rejects.toBe(reason)
    await expect(reader.next()).rejects.toBe(reason)
    const result = await reader.result()
    expect(result).toMatchObject({ status: 'cancelled', reason })
    expect(result.transcript.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
  })

  test('abort in the middle of a reply: what was said stays in the transcript, marked, with an estimate of what it took', async () => {
    const controller = new AbortController()
    const history = ConversationHistory.fromList([{ role: 'user', content: 'Hi' }])
    const { reader } = start(['A long reply that nobody reads to its end.'], {
      query: undefined as never,
      history,
      signal: controller.signal,
    })
    await expect(
      (async () => {
        for await (const event of reader) if (event.type === 'text-delta') controller.abort()
      })(),
    ).rejects.toThrow()
    const { transcript, usage, text, metrics } = await reader.result()
    expect(text.length).toBeGreaterThan(0)
    expect(transcript.at(-1)).toMatchObject({ role: 'assistant', content: text, cut: true })
    expect(history.toList().at(-1)).toEqual(transcript.at(-1))
    expect(usage).toMatchObject({
      reported: false,
      outputTokens: metrics.calls[0]?.usage.outputTokens,
    })
    expect(usage.outputTokens).toBeGreaterThan(0)
    expect(usage.inputTokens).toBeGreaterThan(0)
  })

  test('a reply that is cut stays in the transcript, but neither in the history nor in the checkpoint, which ask for it again', async () => {
    const provider = createMock({ responses: [{ text: 'It is', cut: true }, 'It is warm.'] })
    const history = ConversationHistory.fromList([{ role: 'user', content: 'Hi' }])
    const failed = await infer(provider, { history })
    if (failed.status !== 'failed' || !failed.checkpoint) throw new Error(failed.status)
    expect(failed.transcript.at(-1)).toMatchObject({ content: 'It is', cut: true })
    expect(failed.usage).toMatchObject({
      reported: false,
      outputTokens: failed.metrics.calls[0]?.usage.outputTokens,
    })
    expect(history.toList()).toEqual([{ role: 'user', content: 'Hi' }])
    const resumed = await infer(provider, { history, durable: { resume: failed.checkpoint } })
    expect(resumed).toMatchObject({ status: 'final', content: 'It is warm.' })
    expect(resumed.transcript.map(({ content }) => content)).toEqual(['Hi', 'It is warm.'])
  })

  test('an abort after the end changes nothing', async () => {
    const controller = new AbortController()
    const { reader } = start(['a'], { signal: controller.signal })
    await drain(reader)
    controller.abort()
    expect(await reader.next()).toEqual({ done: true, value: undefined })
  })

  test('close settles a waiting read, and may be called twice, before the start too', async () => {
    const { reader } = start([calls], { tools: [tool(() => new Promise(() => {}))] })
    let types = 0
    const reading = (async () => {
      for await (const { type } of reader) types += type.length
    })()
    await expect.poll(() => types).toBeGreaterThan(50)
    await Promise.all([reader.close(), reader.close(), reading])
    expect(await reader.result()).toMatchObject({ status: 'cancelled' })
    const { reader: unread, provider } = start(['x'])
    await unread.close()
    expect(await unread.next()).toEqual({ done: true, value: undefined })
    expect(await unread.result()).toMatchObject({ status: 'cancelled' })
    expect(provider.requests).toHaveLength(0)
  })

  test('reads that overlap are served in order', async () => {
    const { reader } = start(['ab'])
    const first = await Promise.all(Array.from({ length: 5 }, () => reader.next()))
    expect(first.map(({ value }) => value?.type)).toEqual([
      'step-start',
      'context-prepared',
      'model-call-start',
      'text-delta',
      'text-delta',
    ])
    await reader.close()
  })
})

describe('one action', () => {
  const tools = [tool().definition]
  const messages = [{ role: 'user' as const, content: 'Go.' }]

  test.each([
    [
      'whole',
      (responses: readonly MockResponse[], mode: 'native' | 'json') =>
        callAction(createMock({ responses }), { messages, tools, mode }),
    ],
    [
      'streamed',
      (responses: readonly MockResponse[], mode: 'native' | 'json') =>
        callActionStream(createMock({ responses }), { messages, tools, mode }),
    ],
  ])('one action is read from a reply: %s', async (_name, get) => {
    expect(
      await get([{ toolCalls: [{ name: 'work' }, { name: 'work' }] }], 'native'),
    ).toMatchObject({
      action: { type: 'tool_call', tool: 'work', args: {} },
      actions: [{}, {}],
      native: true,
    })
    expect(await get(['Hello.'], 'native')).toMatchObject({
      action: { type: 'final', content: 'Hello.' },
      native: true,
      generation: { finishReason: 'stop', usage: { inputTokens: 10 } },
    })
    expect(await get(['{"type":"tool_call","tool":"work","args":{}}'], 'json')).toMatchObject({
      action: { type: 'tool_call' },
      native: false,
      metadata: { mode: 'json', repairs: [] },
    })
    await expect(get(['prose'], 'json')).rejects.toMatchObject({
      name: 'ActionParseError',
      code: 'protocol',
      rawResponse: 'prose',
    })
  })

  test('one action is given out as it comes, and is whole only at the end', async () => {
    const pieces: string[] = []
    const { action } = await callActionStream(
      createMock({ responses: ['{"type":"final","content":"x"}'] }),
      { messages, mode: 'json' },
      (event) => {
        if (event.type === 'text-delta') pieces.push(event.text)
      },
    )
    expect(pieces.length).toBeGreaterThan(5)
    expect(action).toEqual({ type: 'final', content: 'x' })
  })
})
