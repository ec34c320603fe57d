import { createMock, type MockResponse } from '@modelport/provider-mock'
import { describe, expect, test } from 'vitest'
import { type InferRequest, inferStream, orThrow, RunError } from '../src/index.js'
import { toAgUiEvents, toUiMessageStream } from '../src/ui/ui.js'
import { run, weather } from './weather-run.js'

/** A call of which the limit of output tokens left half. */
const cutCall: MockResponse = {
  toolCalls: [{ name: 'get_weather', argumentsText: '{"city": "Ro' }],
  finish: 'length',
  usage: { inputTokens: 10, outputTokens: 4096 },
}
const halfText: MockResponse = { text: 'half an ans', finish: 'length' }

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = []
  for await (const item of items) list.push(item)
  return list
}

async function pageOf(replies: readonly MockResponse[], request: Partial<InferRequest> = {}) {
  const start = () =>
    inferStream(createMock({ responses: replies }), {
      query: 'What is the weather?',
      tools: [weather()],
      ...request,
    })
  const chunks = await all(toUiMessageStream(start()))
  const events = await all(toAgUiEvents(start(), { threadId: 't' }))
  const { type, message, code, outcome } = events.at(-1)!
  return { chunks, agUi: { type, message, code, outcome } }
}

describe('a reply that its limit of output tokens cut off', () => {
  test('a tool call that was cut off ends the run at once, and the message names maxTokens', async () => {
    const { result, provider, events } = await run([cutCall, cutCall, cutCall, cutCall])
    expect(provider.requests).toHaveLength(1)
    expect(result).toMatchObject({
      status: 'limit',
      limit: 'length',
      message:
        'The reply was cut off at 4096 tokens, in the middle of a call of "get_weather", which was not executed. Raise options.maxTokens.',
    })
    expect(events.at(-1)).toMatchObject({ type: 'run-limited', status: 'limit', limit: 'length' })
    expect(result.transcript.at(-1)).toMatchObject({
      role: 'tool',
      isError: true,
      content: expect.stringContaining('the limit of output tokens cut the reply off') as string,
    })
  })

  test('the message names the maxTokens that the caller set', async () => {
    const { result } = await run([cutCall], { options: { maxTokens: 500 } })
    expect(result).toMatchObject({ message: expect.stringContaining('cut off at maxTokens 500,') })
  })

  test('the whole calls of a reply that was cut off are executed, and their results are kept', async () => {
    const both: MockResponse = {
      ...cutCall,
      toolCalls: [
        { name: 'get_weather', arguments: { city: 'Oslo' } },
        { name: 'get_weather', argumentsText: '{"city": "Ro' },
      ],
    }
    const { result } = await run([both])
    expect(result).toMatchObject({ status: 'limit', limit: 'length' })
    expect(result.transcript.slice(-2)).toMatchObject([
      { role: 'tool', content: '18 degrees in Oslo' },
      { role: 'tool', isError: true },
    ])
  })

  test.each<[string, MockResponse, Partial<InferRequest>]>([
    ['an empty reply', { text: '', finish: 'length' }, {}],
    [
      'half a value of a schema',
      { text: '{"a": ', finish: 'length' },
      { tools: [], outputSchema: { type: 'object', properties: { a: { type: 'number' } } } },
    ],
  ])('%s that was cut off is not asked for again', async (_, reply, request) => {
    const { result, provider } = await run([reply, reply, reply], request)
    expect(provider.requests).toHaveLength(1)
    expect(result).toMatchObject({
      status: 'limit',
      limit: 'length',
      message: expect.stringContaining('Raise options.maxTokens.'),
    })
  })

  test('in JSON mode the run asks the model for a shorter reply, and ends as length if none comes', async () => {
    const half: MockResponse = { text: '{"type": "fin', finish: 'length' }
    const { result, provider } = await run([half, half, half], { mode: 'json' })
    expect(provider.requests.length).toBeGreaterThan(1)
    expect(provider.requests[1]?.messages.at(-1)?.content).toContain(
      'It was cut off at its limit of length: be shorter.',
    )
    expect(result).toMatchObject({ status: 'limit', limit: 'length' })
  })

  test('orThrow throws with the part of a text that came, unless the caller accepts it', async () => {
    const { result, events } = await run([halfText])
    expect(result).toMatchObject({ status: 'final', truncated: true, text: 'half an ans' })
    expect(events.at(-1)).toMatchObject({ type: 'final', truncated: true })

    let thrown: unknown
    try {
      orThrow(result)
    } catch (error) {
      thrown = error
    }
    expect(thrown).toBeInstanceOf(RunError)
    expect(thrown).toMatchObject({ code: 'limit-exceeded', status: 'final', text: 'half an ans' })
    expect(String(thrown)).toContain('raise options.maxTokens')
    expect(orThrow(result, { accept: 'truncated' })).toBe(result)
  })
})

describe('a page', () => {
  test('a text that was cut off ends with the finish reason length at useChat, and as an error at AG-UI', async () => {
    const { chunks, agUi } = await pageOf([halfText])
    expect(chunks.at(-1)).toEqual({ type: 'finish', finishReason: 'length' })
    expect(agUi).toEqual({
      type: 'RUN_ERROR',
      message: 'The reply was cut off at its limit of length.',
      code: 'length',
      outcome: undefined,
    })
  })

  test.each<[string, string, string, readonly MockResponse[], Partial<InferRequest>]>([
    ['a call that was cut off', 'length', 'length', [cutCall], {}],
    [
      'a limit of the run',
      'limit-exceeded',
      'error',
      [{ toolCalls: [{ name: 'get_weather', arguments: { city: 'Oslo' } }] }],
      { limits: { maxSteps: 1 } },
    ],
    [
      'the budget',
      'budget-exceeded',
      'error',
      [{ toolCalls: [{ name: 'get_weather', arguments: { city: 'Oslo' } }] }],
      { limits: { budget: { maxCalls: 1 } } },
    ],
  ])('%s is shown as an error with a text', async (_, code, finishReason, replies, request) => {
    const { chunks, agUi } = await pageOf(replies, request)
    expect(chunks.slice(-3)).toEqual([
      { type: 'error', errorText: agUi.message },
      { type: 'finish-step' },
      { type: 'finish', finishReason },
    ])
    expect(agUi).toMatchObject({ type: 'RUN_ERROR', code })
    expect(agUi.message).toMatch(/limit|budget/)
  })

  test('onError writes the text of a limit', async () => {
    const seen: unknown[] = []
    const run = inferStream(createMock({ responses: [cutCall] }), {
      query: 'What is the weather?',
      tools: [weather()],
    })
    const onError = (error: { readonly message: string; readonly code: string }): string => {
      seen.push(error.code)
      return error.message
    }
    const chunks = await all(toUiMessageStream(run, { onError }))
    expect(seen).toContain('length')
    expect(chunks).toContainEqual({
      type: 'error',
      errorText: expect.stringContaining('Raise options.maxTokens.') as string,
    })
  })
})
