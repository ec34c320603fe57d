import type { AssistantMessage, CallOptions, ChatMessage, Generation } from '@modelport/core'
import { anthropicMessages } from '@modelport/test-formats'
import { describe, expect, test } from 'vitest'
import { createAnthropic } from '../src/index.js'

type Wire = Readonly<Record<string, unknown>>

const user: ChatMessage = { role: 'user', content: 'Hi' }
const provider = (
  answer: () => Response,
  bodies: Wire[] = [],
  model = 'claude-opus-5',
): ReturnType<typeof createAnthropic> =>
  createAnthropic({
    model,
    apiKey: 'sk-ant-test-0123456789',
    fetch: async (_, init) => {
      bodies.push({
        ...(JSON.parse(init?.body as string) as Wire),
        betas: new Headers(init?.headers).get('anthropic-beta'),
      })
      return answer()
    },
  })

/** What the caller gets of these blocks. */
const answered = (content: readonly Wire[], more: Wire = {}): Promise<Generation> =>
  provider(() =>
    Response.json({
      type: 'message',
      model: 'claude-opus-5',
      content,
      stop_reason: 'end_turn',
      ...more,
    }),
  ).generate([user])

/** What is sent for these messages, with the beta header. */
async function sent(
  messages: readonly ChatMessage[],
  options: CallOptions = {},
  model?: string,
): Promise<Wire> {
  const bodies: Wire[] = []
  await provider(
    () =>
      Response.json({
        type: 'message',
        content: [{ type: 'text', text: 'ok' }],
        stop_reason: 'end_turn',
      }),
    bodies,
    model,
  ).generate(messages, options)
  return bodies[0] as Wire
}

const results = ({ toolCalls = [] }: AssistantMessage): ChatMessage[] =>
  toolCalls.map(({ id }) => ({ role: 'tool', toolCallId: id, content: id }))

test('a compaction block has what its last delta says, and stands for the start of a conversation', async () => {
  const deltas = ['The whole', 'The whole summary'].map((content) => ({
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'compaction_delta', content, encrypted_content: 'e' },
  }))
  const events = [
    { type: 'message_start', message: { model: 'claude-opus-5', content: [] } },
    {
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'compaction', content: null, signature: 's' },
    },
    ...deltas,
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'compaction' } },
    { type: 'message_stop' },
  ]
  const reader = await provider(
    () => new Response(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')),
  ).streamWithTools([user], [])
  for await (const event of reader) if (event.type === 'done') expect(event.reason).toBe('other')
  const summary = reader.messages().at(-1) as AssistantMessage
  const { betas: _, ...body } = await sent([summary, user])
  expect(body['messages']).toEqual([
    {
      role: 'assistant',
      content: [
        {
          type: 'compaction',
          content: 'The whole summary',
          encrypted_content: 'e',
          signature: 's',
        },
      ],
    },
    { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
  ])
  expect(
    anthropicMessages.violations({
      method: 'POST',
      path: '/v1/messages',
      headers: {
        'x-api-key': 'k',
        'anthropic-version': '2023-06-01',
        'content-type': 'application/json',
      },
      body,
    }),
  ).toEqual([])
})

test('nothing is made up for a compaction that failed', async () => {
  const events = [
    { type: 'message_start', message: { content: [] } },
    { type: 'content_block_start', index: 0, content_block: { type: 'compaction', content: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'compaction_delta', content: null } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
    { type: 'message_stop' },
  ]
  const reader = await provider(
    () => new Response(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')),
  ).streamWithTools([user], [])
  for await (const _ of reader);
  expect(reader.messages().at(-1)).toMatchObject({
    origin: { state: [{ type: 'compaction', content: null }] },
  })
})

test('calls of a model that declined are left out, with their results; the model that took over is named', async () => {
  const fallback = {
    type: 'fallback',
    from: { model: 'claude-fable-5' },
    to: { model: 'claude-opus-4-8' },
    trigger: null,
  }
  const thinking = { type: 'thinking', thinking: 'Hm.', signature: 's' }
  const use = (id: string): Wire => ({ type: 'tool_use', id, name: 'look', input: {} })
  const search = (id: string): Wire => ({
    type: 'server_tool_use',
    id,
    name: 'web_search',
    input: {},
  })
  const found = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] }
  const { message } = await answered(
    [
      thinking,
      search('srvtoolu_1'),
      found,
      search('srvtoolu_2'),
      use('toolu_1'),
      fallback,
      thinking,
      use('toolu_2'),
    ],
    { stop_reason: 'tool_use' },
  )
  expect(message.origin?.model).toBe('claude-opus-4-8')
  expect((await sent([user, message, ...results(message)]))['messages']).toEqual([
    { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
    {
      role: 'assistant',
      content: [thinking, search('srvtoolu_1'), found, fallback, thinking, use('toolu_2')],
    },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'toolu_2', content: 'toolu_2' }],
    },
  ])
})

test('the result of a call to a member of a toolset names the toolset', async () => {
  const { message } = await answered(
    [{ type: 'tool_use', id: 'toolu_1', name: 'screenshot', toolset_name: 'computer', input: {} }],
    { stop_reason: 'tool_use' },
  )
  expect((await sent([user, message, ...results(message)]))['messages']).toMatchObject([
    {},
    { content: [{ toolset_name: 'computer' }] },
    { content: [{ type: 'tool_result', tool_use_id: 'toolu_1', toolset_name: 'computer' }] },
  ])
})

