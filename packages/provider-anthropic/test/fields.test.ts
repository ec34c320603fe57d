import type { CallOptions, ChatMessage, ToolDefinition } from '@modelport/core'
import { anthropicMessages } from '@modelport/test-formats'
import { describe, expect, test } from 'vitest'
import { type AnthropicConfig, createAnthropic } from '../src/index.js'

const rooms: ToolDefinition = { name: 'list_rooms', description: '' }
const forecast: ToolDefinition = { name: 'get_forecast', description: 'The forecast of a city' }
const user = (content: string): ChatMessage => ({ role: 'user', content })
const refused = (code: string, text: RegExp) => ({
  code,
  message: expect.stringMatching(text) as string,
})

/** What is sent for one call, checked against the API's rules. */
async function sent(
  messages: readonly ChatMessage[],
  options: CallOptions = {},
  config: Partial<AnthropicConfig> = {},
) {
  let body: Record<string, unknown> = {}
  let headers: Record<string, string> = {}
  const reply = {
    type: 'message',
    content: [{ type: 'text', text: 'ok' }],
    stop_reason: 'end_turn',
  }
  const provider = createAnthropic({
    model: 'claude-sonnet-4-5',
    apiKey: 'sk-ant-test-0123456789',
    ...config,
    fetch: (_, init) => {
      headers = Object.fromEntries(new Headers(init?.headers))
      body = JSON.parse(init?.body as string) as Record<string, unknown>
      return Promise.resolve(Response.json(reply))
    },
  })
  await provider.generate(messages, options)
  return {
    body,
    violations: anthropicMessages.violations({
      method: 'POST',
      path: '/v1/messages',
      headers,
      body,
    }),
  }
}

describe('fields of the vendor by name', () => {
  test('parts and tools have their marks of the cache, and other places those of `cache`', async () => {
    const { body, violations } = await sent(
      [
        { role: 'system', content: [{ type: 'text', text: 'Be brief.', cache: 'hour' }] },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'A book.', cache: 'auto' },
            { type: 'text', text: 'Sum up.' },
          ],
        },
      ],
      { tools: [{ ...rooms, cache: 'hour' }] },
    )
    const hour = { type: 'ephemeral', ttl: '1h' }
    expect(body).toMatchObject({
      system: [{ cache_control: hour }],
      messages: [
        {
          content: [
            { text: 'A book.', cache_control: { type: 'ephemeral' } },
            { type: 'text', text: 'Sum up.' },
          ],
        },
      ],
      tools: [{ name: 'list_rooms', cache_control: hour }],
    })
    expect(JSON.stringify(body).match(/cache_control/g)).toHaveLength(3)
    expect(violations).toEqual([])
  })

  test('tools may be deferred, and called by code', async () => {
    const code = { type: 'code_execution_20260120', name: 'code_execution' }
    const { body } = await sent([user('Hi')], {
      tools: [
        { ...rooms, deferred: true, callers: ['code'] },
        { ...forecast, callers: ['model', 'code'] },
      ],
      providerTools: [
        code,
        { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' },
      ],
    })
    expect((body['tools'] as object[]).slice(2)).toMatchObject([
      { name: 'list_rooms', defer_loading: true, allowed_callers: [code.type] },
      { name: 'get_forecast', allowed_callers: ['direct', code.type] },
    ])
    await expect(
      sent([user('Hi')], { tools: [{ ...rooms, callers: ['code'] }] }),
    ).rejects.toMatchObject(refused('config', /add \{ type: 'code_execution_20260120'/))
  })

  test('ids of files are sent as an image and as a document', async () => {
    const source = { type: 'file', id: 'file_1', origin: 'anthropic' } as const
    const { body, violations } = await sent([
      {
        role: 'user',
        content: [
          { type: 'image', source },
          { type: 'file', source, name: 'Report' },
        ],
      },
    ])
    const on = { source: { type: 'file', file_id: 'file_1' } }
    expect(body['messages']).toEqual([
      {
        role: 'user',
        content: [
          { type: 'image', ...on },
          { type: 'document', ...on, title: 'Report' },
        ],
      },
    ])
    expect(violations).toEqual([])
    const elsewhere = { ...source, origin: 'openai' }
    await expect(
      sent([{ role: 'user', content: [{ type: 'file', source: elsewhere }] }]),
    ).rejects.toMatchObject(refused('unsupported', /the file "file_1" is at openai/))
  })

  test('search results are sent from the user and from a tool', async () => {
    const found = { url: 'https://rome.example' }
    const { body, violations } = await sent([
      {
        role: 'user',
        content: [{ type: 'text', text: 'Warm.', found: { ...found, title: 'Rome' } }],
      },
      {
        role: 'assistant',
        content: '',
        toolCalls: [{ id: 'c1', name: 'list_rooms', arguments: {}, argumentsText: '{}' }],
      },
      { role: 'tool', toolCallId: 'c1', content: [{ type: 'text', text: 'Cold.', found }] },
    ])
    const block = (text: string, title: string): object => ({
      type: 'search_result',
      source: found.url,
      title,
      content: [{ type: 'text', text }],
      citations: { enabled: true },
    })
    expect(body['messages']).toMatchObject([
      { content: [block('Warm.', 'Rome')] },
      {},
      { content: [{ type: 'tool_result', content: [block('Cold.', found.url)] }] },
    ])
    expect(violations).toEqual([])
  })

  test.each([
    ['claude-opus-4-7', 'xhigh'],
    ['claude-opus-4-6', 'max'],
    ['my-gateways-model', 'max'],
  ] as const)('%s thinks with effort %s', async (model, reasoning) => {
    const { body } = await sent([user('Hi')], { reasoning }, { model })
    expect(body['output_config']).toEqual({ effort: reasoning })
  })

  test.each([
    ['claude-opus-4-6', 'xhigh', 'low, medium, high, max'],
    ['claude-sonnet-4-5', 'max', 'low, medium, high'],
    ['claude-opus-4-7', 'minimal', 'low, medium, high, xhigh, max'],
  ] as const)('%s has no level %s', async (model, reasoning, levels) => {
    await expect(sent([user('Hi')], { reasoning }, { model })).rejects.toMatchObject(
      refused('unsupported', new RegExp(`it has ${levels}$`)),
    )
  })
})
