import type { CallOptions, Generation, StreamEvent, TokenUsage } from '@modelport/core'
import { describe, expect, test } from 'vitest'
import { createOpenAI } from '../src/index.js'
import { message, recordingFetch, response, sse, streamed } from './support.js'

interface Read {
  readonly text: string
  readonly reasoning: string
  readonly calls: readonly {
    readonly id: string
    readonly name: string
    readonly argumentsText: string
  }[]
  readonly reason: string
  readonly usage: TokenUsage
}

const create = (
  ...answers: readonly (object | (() => Response))[]
): ReturnType<typeof createOpenAI> =>
  createOpenAI({
    apiKey: 'sk-test-0123456789',
    model: 'gpt-5.4',
    fetch: recordingFetch(...answers).fetch,
  })

async function read(...events: readonly object[]): Promise<Read> {
  const reader = await create(() => streamed(...events)).streamWithTools(
    [{ role: 'user', content: 'Hi' }],
    [],
    {
      retry: { attempts: 1 },
    },
  )
  const all: StreamEvent[] = []
  for await (const event of reader) all.push(event)
  const join = (type: string): string =>
    all.map((event) => (event.type === type && 'text' in event ? event.text : '')).join('')
  return {
    text: join('text-delta'),
    reasoning: join('reasoning-delta'),
    calls: all
      .flatMap((event) => (event.type === 'tool-call-complete' ? [event.toolCall] : []))
      .map(({ id, name, argumentsText }) => ({ id, name, argumentsText })),
    reason: all.map((event) => (event.type === 'turn-end' ? event.reason : '')).join(''),
    usage: reader.usage(),
  }
}

const whole = (body: object, options: CallOptions = {}): Promise<Generation> =>
  create(body).generate([{ role: 'user', content: 'Hi' }], options)
const completed = (more: object = {}): object => ({
  type: 'response.completed',
  response: { status: 'completed', output: [], ...more },
})
const item = (type: 'added' | 'done', output_index: number, body: object): object => ({
  type: `response.output_item.${type}`,
  output_index,
  item: body,
})
const text = (name: string, more: object): object => ({
  type: `response.${name}`,
  output_index: 0,
  content_index: 0,
  ...more,
})

describe('text comes once', () => {
  const said = message('Hello')
  test.each<[string, object[]]>([
    [
      'deltas and all that repeats them',
      [
        item('added', 0, message('', { content: [] })),
        text('output_text.delta', { delta: 'Hel' }),
        text('output_text.delta', { delta: 'lo' }),
        text('output_text.done', { text: 'Hello' }),
        text('content_part.done', { part: { type: 'output_text', text: 'Hello' } }),
        item('done', 0, said),
        completed({ output: [said] }),
      ],
    ],
    ['only deltas', [text('output_text.delta', { delta: 'Hello' }), completed({ output: [said] })]],
    [
      'only deltas, with nothing but an item id',
      [
        { type: 'response.output_text.delta', item_id: 'msg_1', delta: 'Hello' },
        { type: 'response.output_item.done', item: said },
        completed(),
      ],
    ],
    [
      'deltas that number the parts from 1',
      [
        text('output_text.delta', { delta: 'Hello', content_index: 1 }),
        text('output_text.done', { text: 'Hello', content_index: 1 }),
        item('done', 0, said),
        completed(),
      ],
    ],
    [
      'deltas by item id, items by place',
      [
        item('added', 0, message('', { content: [] })),
        { type: 'response.output_text.delta', item_id: 'msg_1', delta: 'Hello' },
        item('done', 0, said),
        completed(),
      ],
    ],
    [
      'only the finished text',
      [text('output_text.done', { text: 'Hello' }), item('done', 0, said), completed()],
    ],
    ['only the finished item', [item('done', 0, said), completed({ output: [said] })]],
    ['only the finished response', [completed({ output: [said] })]],
    [
      'a whole reply to a request for a stream',
      [{ object: 'response', status: 'completed', output: [said] }],
    ],
    ['a whole reply that does not say what it is', [{ status: 'completed', output: [said] }]],
    [
      'an end without a status',
      [item('done', 0, said), { type: 'response.completed', response: {} }],
    ],
  ])('text comes once from %s', async (_, events) => {
    expect(await read(...events)).toMatchObject({ text: 'Hello', reason: 'stop' })
  })

  test('text is read if only the event line names the type', async () => {
    const body = `event: response.output_text.delta\ndata: {"delta":"Hello"}\n\nevent: response.completed\ndata: {"response":{"model":"gpt-5.4"}}\n\n`
    const reader = await create(
      () => new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
    ).stream('Hi', { retry: { attempts: 1 } })
    for await (const _ of reader);
    expect([reader.fullText(), reader.finishReason()]).toEqual(['Hello', 'stop'])
  })
})