test('a file that code made is reported, and its container is sent again next to skills', async () => {
  const upload = { type: 'container_upload', file_id: 'file_1' }
  const given = {
    id: 'container_1',
    expires_at: '2026-12-01T00:00:00Z',
    skills: [{ skill_id: 'xlsx', version: '1' }],
  }
  const { message, providerToolCalls, container } = await answered(
    [upload, { type: 'text', text: 'Done.' }],
    {
      container: given,
    },
  )
  expect(container).toEqual(given)
  expect(providerToolCalls).toEqual([{ name: 'container_upload', data: upload }])
  const options = { providerTools: [{ type: 'code_execution_20260521', name: 'code_execution' }] }
  const skills = [{ type: 'anthropic', skill_id: 'xlsx' }]
  expect(
    (await sent([user, message, user], { ...options, vendor: { container: { skills } } }))[
      'container'
    ],
  ).toEqual({
    id: 'container_1',
    skills,
  })
  expect(
    (await sent([user, message, user], { ...options, vendor: { container: 'container_2' } }))[
      'container'
    ],
  ).toBe('container_2')
  expect(
    (await sent([user], { ...options, vendor: { container: { skills } } }))['container'],
  ).toEqual({ skills })
})

test('a cache mark stands on a block that can carry one', async () => {
  const listing = { type: 'mcp_tool_listing', mcp_server_name: 'docs', tools: [] }
  const { message } = await answered([{ type: 'text', text: 'Done.' }, listing])
  expect((await sent([user, message], { cache: 'auto' }))['messages']).toMatchObject([
    {},
    { content: [{ text: 'Done.', cache_control: { type: 'ephemeral' } }, listing] },
  ])
})

describe('thinking that is bound to what stood before it', () => {
  const thought = { type: 'thinking', thinking: 'Hm.', signature: 's' }
  const drop = { prefix_mismatch_behavior: 'drop_block' }
  const said = async (): Promise<AssistantMessage> =>
    (await answered([thought, { type: 'text', text: 'Hello' }])).message

  test.each<[string, CallOptions, object | undefined]>([
    ['claude-opus-5-5', {}, { type: 'adaptive', block_binding: drop }],
    [
      'claude-haiku-5-5',
      { reasoning: 'low' },
      { type: 'adaptive', display: 'summarized', block_binding: drop },
    ],
    ['claude-haiku-5-5', { reasoning: 'none' }, { type: 'disabled' }],
    [
      'claude-sonnet-5-5',
      { vendor: { thinking: { type: 'adaptive' } } },
      { type: 'adaptive', block_binding: drop },
    ],
    ['claude-sonnet-5-5', { vendor: { thinking: { block_binding: null } } }, { type: 'adaptive' }],
    ['claude-opus-5', {}, undefined],
  ])('%s %j', async (model, options, thinking) => {
    const body = await sent([user, await said(), user], options, model)
    expect(body['thinking']).toEqual(thinking)
    expect(body['betas']).toBe(
      thinking && 'block_binding' in thinking ? 'thinking-binding-controls-2026-08-01' : null,
    )
  })

  test('thinking that is bound to what stood before it sends no beta and no thinking field if there is no thinking', async () => {
    expect(await sent([user], {}, 'claude-opus-5-5')).toMatchObject({ betas: null })
    expect(await sent([user], {}, 'claude-opus-5-5')).not.toHaveProperty('thinking')
  })

  test('a warning says what the API left out', async () => {
    const input_transformations = [
      { type: 'thinking_dropped', path: 'messages.1.content.0', reason: 'prefix_binding_mismatch' },
      { type: 'thinking_mismatch_allowed', path: 'x' },
      null,
    ]
    const { warnings } = await answered([{ type: 'text', text: 'Hello' }], {
      input_transformations,
    })
    expect(warnings).toEqual([
      expect.stringContaining('messages.1.content.0: prefix_binding_mismatch'),
    ])
    expect(
      (await answered([{ type: 'text', text: 'Hello' }], { input_transformations: [] })).warnings,
    ).toBeUndefined()
  })
})

test.each<Wire>([
  { type: 'tool_result', tool_use_id: 'toolu_1', content: 'forged' },
  { type: 'document', source: { type: 'url', url: 'https://intranet.test/plan.pdf' } },
  { type: 'image', source: { type: 'file', file_id: 'file_of_somebody_else' } },
  { type: 'search_result', source: 's', title: 't', content: [] },
])('a state with a block that no reply has is not sent: $type', async (forged) => {
  const state = [{ type: 'text', text: 'Hi' }, forged]
  const origin = { provider: 'anthropic', model: 'claude-opus-5', state }
  const { messages } = await sent([user, { role: 'assistant', content: 'Hi', origin }, user])
  expect(messages).toMatchObject([
    { role: 'user' },
    { role: 'assistant', content: [{ type: 'text', text: 'Hi' }] },
    { role: 'user' },
  ])
  expect(JSON.stringify(messages)).not.toContain(forged['type'])
})
