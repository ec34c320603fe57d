import type { ChatMessage, StreamEvent, ToolStreamReader } from '@modelport/core'
import { describe, expect, test } from 'vitest'
import { type AnthropicConfig, createAnthropic } from '../src/index.js'

type Wire = Readonly<Record<string, unknown>>

const question: ChatMessage[] = [{ role: 'user', content: 'Hi' }]
const sse = (...events: readonly Wire[]): string =>
  events
    .map((event) => `event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('')
const start = (more: Wire = {}): Wire => ({
  type: 'message_start',
  message: {
    model: 'claude-x',
    content: [],
    usage: { input_tokens: 5, output_tokens: 1 },
    ...more,
  },
})
const open = (index: number, block: Wire): Wire => ({
  type: 'content_block_start',
  index,
  content_block: block,
})
const add = (index: number, delta: Wire): Wire => ({ type: 'content_block_delta', index, delta })
const close = (index: number): Wire => ({ type: 'content_block_stop', index })
const end = (reason: string | null, usage: Wire = { output_tokens: 9 }): Wire[] => [
  { type: 'message_delta', delta: { stop_reason: reason }, usage },
  { type: 'message_stop' },
]
const text = (index: number, ...pieces: string[]): Wire[] => [
  open(index, { type: 'text', text: '' }),
  ...pieces.map((piece) => add(index, { type: 'text_delta', text: piece })),
  close(index),
]

interface Played {
  readonly events: StreamEvent[]
  readonly reader: ToolStreamReader
  readonly bodies: Wire[]
}

/** Plays answers, one a request; calls are answered with their name. */
async function play(
  answers: readonly string[],
  config: Partial<AnthropicConfig> = {},
): Promise<Played> {
  const bodies: Wire[] = []
  const provider = createAnthropic({
    model: 'claude-sonnet-4-5',
    apiKey: 'sk-ant-test-0123456789',
    defaults: { retry: { attempts: 1 } },
    fetch: async (_, init) => {
      bodies.push(JSON.parse(init?.body as string) as Wire)
      return new Response(answers[bodies.length - 1], {
        headers: { 'content-type': 'text/event-stream' },
      })
    },
    ...config,
  })
  const reader = await provider.streamWithTools(question, [{ name: 'look', description: 'Looks' }])
  const events: StreamEvent[] = []
  for await (const event of reader) {
    events.push(event)
    if (event.type !== 'turn-end' || event.reason !== 'tool-calls') continue
    const calls =
      reader
        .messages()
        .flatMap((message) => (message.role === 'assistant' ? [message.toolCalls ?? []] : []))
        .at(-1) ?? []
    await reader.sendToolResults(calls.map(({ id, name }) => ({ callId: id, content: name })))
  }
  return { events, reader, bodies }
}

const turnEnd = ({ events }: Played): unknown => events.find(({ type }) => type === 'turn-end')
const lastAssistant = ({ bodies }: Played, index: number): Wire =>
  (bodies[index]!['messages'] as Wire[]).findLast(({ role }) => role === 'assistant')!

test('a call that the token limit cut before its arguments has an error', async () => {
  const call = open(0, { type: 'tool_use', id: 'a', name: 'look', input: {} })
  for (const last of [[], [close(0)]]) {
    const { events } = await play([sse(start(), call, ...last, ...end('max_tokens'))])
    const complete = events.filter(({ type }) => type === 'tool-call-complete')
    expect(complete).toMatchObject([
      { toolCall: { arguments: {}, error: expect.any(String) as string } },
    ])
  }
})

test('[DONE] ends a message with a stop reason, and nothing else', async () => {
  const stopped = [start(), ...text(0, 'Hi'), end('end_turn')[0]!]
  const { reader } = await play([`${sse(...stopped)}data: [DONE]\n\n`])
  expect(reader.fullText()).toBe('Hi')
  expect(reader.finishReason()).toBe('stop')
  await expect(play([`${sse(start(), ...text(0, 'Hi'))}data: [DONE]\n\n`])).rejects.toMatchObject({
    code: 'truncated',
    partial: { text: 'Hi' },
  })
  const chunk = {
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta: { content: 'Hi' } }],
  }
  await expect(play([`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`])).rejects.toMatchObject({
    code: 'truncated',
  })
})

describe('stop reasons', () => {
  test.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['refusal', 'content-filter'],
    ['something_new', 'other'],
    ['constructor', 'other'],
  ])('the stop reason %s is known', async (raw, reason) => {
    const played = await play([sse(start(), ...text(0, 'Hello'), ...end(raw))])
    expect(turnEnd(played)).toMatchObject({ reason })
  })

  test('a stream without a stop reason is truncated, also with message_stop', async () => {
    await expect(play([sse(start(), ...text(0, 'Hello'), ...end(null))])).rejects.toMatchObject({
      code: 'truncated',
      partial: { text: 'Hello' },
    })
  })

  test('stop reasons do not end a stream without message_stop: it is truncated', async () => {
    await expect(
      play([sse(start(), ...text(0, 'Hello'), end('end_turn')[0]!)]),
    ).rejects.toMatchObject({
      code: 'truncated',
      partial: { text: 'Hello' },
    })
  })
})

describe('usage', () => {
  test('usage counts cached input as input, replaces earlier counts by later ones, and ignores null', async () => {
    const first = {
      input_tokens: 10,
      cache_read_input_tokens: 100,
      cache_creation_input_tokens: 7,
      output_tokens: 1,
    }
    const last = {
      input_tokens: 12,
      cache_read_input_tokens: null,
      output_tokens: 50,
      output_tokens_details: { thinking_tokens: 20 },
      server_tool_use: { web_search_requests: 3 },
    }
    expect(
      turnEnd(
        await play([sse(start({ usage: first }), ...text(0, 'x'), ...end('end_turn', last))]),
      ),
    ).toMatchObject({
      usage: {
        inputTokens: 119,
        outputTokens: 50,
        cacheReadTokens: 100,
        cacheCreationTokens: 7,
        reasoningTokens: 20,
      },
    })
  })
})

describe('failures inside a stream', () => {
  test.each([
    ['overloaded_error', 'overloaded', 529],
    ['rate_limit_error', 'rate-limit', 429],
    ['api_error', 'server', 500],
    ['authentication_error', 'auth', 401],
    ['billing_error', 'quota-exhausted', 402],
    ['new_error', 'unknown', 200],
  ])('the failure %s inside a stream has its own code', async (type, code, status) => {
    const answer = sse(start(), ...text(0, 'Hel'), {
      type: 'error',
      error: { type, message: 'went wrong' },
      request_id: 'req_9',
    })
    await expect(play([answer])).rejects.toMatchObject({
      code,
      status,
      type,
      requestId: 'req_9',
      partial: { text: 'Hel' },
    })
  })

  test('failures inside a stream reject with an error in plain text', async () => {
    const answer = `${sse(start(), ...text(0, 'Hel'))}event: error\ndata: upstream is gone\n\n`
    await expect(play([answer])).rejects.toMatchObject({
      code: 'unknown',
      message: expect.stringContaining('upstream is gone') as string,
      partial: { text: 'Hel' },
    })
  })

  test('failures inside a stream reject with an error that has no event of its own', async () => {
    await expect(
      play([`data: {"error":{"code":500,"message":"broken","type":"server_error"}}\n\n`]),
    ).rejects.toMatchObject({
      type: 'server_error',
      message: expect.stringContaining('broken') as string,
    })
  })
})

describe('blocks', () => {
  test('blocks of calls have their arguments in deltas, not at all, or whole in the start event', async () => {
    const played = await play([
      sse(
        start(),
        open(0, { type: 'tool_use', id: 'toolu_a', name: 'look', input: {} }),
        add(0, { type: 'input_json_delta', partial_json: '' }),
        add(0, { type: 'input_json_delta', partial_json: '{"a":' }),
        add(0, { type: 'input_json_delta', partial_json: '1}' }),
        close(0),
        open(1, { type: 'tool_use', id: 'toolu_b', name: 'look', input: {} }),
        close(1),
        open(2, { type: 'tool_use', id: 'toolu_c', name: 'look', input: { c: 3 } }),
        close(2),
        ...end('tool_use'),
      ),
      sse(start(), ...text(0, 'Done'), ...end('end_turn')),
    ])
    const calls = played.events.flatMap((event) =>
      event.type === 'tool-call-complete' ? [event.toolCall] : [],
    )
    expect(calls.map(({ id, arguments: values }) => [id, values])).toEqual([
      ['toolu_a', { a: 1 }],
      ['toolu_b', {}],
      ['toolu_c', { c: 3 }],
    ])
    expect(lastAssistant(played, 1)['content']).toEqual([
      { type: 'tool_use', id: 'toolu_a', name: 'look', input: { a: 1 } },
      { type: 'tool_use', id: 'toolu_b', name: 'look', input: {} },
      { type: 'tool_use', id: 'toolu_c', name: 'look', input: { c: 3 } },
    ])
  })

  test('blocks that are interleaved each keep their own text and thinking', async () => {
    const piece = (index: number, said: string): Wire =>
      add(index, { type: 'text_delta', text: said })
    const thought = (index: number, said: string): Wire =>
      add(index, { type: 'thinking_delta', thinking: said })
    const { reader } = await play([
      sse(
        start(),
        open(0, { type: 'thinking', thinking: 'Hm' }),
        open(1, { type: 'text', text: 'One' }),
        thought(0, ', so'),
        piece(1, ' and'),
        open(2, { type: 'text', text: 'Two' }),
        thought(0, '.'),
        piece(2, ' or'),
        piece(2, ' so'),
        piece(1, ' more'),
        add(0, { type: 'signature_delta', signature: 's' }),
        close(0),
        close(1),
        close(2),
        ...end('end_turn'),
      ),
    ])
    expect(reader.fullText()).toBe('One andTwo or so more')
    expect(reader.messages().at(-1)).toMatchObject({
      reasoning: 'Hm, so.',
      origin: {
        state: [
          { type: 'thinking', thinking: 'Hm, so.', signature: 's' },
          { type: 'text', text: 'One and more' },
          { type: 'text', text: 'Two or so' },
        ],
      },
    })
  })

  test('blocks of thinking, redacted thinking and tools the API ran go back exactly, before a call', async () => {
    const redacted = { type: 'redacted_thinking', data: 'encrypted' }
    const search = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }
    const found = {
      type: 'web_search_tool_result',
      tool_use_id: 'srvtoolu_1',
      content: [
        { type: 'web_search_result', url: 'https://a.test', title: 'A', encrypted_content: 'e' },
      ],
    }
    const citation = {
      type: 'web_search_result_location',
      url: 'https://a.test',
      title: 'A',
      cited_text: 'so',
      encrypted_index: 'i',
    }
    const played = await play([
      sse(
        start(),
        open(0, { type: 'thinking', thinking: '', signature: '' }),
        add(0, { type: 'thinking_delta', thinking: 'Hm' }),
        add(0, { type: 'thinking_delta', thinking: '.' }),
        add(0, { type: 'signature_delta', signature: 'sig' }),
        close(0),
        open(1, redacted),
        close(1),
        open(2, search),
        add(2, { type: 'input_json_delta', partial_json: '{"query":"a"}' }),
        close(2),
        open(3, found),
        close(3),
        open(4, { type: 'text', text: '', citations: [] }),
        add(4, { type: 'text_delta', text: 'So.' }),
        add(4, { type: 'citations_delta', citation }),
        close(4),
        open(5, { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} }),
        close(5),
        ...end('tool_use'),
      ),
      sse(start(), ...text(0, 'Done'), ...end('end_turn')),
    ])
    expect(lastAssistant(played, 1)['content']).toEqual([
      { type: 'thinking', thinking: 'Hm.', signature: 'sig' },
      redacted,
      { ...search, input: { query: 'a' } },
      found,
      { type: 'text', text: 'So.', citations: [citation] },
      { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} },
    ])
    expect(
      played.events.some(
        (event) => event.type === 'tool-call-start' && event.toolCall.name === 'web_search',
      ),
    ).toBe(false)
  })

  test('blocks of tools the API ran, and its citations, are in the reply', async () => {
    const content = [
      { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'a' } },
      {
        type: 'web_search_tool_result',
        tool_use_id: 'srvtoolu_1',
        content: { type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' },
      },
      {
        type: 'text',
        text: 'So.',
        citations: [{ type: 'page_location', cited_text: 'so', document_title: 'D' }],
      },
    ]
    const fetch = async (): Promise<Response> =>
      Response.json({
        type: 'message',
        model: 'claude-x',
        content,
        stop_reason: 'refusal',
        stop_details: { explanation: 'why' },
      })
    const answer = await createAnthropic({
      model: 'm',
      apiKey: 'sk-ant-test-0123456789',
      fetch,
    }).generate(question)
    expect(answer).toMatchObject({
      providerToolCalls: [
        { id: 'srvtoolu_1', name: 'web_search', data: content[0] },
        { id: 'srvtoolu_1', name: 'web_search', data: content[1] },
      ],
      citations: [{ title: 'D', text: 'so' }],
      finishReason: 'content-filter',
      rawFinishReason: 'refusal',
      warnings: ['refusal: why'],
      message: { origin: { provider: 'anthropic', model: 'claude-x', state: content } },
    })
  })

  test('blocks keep the category of a refusal without an explanation, and leave an empty citation out', async () => {
    const content = [{ type: 'text', text: 'So.', citations: [{ type: 'new_location', place: 7 }] }]
    const fetch = async (): Promise<Response> =>
      Response.json({
        type: 'message',
        content,
        stop_reason: 'refusal',
        stop_details: { explanation: null, category: 'bio' },
      })
    const answer = await createAnthropic({
      model: 'm',
      apiKey: 'sk-ant-test-0123456789',
      fetch,
    }).generate(question)
    expect(answer.warnings).toEqual(['refusal: bio'])
    expect(answer.citations).toBeUndefined()
  })

  test('blocks of thinking without a signature are shown, and not sent back', async () => {
    const played = await play([
      sse(
        start(),
        open(0, { type: 'thinking', thinking: '', signature: '' }),
        add(0, { type: 'thinking_delta', thinking: 'Hm.' }),
        close(0),
        open(1, { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} }),
        close(1),
        ...end('tool_use'),
      ),
      sse(start(), ...text(0, 'Done'), ...end('end_turn')),
    ])
    expect(played.events[0]).toEqual({ type: 'reasoning-delta', text: 'Hm.' })
    expect(lastAssistant(played, 1)['content']).toEqual([
      { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} },
    ])
  })

  test('blocks of unknown kinds are skipped; a message with one that cannot be kept has no state', async () => {
    const played = await play([
      sse(
        start(),
        { type: 'ping' },
        { type: 'new_event', data: 1 },
        open(0, { type: 'new_block', value: 1 }),
        add(0, { type: 'new_delta', value: 2 }),
        close(0),
        ...text(1, 'Hello'),
        ...end('end_turn'),
      ),
    ])
    expect(played.reader.fullText()).toBe('Hello')
    expect(played.reader.messages().at(-1)).toMatchObject({
      content: 'Hello',
      origin: { provider: 'anthropic' },
    })
    expect(JSON.stringify(played.reader.messages().at(-1))).not.toContain('state')
  })

  test('blocks are found for events that do not name theirs', async () => {
    const without = ({ index: _, ...event }: Wire): Wire => event
    const call = (at: number): Wire[] => [
      open(at, { type: 'tool_use', id: `toolu_${at}`, name: 'look', input: {} }),
      add(at, { type: 'input_json_delta', partial_json: `{"at":${at}}` }),
      close(at),
    ]
    const events = [...text(0, 'Hello'), ...call(1), ...call(2)]
    const deltas = events.map((event) =>
      event['type'] === 'content_block_delta' ? without(event) : event,
    )
    for (const each of [deltas, events.map(without)]) {
      const { reader } = await play([
        sse(start(), ...each, ...end('tool_use')),
        sse(start(), ...text(0, '!'), ...end('end_turn')),
      ])
      expect(reader.fullText()).toBe('Hello!')
      expect(reader.messages()[1]).toMatchObject({
        toolCalls: [
          { id: 'toolu_1', arguments: { at: 1 } },
          { id: 'toolu_2', arguments: { at: 2 } },
        ],
      })
    }
  })

  test('blocks are not changed by an empty event', async () => {
    expect(
      (
        await play([
          `event: ping\ndata:\n\n${sse(start(), ...text(0, 'Hello'))}data: \n\n${sse(...end('end_turn'))}`,
        ])
      ).reader.fullText(),
    ).toBe('Hello')
  })

  test('blocks are read from deltas without a start, and from a stream that starts with blocks', async () => {
    const bare = await play([
      sse(start(), add(0, { type: 'text_delta', text: 'Hello' }), ...end('end_turn')),
    ])
    expect(bare.reader.fullText()).toBe('Hello')
    const begun = await play([
      sse(
        start({ content: [{ type: 'text', text: 'Be' }] }),
        ...text(0, 'gun'),
        ...end('end_turn'),
      ),
    ])
    expect(begun.reader.fullText()).toBe('Begun')
  })
})

test('a paused turn continues by itself, with everything it had said', async () => {
  const search = {
    type: 'server_tool_use',
    id: 'srvtoolu_1',
    name: 'web_search',
    input: { query: 'a' },
  }
  const found = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] }
  const played = await play([
    sse(start(), ...text(0, 'First. '), open(1, search), close(1), ...end('pause_turn')),
    sse(
      start(),
      open(0, found),
      close(0),
      ...text(1, 'Second.'),
      open(2, { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} }),
      close(2),
      ...end('tool_use'),
    ),
    sse(start(), ...text(0, 'Done'), ...end('end_turn')),
  ])
  const before = [{ type: 'text', text: 'First. ' }, search]
  expect((played.bodies[1]!['messages'] as Wire[]).at(-1)).toEqual({
    role: 'assistant',
    content: before,
  })
  expect(lastAssistant(played, 2)['content']).toEqual([
    ...before,
    found,
    { type: 'text', text: 'Second.' },
    { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} },
  ])
  expect(played.reader.fullText()).toBe('First. Second.Done')
})

test('an incomplete state of a paused turn is ignored', async () => {
  const search = {
    type: 'server_tool_use',
    id: 'srvtoolu_1',
    name: 'web_search',
    input: { query: 'a' },
  }
  const played = await play([
    sse(start(), open(0, search), add(0, { type: 'new_delta' }), close(0), ...end('pause_turn')),
    sse(start(), ...text(0, 'Hello'), ...end('end_turn')),
  ])
  expect(JSON.stringify(played.reader.messages())).not.toContain('state')
})

test('code that calls tools keeps its container', async () => {
  const caller = { type: 'code_execution_20250825', tool_id: 'srvtoolu_1' }
  const code = {
    type: 'server_tool_use',
    id: 'srvtoolu_1',
    name: 'code_execution',
    input: { code: 'look()' },
  }
  const played = await play(
    [
      sse(
        start(),
        open(0, code),
        close(0),
        open(1, { type: 'tool_use', id: 'toolu_1', name: 'look', input: {}, caller }),
        close(1),
        {
          type: 'message_delta',
          delta: { stop_reason: 'tool_use', container: { id: 'container_1' } },
        },
        { type: 'message_stop' },
      ),
      sse(start(), ...text(0, 'Done'), ...end('end_turn')),
    ],
    { defaults: { providerTools: [{ type: 'code_execution_20250825', name: 'code_execution' }] } },
  )
  expect(played.bodies[1]).toMatchObject({ container: 'container_1' })
  expect(lastAssistant(played, 1)['content']).toEqual([
    code,
    { type: 'tool_use', id: 'toolu_1', name: 'look', input: {}, caller },
  ])
})

test('values of the wrong kind never break the decoder', async () => {
  const events: Wire[] = [
    start({
      content: [{ type: 'text', text: 'a', citations: [{ url: 'u' }] }],
      container: { id: 'c' },
    }),
    open(0, { type: 'thinking', thinking: 'a', signature: '' }),
    add(0, { type: 'signature_delta', signature: 's' }),
    close(0),
    open(1, { type: 'text', text: '' }),
    add(1, { type: 'text_delta', text: 'b' }),
    add(1, { type: 'citations_delta', citation: { cited_text: 'c' } }),
    close(1),
    open(2, { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }),
    add(2, { type: 'input_json_delta', partial_json: '{}' }),
    close(2),
    open(3, { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] }),
    close(3),
    {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_details: { explanation: 'e' } },
      usage: { output_tokens: 9, output_tokens_details: { thinking_tokens: 1 } },
    },
    { type: 'message_stop' },
  ]
  /** The same value with each of its inner values replaced, one at a time. */
  function* variants(value: unknown): Generator {
    for (const other of [null, 7, 'x', true, [], {}, [null], { type: 'text' }]) yield other
    if (typeof value !== 'object' || value === null) return
    for (const key of Object.keys(value)) {
      const inner = (value as Record<string, unknown>)[key]
      for (const variant of variants(inner))
        yield Array.isArray(value)
          ? value.map((item, at) => (String(at) === key ? variant : item) as unknown)
          : { ...value, [key]: variant }
      if (!Array.isArray(value)) yield { ...value, [key]: undefined }
    }
  }
  let tried = 0
  for (const [at, event] of events.entries()) {
    for (const variant of variants(event)) {
      const changed = events.map((one, index) => (index === at ? variant : one))
      const answer = changed.map((one) => `data: ${JSON.stringify(one)}\n\n`).join('')
      tried++
      await play([answer]).catch((error: unknown) => {
        expect(error, answer).toMatchObject({
          code: expect.stringMatching(/truncated|protocol/) as string,
        })
      })
    }
  }
  expect(tried).toBeGreaterThan(500)
})