describe('arguments come once', () => {
  const call = {
    type: 'function_call',
    id: 'fc_1',
    call_id: 'call_1',
    name: 'add',
    arguments: '{"a":1}',
  }
  const expected = [{ id: 'call_1', name: 'add', argumentsText: '{"a":1}' }]
  test.each<[string, object[]]>([
    [
      'deltas',
      [
        item('added', 0, { ...call, arguments: '' }),
        text('function_call_arguments.delta', { delta: '{"a"' }),
        text('function_call_arguments.delta', { delta: ':1}' }),
        text('function_call_arguments.done', { arguments: '{"a":1}' }),
        item('done', 0, call),
        completed(),
      ],
    ],
    [
      'only done',
      [
        item('added', 0, { ...call, arguments: '' }),
        text('function_call_arguments.done', { arguments: '{"a":1}' }),
        item('done', 0, call),
        completed(),
      ],
    ],
    ['only the item', [item('done', 0, call), completed()]],
    [
      'no finished item',
      [
        item('added', 0, { ...call, arguments: '' }),
        text('function_call_arguments.delta', { delta: '{"a":1}' }),
        completed(),
      ],
    ],
    ['only the response', [completed({ output: [call] })]],
  ])('arguments come once from %s', async (_, events) => {
    expect(await read(...events)).toMatchObject({ calls: expected, reason: 'tool-calls' })
  })

  test('arguments are the text of a custom tool, in deltas or whole', async () => {
    const custom = { ...call, type: 'custom_tool_call', name: 'write_sql', input: 'SELECT 1' }
    const found = [{ id: 'call_1', name: 'write_sql', argumentsText: 'SELECT 1' }]
    const delta = text('custom_tool_call_input.delta', { delta: 'SELECT 1' })
    expect(
      await read(
        item('added', 0, { ...custom, input: '' }),
        delta,
        item('done', 0, custom),
        completed(),
      ),
    ).toMatchObject({ calls: found })
    expect(await read(item('done', 0, custom), completed())).toMatchObject({ calls: found })
  })

  test('arguments keep the order of the reply for parallel calls in any order of events', async () => {
    const at = (output_index: number, name: string): object => ({
      type: 'function_call',
      id: `fc_${output_index}`,
      call_id: `call_${output_index}`,
      name,
      arguments: '{}',
    })
    const { calls } = await read(
      item('added', 2, at(2, 'c')),
      item('added', 1, at(1, 'b')),
      item('done', 2, at(2, 'c')),
      item('done', 1, at(1, 'b')),
      completed(),
    )
    expect(calls.map(({ name }) => name)).toEqual(['b', 'c'])
  })
})

describe('reasoning', () => {
  test('reasoning is the summary, in deltas or whole, and the raw text only without one', async () => {
    const summary = (index: number, delta: string): object => ({
      type: 'response.reasoning_summary_text.delta',
      output_index: 0,
      summary_index: index,
      delta,
    })
    const done = {
      type: 'reasoning',
      id: 'rs_1',
      summary: [
        { type: 'summary_text', text: 'One.' },
        { type: 'summary_text', text: 'Two.' },
      ],
      content: [{ type: 'reasoning_text', text: 'raw' }],
    }
    expect(
      await read(summary(0, 'One.'), summary(1, 'Two.'), item('done', 0, done), completed()),
    ).toMatchObject({
      reasoning: 'One.Two.',
    })
    expect(await read(item('done', 0, done), completed())).toMatchObject({ reasoning: 'One.Two.' })
    expect(await read(item('done', 0, { ...done, summary: [] }), completed())).toMatchObject({
      reasoning: 'raw',
    })
    const raw = {
      type: 'response.reasoning_text.delta',
      output_index: 0,
      content_index: 0,
      delta: 'raw',
    }
    expect(await read(raw, summary(0, 'One.'), completed())).toMatchObject({ reasoning: 'raw' })
    const open = {
      type: 'response.reasoning.delta',
      output_index: 0,
      content_index: 0,
      delta: 'raw',
    }
    expect(
      await read(
        open,
        { ...open, type: 'response.reasoning.done', delta: undefined, text: 'raw' },
        item('done', 0, { ...done, summary: [] }),
        completed(),
      ),
    ).toMatchObject({ reasoning: 'raw' })
  })
})

