import { describe, expect, test } from 'vitest'
import { createOpenAI } from '../src/index.js'
import { recordingFetch, streamed } from './support.js'

const event = (type: string, more: object): object => ({ type: `response.${type}`, ...more })
const completed = event('completed', { response: { status: 'completed', output: [] } })

/** The events of one item, each with the fields that place it. */
const item = (
  place: object,
  body: { readonly id: string; readonly type: string },
  ...deltas: readonly object[]
): object[] => [
  event('output_item.added', {
    ...place,
    item: { id: body.id, type: body.type, ...('call_id' in body && body) },
  }),
  ...deltas.map((delta) => ({ ...delta, ...place, item_id: body.id })),
  event('output_item.done', { ...place, item: body }),
]
const reasoning = (place: object, text: string): object[] =>
  item(
    place,
    { id: 'rs_1', type: 'reasoning', summary: [{ type: 'summary_text', text }] } as never,
    event('reasoning_summary_text.delta', { summary_index: 0, delta: text }),
  )
const message = (place: object, id: string, text: string): object[] =>
  item(
    place,
    { id, type: 'message', content: [{ type: 'output_text', text }] } as never,
    event('output_text.delta', { content_index: 0, delta: text }),
  )
const call = (place: object, id: string, callId: string, args: string): object[] =>
  item(
    place,
    { id, type: 'function_call', call_id: callId, name: 'add', arguments: args } as never,
    event('function_call_arguments.delta', { delta: args }),
  )

async function read(events: readonly object[], last: object = completed) {
  const { fetch } = recordingFetch(() => streamed(...events, last))
  const provider = createOpenAI({ apiKey: 'sk-test-0123456789', model: 'gpt-5.4', fetch })
  const reader = await provider.streamWithTools([{ role: 'user', content: 'Hi' }], [], {
    retry: { attempts: 1 },
  })
  let thoughts = ''
  const calls: unknown[] = []
  for await (const one of reader) {
    if (one.type === 'reasoning-delta') thoughts += one.text
    if (one.type === 'tool-call-complete') calls.push([one.toolCall.id, one.toolCall.argumentsText])
  }
  const state = reader.messages().at(-1) as { origin?: { state?: { items?: { type: string }[] } } }
  return {
    text: reader.fullText(),
    thoughts,
    calls,
    items: state.origin?.state?.items?.map(({ type }) => type),
  }
}

describe('items that share an id', () => {
  const search = item({ output_index: 1 }, { id: 'ws_1', type: 'web_search_call' })

  test('items that share an id stay apart and in order when events carry their place', async () => {
    const events = [
      ...reasoning({ output_index: 0 }, 'A'),
      ...search,
      ...reasoning({ output_index: 2 }, 'B'),
      ...message({ output_index: 3 }, 'msg_1', 'Hello'),
    ]
    expect(await read(events)).toEqual({
      text: 'Hello',
      thoughts: 'AB',
      calls: [],
      items: ['reasoning', 'web_search_call', 'reasoning', 'message'],
    })
  })

  test('items that share an id keep all text and all calls of messages and calls with one id', async () => {
    const places = [
      { output_index: 0 },
      { output_index: 1 },
      { output_index: 2 },
      { output_index: 3 },
    ] as const
    const events = [
      ...message(places[0], 'x', 'one '),
      ...message(places[1], 'x', 'two'),
      ...call(places[2], 'x', 'call_1', '{"a":1}'),
      ...call(places[3], 'x', 'call_2', '{"a":2}'),
    ]
    const { text, calls } = await read(events)
    expect([text, calls]).toEqual([
      'one two',
      [
        ['call_1', '{"a":1}'],
        ['call_2', '{"a":2}'],
      ],
    ])
  })

  test('items that share an id stay apart without a place, each event belonging to the latest item of its id', async () => {
    const { text, thoughts, calls } = await read([
      ...reasoning({}, 'A'),
      ...reasoning({}, 'B'),
      ...message({}, 'x', 'one '),
      ...message({}, 'x', 'two'),
      ...call({}, 'y', 'call_1', '{"a":1}'),
      ...call({}, 'y', 'call_2', '{"a":2}'),
    ])
    expect([text, thoughts, calls]).toEqual([
      'one two',
      'AB',
      [
        ['call_1', '{"a":1}'],
        ['call_2', '{"a":2}'],
      ],
    ])
  })

  test('items that share an id find an item that began by its id alone when its place comes later', async () => {
    const { text } = await read([
      event('output_item.added', { item: { id: 'm', type: 'message' } }),
      event('output_text.delta', {
        item_id: 'm',
        output_index: 0,
        content_index: 0,
        delta: 'Hello',
      }),
      event('output_item.done', {
        output_index: 0,
        item: { id: 'm', type: 'message', content: [{ type: 'output_text', text: 'Hello' }] },
      }),
    ])
    expect(text).toBe('Hello')
  })
})

