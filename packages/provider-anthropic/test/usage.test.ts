import type { LlmError } from '@modelport/core'
import { describe, expect, test } from 'vitest'
import { createAnthropic } from '../src/index.js'

type Wire = Readonly<Record<string, unknown>>

const sse = (events: readonly Wire[]): Response =>
  new Response(
    events
      .map((event) => `event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`)
      .join(''),
    {
      headers: { 'content-type': 'text/event-stream' },
    },
  )
const provide = (respond: () => Response) =>
  createAnthropic({
    model: 'claude-sonnet-4-5',
    apiKey: 'sk-ant-test-0123456789',
    defaults: { retry: { attempts: 1 } },
    fetch: () => Promise.resolve(respond()),
  })
const start = (id: string | undefined, input = 5): Wire => ({
  type: 'message_start',
  message: {
    ...(id && { id }),
    model: 'claude-x',
    content: [],
    usage: { input_tokens: input, output_tokens: 0 },
  },
})
const said = (text: string): Wire[] => [
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
]
const end = (usage: Wire = { output_tokens: 9 }): Wire[] => [
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage },
  { type: 'message_stop' },
]
const read = async (...events: readonly Wire[]) => {
  const reader = await provide(() => sse(events)).stream('Hi')
  for await (const _ of reader);
  return reader
}

describe('usage', () => {
  const iterations = [
    { type: 'message', input_tokens: 100, output_tokens: 10 },
    { type: 'compaction', input_tokens: 60_000, output_tokens: 500, cache_read_input_tokens: 7 },
    { type: 'advisor_message', model: 'claude-opus', input_tokens: 2000, output_tokens: 900 },
  ]
  const usage = { input_tokens: 100, output_tokens: 10, service_tier: 'priority', iterations }
  const expected = {
    inputTokens: 62_107,
    outputTokens: 1410,
    cacheReadTokens: 7,
    otherModels: [
      {
        model: 'claude-opus',
        inputTokens: 2000,
        outputTokens: 900,
        cacheReadTokens: 0,
        cacheCreationTokens: 0,
      },
    ],
  }

  test('usage adds iterations that the top level leaves out, and names the model of an advisor', async () => {
    const reader = await read(start('msg_1', 100), ...said('Hi'), ...end(usage))
    expect(reader.usage()).toMatchObject(expected)
    expect(reader.details()).toMatchObject({ responseId: 'msg_1', serviceTier: 'priority' })
    const body = {
      type: 'message',
      id: 'msg_2',
      content: [{ type: 'text', text: 'Hi' }],
      stop_reason: 'end_turn',
      usage,
    }
    const whole = await provide(() => Response.json(body)).generate([
      { role: 'user', content: 'Hi' },
    ])
    expect(whole.usage).toMatchObject(expected)
    expect(whole.responseId).toBe('msg_2')
  })

  test('usage does not add the iteration of a fallback, which is the top level', async () => {
    const one = {
      type: 'fallback_message',
      model: 'claude-opus',
      input_tokens: 5,
      output_tokens: 9,
    }
    const reader = await read(
      start('m'),
      ...said('Hi'),
      ...end({ output_tokens: 9, iterations: [one] }),
    )
    expect(reader.usage()).toMatchObject({ inputTokens: 5, outputTokens: 9 })
    expect(reader.usage()).not.toHaveProperty('otherModels')
  })

  test('usage distinguishes cache writes by lifetime, and counts the tools that the vendor ran', async () => {
    const counts = {
      output_tokens: 9,
      cache_creation_input_tokens: 30,
      cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
      server_tool_use: { web_search_requests: 2, web_fetch_requests: 0 },
    }
    const reader = await read(start('m'), ...said('Hi'), ...end(counts))
    expect(reader.usage()).toMatchObject({
      cacheCreationTokens: 30,
      cacheCreationByLifetime: { '5m': 10, '1h': 20 },
      providerToolCounts: { web_search_requests: 2 },
    })
  })
})

describe('a second message_start', () => {
  test('a second message_start replaces the first if nothing was said yet', async () => {
    const reader = await read(start('a', 5), start('b', 7), ...said('Hello'), ...end())
    expect([reader.fullText(), reader.usage().inputTokens, reader.details().responseId]).toEqual([
      'Hello',
      7,
      'b',
    ])
  })

  test('a second message_start replaces the counts of the first too', async () => {
    const first = start('a', 5) as { message: { usage: object } }
    const cached = {
      ...first,
      message: { ...first.message, usage: { input_tokens: 5, cache_read_input_tokens: 50 } },
    }
    const reader = await read(cached, start('b', 7), ...said('Hello'), ...end())
    expect([reader.usage().inputTokens, reader.usage().cacheReadTokens]).toEqual([7, 0])
  })

  test('a second message_start is ignored if it has the same id, or none', async () => {
    const reader = await read(
      start('a', 5),
      ...said('Hel'),
      start('a', 7),
      start(undefined, 7),
      ...said('lo'),
      ...end(),
    )
    expect([reader.fullText(), reader.usage().inputTokens]).toEqual(['Hello', 5])
  })

  test('a second message_start is a protocol error with the partial reply if something was said', async () => {
    const reader = await provide(() =>
      sse([start('a'), ...said('Hello'), start('b'), ...said('again'), ...end()]),
    ).stream('Hi')
    const read = async () => {
      for await (const _ of reader);
    }
    const error = await read().then(
      () => undefined,
      (thrown: unknown) => thrown as LlmError,
    )
    expect(error).toMatchObject({ code: 'protocol', partial: { text: 'Hello' } })
    expect(error?.message).toContain('second message (b)')
  })
})

describe('details', () => {
  test('a reply lists files that code execution made', async () => {
    const result = {
      type: 'code_execution_result',
      content: [{ type: 'code_execution_output', file_id: 'file_1' }],
    }
    const body = {
      type: 'message',
      content: [{ type: 'code_execution_tool_result', tool_use_id: 'srv_1', content: result }],
      stop_reason: 'end_turn',
    }
    const { files } = await provide(() => Response.json(body)).generate([
      { role: 'user', content: 'Hi' },
    ])
    expect(files).toEqual([{ id: 'file_1' }])
  })

  test('a reply reports a refusal with what the API recommends', async () => {
    const stop_details = { type: 'refusal', category: 'cyber', recommended_model: 'claude-y' }
    const body = { type: 'message', content: [], stop_reason: 'refusal', stop_details }
    const { safety } = await provide(() => Response.json(body)).generate([
      { role: 'user', content: 'Hi' },
    ])
    expect(safety).toEqual([{ subject: 'reply', data: stop_details }])
  })
})