describe('how a reply ends', () => {
  test.each<[object, string, string]>([
    [{ status: 'completed' }, 'stop', 'completed'],
    [
      { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
      'length',
      'incomplete:max_output_tokens',
    ],
    [
      { status: 'incomplete', incomplete_details: { reason: 'content_filter' } },
      'content-filter',
      'incomplete:content_filter',
    ],
    [
      { status: 'incomplete', incomplete_details: { reason: 'steered' } },
      'other',
      'incomplete:steered',
    ],
    [
      { status: 'incomplete', incomplete_details: { reason: 'max_tokens' } },
      'length',
      'incomplete:max_tokens',
    ],
    [
      { status: 'incomplete', incomplete_details: { reason: 'constructor' } },
      'other',
      'incomplete:constructor',
    ],
  ])('the end of a reply is read from %o', async (body, reason, raw) => {
    expect(await whole({ object: 'response', output: [], ...body })).toMatchObject({
      finishReason: reason,
      rawFinishReason: raw,
    })
  })

  test('how a reply ends is decided by the status, not by the name of the event; without either it is unknown', async () => {
    const incomplete = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }
    expect(await read(completed(incomplete))).toMatchObject({ reason: 'length' })
    await expect(read({ type: 'response.cancelled', response: {} })).rejects.toMatchObject({
      code: 'aborted',
    })
    expect(await whole({ object: 'response', output: [] })).toMatchObject({
      finishReason: 'unknown',
    })
  })

  test('the reason of a reply with a refusal, which is shown as text too, is what the server says', async () => {
    const refused = message('', { content: [{ type: 'refusal', refusal: 'No.' }] })
    const answer = await whole(response(refused))
    expect([answer.text, answer.message.refusal, answer.finishReason]).toEqual([
      'No.',
      'No.',
      'stop',
    ])
    const refusal = (name: string, more: object): object => text(`refusal.${name}`, more)
    expect(
      await read(
        refusal('delta', { delta: 'No' }),
        refusal('delta', { delta: '.' }),
        refusal('done', { refusal: 'No.' }),
        item('done', 0, refused),
        completed(),
      ),
    ).toMatchObject({ text: 'No.' })
  })

  test('a reply without its last event is truncated', async () => {
    await expect(read(text('output_text.delta', { delta: 'Hel' }))).rejects.toMatchObject({
      code: 'truncated',
      partial: { text: 'Hel' },
    })
  })

  test.each<[string, object, string]>([
    [
      'response.failed',
      {
        type: 'response.failed',
        response: { status: 'failed', error: { code: 'server_error', message: 'broke' } },
      },
      'server',
    ],
    [
      'response.failed by a limit',
      {
        type: 'response.failed',
        response: { status: 'failed', error: { code: 'rate_limit_exceeded', message: 'broke' } },
      },
      'rate-limit',
    ],
    [
      'response.failed with the failure next to the response',
      { type: 'response.failed', error: { code: 'rate_limit_exceeded', message: 'broke' } },
      'rate-limit',
    ],
    [
      'response.error with the failure in the response',
      {
        type: 'response.error',
        response: { error: { code: 'rate_limit_exceeded', message: 'broke' } },
      },
      'rate-limit',
    ],
    [
      'an image',
      {
        type: 'response.failed',
        response: { status: 'failed', error: { code: 'image_parse_error', message: 'broke' } },
      },
      'invalid-request',
    ],
    [
      'a policy',
      {
        type: 'response.failed',
        response: { status: 'failed', error: { code: 'bio_policy', message: 'broke' } },
      },
      'content-filter',
    ],
    [
      'an error event',
      { type: 'error', code: 'insufficient_quota', message: 'broke', param: null },
      'quota-exhausted',
    ],
    [
      'an error event with the error inside',
      {
        type: 'error',
        error: { type: 'invalid_request_error', code: 'context_length_exceeded', message: 'broke' },
      },
      'context-length',
    ],
    [
      'an error event of other servers',
      { type: 'response.error', error: { type: 'invalid_request_error', message: 'broke' } },
      'invalid-request',
    ],
    [
      'an error without an event',
      { error: { message: 'broke', code: 500, type: 'server_error' } },
      'server',
    ],
  ])('a reply that ends by %s rejects and keeps what was said', async (_, event, code) => {
    await expect(read(text('output_text.delta', { delta: 'Hel' }), event)).rejects.toMatchObject({
      code,
      message: expect.stringContaining('broke') as string,
      partial: { text: 'Hel' },
    })
  })

  test('a reply that ends by a failure without a reason is an error that says so', async () => {
    await expect(read({ type: 'response.failed', response: {} })).rejects.toMatchObject({
      message: expect.stringContaining('gives no reason') as string,
    })
  })

  test('a reply that ends by a failure in plain text is an error with that text', async () => {
    const body = `${sse(text('output_text.delta', { delta: 'Hel' }))}event: error\ndata: it broke\n\n`
    const reader = await create(
      () => new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
    ).stream('Hi', { retry: { attempts: 1 } })
    await reader.next()
    await expect(reader.next()).rejects.toMatchObject({
      code: 'server',
      message: expect.stringContaining('it broke') as string,
      partial: { text: 'Hel' },
    })
  })

  test.each([{ object: 'chat.completion.chunk' }, { choices: [] }])(
    'a Chat Completions response in its place is named: %o',
    async (chunk) => {
      await expect(read(chunk)).rejects.toMatchObject({
        code: 'protocol',
        message: expect.stringContaining('api: "chat"') as string,
      })
    },
  )

  test('the end of a reply is not changed by unknown events, unknown items and malformed data', async () => {
    const odd = { type: 'new_tool_call', id: 'nt_1', anything: [1] }
    expect(
      await read(
        { type: 'response.new_thing.delta', delta: 'x' },
        { type: 'keepalive' },
        item('added', 0, odd),
        item('done', 0, odd),
        {},
        text('output_text.delta', { delta: 'Hi', output_index: 1 }),
        completed(),
      ),
    ).toMatchObject({ text: 'Hi', reason: 'stop' })
  })
})