describe('finished items', () => {
  const said = (id: string, text: string): object => ({
    id,
    type: 'message',
    content: [{ type: 'output_text', text }],
  })
  const called = (callId: string, args: string): object => ({
    id: 'fc_1',
    type: 'function_call',
    call_id: callId,
    name: 'add',
    arguments: args,
  })
  const finished = (body: object): object => event('output_item.done', { item: body })
  const ended = (...output: readonly object[]): object =>
    event('completed', { response: { status: 'completed', output } })

  test('finished items are all kept if they share an id and come without a place or a start', async () => {
    const { text, calls } = await read(
      [
        said('m', 'one '),
        said('m', 'two'),
        called('call_1', '{"a":1}'),
        called('call_2', '{"a":2}'),
      ].map(finished),
    )
    expect([text, calls]).toEqual([
      'one two',
      [
        ['call_1', '{"a":1}'],
        ['call_2', '{"a":2}'],
      ],
    ])
  })

  test('finished items count once if the server repeats them', async () => {
    const { text, calls } = await read(
      [said('m', 'one'), said('m', 'one'), called('call_1', '{}'), called('call_1', '{}')].map(
        finished,
      ),
    )
    expect([text, calls]).toEqual(['one', [['call_1', '{}']]])
  })

  test('finished items of one place stay apart if another one starts there', async () => {
    const place = { output_index: 0 }
    expect((await read([...message(place, 'x', 'one '), ...message(place, 'y', 'two')])).text).toBe(
      'one two',
    )
  })

  test.each([
    ['with places', { output_index: 0 }],
    ['without places', {}],
  ])(
    'finished items of which no event came are taken from the whole reply, %s',
    async (_, place) => {
      const { text, calls } = await read(
        message(place, 'm', 'one '),
        ended(said('m', 'one '), said('m', 'two'), called('call_1', '{}')),
      )
      expect([text, calls]).toEqual(['one two', [['call_1', '{}']]])
    },
  )

  test('finished items that a limit cut have an error, also the input of a custom tool', async () => {
    const custom = {
      id: 'c',
      type: 'custom_tool_call',
      call_id: 'call_1',
      name: 'sql',
      input: 'DELETE FROM a',
    }
    const cut = { ...custom, status: 'incomplete' }
    const response = {
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      output: [cut],
    }
    const { fetch } = recordingFetch(() =>
      streamed(finished(cut), event('incomplete', { response })),
    )
    const provider = createOpenAI({ apiKey: 'sk-test-0123456789', model: 'gpt-5.4', fetch })
    const reader = await provider.streamWithTools([{ role: 'user', content: 'Hi' }], [], {
      retry: { attempts: 1 },
    })
    const calls: unknown[] = []
    for await (const one of reader) if (one.type === 'tool-call-complete') calls.push(one.toolCall)
    expect(calls).toMatchObject([{ arguments: {}, error: expect.any(String) as string }])
  })
})