describe('other parts of a reply', () => {
  test('other parts of a reply include usage, with reasoning that a vendor counts next to the output', async () => {
    const usage = {
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 60, cache_write_tokens: 10 },
      output_tokens: 30,
      output_tokens_details: { reasoning_tokens: 20 },
      total_tokens: 130,
    }
    expect((await read(completed({ usage }))).usage).toMatchObject({
      inputTokens: 100,
      outputTokens: 30,
      cacheReadTokens: 60,
      cacheCreationTokens: 10,
      reasoningTokens: 20,
    })
    expect((await read(completed({ usage: { ...usage, total_tokens: 150 } }))).usage).toMatchObject(
      {
        outputTokens: 50,
        reasoningTokens: 20,
      },
    )
  })

  test('other parts of a reply include log probabilities', async () => {
    const logprobs = [{ token: 'Hi', logprob: -0.1, top_logprobs: [{ token: 'Ho', logprob: -2 }] }]
    const expected = [{ token: 'Hi', logprob: -0.1, top: [{ token: 'Ho', logprob: -2 }] }]
    const part = { type: 'output_text', text: 'Hi', annotations: [], logprobs }
    expect(
      (await whole(response(message('', { content: [part] })), { topLogprobs: 1 })).logprobs,
    ).toEqual(expected)
    const odd = [
      { token: null, logprob: -0.1, top_logprobs: null },
      { token: 'x', logprob: null },
    ]
    expect(
      (await whole(response(message('', { content: [{ ...part, logprobs: odd }] })))).logprobs,
    ).toEqual([{ token: '', logprob: -0.1 }])
  })

  test('other parts of a reply include citations of each kind', async () => {
    const annotations = [
      { type: 'url_citation', url: 'https://a.test', title: 'A' },
      { type: 'file_citation', file_id: 'file-1', filename: 'b.pdf' },
      { type: 'container_file_citation', container_id: 'c', file_id: 'cfile-1' },
      { type: 'file_path', url: null, title: null, filename: '', file_id: 'file-2' },
    ]
    const { citations } = await whole(
      response(message('', { content: [{ type: 'output_text', text: 'Hi', annotations }] })),
    )
    expect(citations).toEqual([
      { url: 'https://a.test', title: 'A' },
      { title: 'b.pdf', fileId: 'file-1' },
      { title: 'cfile-1', fileId: 'cfile-1' },
      { title: 'file-2', fileId: 'file-2' },
    ])
  })

  test('other parts of a reply include the transcript of audio as text', async () => {
    const spoken = message('', {
      content: [{ type: 'output_audio', data: 'AA==', transcript: 'Hello' }],
    })
    expect((await whole(response(spoken))).text).toBe('Hello')
    const audio = (name: string, more: object): object => ({
      type: `response.audio.${name}`,
      ...more,
    })
    expect(
      await read(
        audio('transcript.delta', { delta: 'Hel' }),
        audio('delta', { delta: 'AA==' }),
        audio('transcript.delta', { delta: 'lo' }),
        audio('done', {}),
        item('done', 0, spoken),
        completed(),
      ),
    ).toMatchObject({ text: 'Hello' })
  })

  test('other parts of a reply include tools that the vendor ran, by their kind if they have no name', async () => {
    const items = [
      { type: 'web_search_call', id: null, call_id: 'ws_1', name: null },
      { type: 'mcp_call', id: 'mcp_1', name: 'ask' },
    ]
    expect((await whole(response(...items))).providerToolCalls).toMatchObject([
      { id: 'ws_1', name: 'web_search_call' },
      { id: 'mcp_1', name: 'ask' },
    ])
  })

  test('an empty record, and [DONE] with spaces around it, are ignored', async () => {
    const body = `data:\n\ndata:  [DONE] \n\n${sse(completed({ output: [message('Hello')] }))}`
    const provider = create(
      () => new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
    )
    expect(await (await provider.stream('Hi')).next()).toEqual({ done: false, value: 'Hello' })
  })
})
