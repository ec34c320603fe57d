/* oxlint-disable typescript/no-deprecated -- what programs still have: approvals of tools, parts of results */

import { toLanguageModel } from '@modelport/ai-sdk'
import type { Provider } from '@modelport/core'
import type { Fetch } from '@modelport/driver'
import { createAnthropic } from '@modelport/provider-anthropic'
import { createGoogle } from '@modelport/provider-google'
import { createMock } from '@modelport/provider-mock'
import { createOpenAI } from '@modelport/provider-openai'
import {
  generateText,
  jsonSchema,
  type ModelMessage,
  stepCountIs,
  streamText,
  type ToolSet,
  tool,
} from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'

type Body = Record<string, unknown>
const apiKey = 'ai-sdk-key-0123456789'
const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
const pixelBytes = new Uint8Array(Buffer.from(pixel, 'base64'))

/** A vendor that sends these bodies, and what it was sent. */
function connect(create: (fetch: Fetch) => Provider, ...replies: readonly object[]) {
  const bodies: Body[] = []
  const provider = create(async (_url, init) => {
    bodies.push(JSON.parse(init?.body as string) as Body)
    return Response.json(replies[bodies.length - 1])
  })
  return { provider, bodies }
}
const openai = (fetch: Fetch) => createOpenAI({ model: 'gpt-5.4', apiKey, fetch })
const anthropic = (fetch: Fetch) => createAnthropic({ model: 'claude-opus-5', apiKey, fetch })
const responses = (...output: readonly object[]) => ({
  id: 'resp_1',
  object: 'response',
  status: 'completed',
  model: 'gpt-5.4',
  output,
  usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
})
const said = (text: string) => ({
  type: 'message',
  id: 'msg_1',
  status: 'completed',
  role: 'assistant',
  content: [{ type: 'output_text', text, annotations: [] }],
})

describe('tools that the vendor executes', () => {
  const search = {
    type: 'server_tool_use',
    id: 'srvtoolu_1',
    name: 'web_search',
    input: { query: 'Rome' },
  }
  const page = {
    type: 'web_search_result',
    url: 'https://rome.example',
    title: 'Rome',
    encrypted_content: 'e',
  }
  const found = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [page] }
  const citation = {
    type: 'web_search_result_location',
    url: 'https://rome.example',
    title: 'Rome',
    cited_text: 'It is warm.',
    encrypted_index: 'i',
  }
  const reply = (...content: readonly object[]) => ({
    id: 'msg_1',
    type: 'message',
    model: 'claude-opus-5',
    content,
    stop_reason: 'end_turn',
    usage: { input_tokens: 1, output_tokens: 1 },
  })
  const webSearch = { type: 'web_search_20250305', name: 'web_search' }

  test('tools that the vendor executes are asked for in the form of the vendor, shown with their results and sources, and go back with the reply', async () => {
    const blocks = [search, found, { type: 'text', text: 'Warm.', citations: [citation] }]
    const { provider, bodies } = connect(
      anthropic,
      reply(...blocks),
      reply({ type: 'text', text: 'Yes.' }),
    )
    const model = toLanguageModel(provider)
    const tools = {
      web_search: {
        type: 'provider' as const,
        isProviderExecuted: true as const,
        id: 'modelport.web_search' as const,
        args: webSearch,
        inputSchema: jsonSchema({ type: 'object' }),
      },
    }
    const first = await generateText({ model, prompt: 'Rome?', tools: tools as unknown as ToolSet })
    expect(bodies[0]?.['tools']).toEqual([webSearch])
    expect(first.toolCalls).toMatchObject([
      {
        toolCallId: 'srvtoolu_1',
        toolName: 'web_search',
        providerExecuted: true,
        input: { query: 'Rome' },
      },
    ])
    expect(first.toolResults).toMatchObject([
      {
        toolCallId: 'srvtoolu_1',
        output: [
          {
            type: 'web_search_result',
            url: 'https://rome.example',
            title: 'Rome',
            pageAge: null,
            encryptedContent: 'e',
          },
        ],
      },
    ])
    expect(first.sources).toMatchObject([
      { sourceType: 'url', url: 'https://rome.example', title: 'Rome' },
    ])
    const messages: ModelMessage[] = [
      { role: 'user', content: 'Rome?' },
      ...first.responseMessages,
      { role: 'user', content: 'Sure?' },
    ]
    await generateText({
      model,
      messages,
      providerOptions: { modelport: { providerTools: [webSearch] } },
    })
    expect((bodies[1]?.['messages'] as Body[])[1]).toEqual({ role: 'assistant', content: blocks })
  })

  test('tools of another form that the vendor executes are refused with a warning', async () => {
    const { provider, bodies } = connect(anthropic, reply({ type: 'text', text: 'Hm.' }))
    const tools = {
      search: { type: 'provider', id: 'other.search', args: {}, inputSchema: jsonSchema({}) },
    }
    const { warnings } = await generateText({
      model: toLanguageModel(provider),
      prompt: 'Hi',
      tools: tools as unknown as ToolSet,
    })
    expect(warnings).toMatchObject([{ type: 'unsupported', feature: 'provider tool other.search' }])
    expect(bodies[0]?.['tools']).toBeUndefined()
  })

  test.each([true, false])(
    'tools that the vendor executes wait for an approval, which goes back where the vendor looks for it: %s',
    async (approved) => {
      const asked = {
        type: 'mcp_approval_request',
        id: 'mcpr_1',
        name: 'pay',
        server_label: 'bank',
        arguments: '{"euros":5}',
      }
      const { provider, bodies } = connect(openai, responses(asked), responses(said('Done.')))
      const model = toLanguageModel(provider)
      const mcp = {
        type: 'mcp',
        server_label: 'bank',
        server_url: 'https://bank.example',
        require_approval: 'always',
      }
      const providerOptions = { modelport: { providerTools: [mcp] } }
      const first = await generateText({ model, prompt: 'Pay.', providerOptions })
      const request = first.content.find((part) => part.type === 'tool-approval-request')
      expect(request).toMatchObject({
        approvalId: 'mcpr_1',
        toolCall: { toolName: 'mcp.pay', input: { euros: 5 }, providerExecuted: true },
      })
      const response = {
        type: 'tool-approval-response' as const,
        approvalId: 'mcpr_1',
        approved,
        providerExecuted: true,
      }
      const messages: ModelMessage[] = [
        { role: 'user', content: 'Pay.' },
        ...first.responseMessages,
        { role: 'tool', content: [response] },
      ]
      expect((await generateText({ model, messages, providerOptions })).text).toBe('Done.')
      expect((bodies[1]?.['input'] as Body[]).slice(1)).toEqual([
        asked,
        { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: approved },
      ])
    },
  )
})

describe('files', () => {
  test('files of the prompt reach the provider: bytes, addresses, texts and documents', async () => {
    const provider = createMock({ responses: ['Nice.'] })
    const document = {
      type: 'file' as const,
      mediaType: 'application/pdf',
      data: 'JVBERi0=',
      filename: 'a.pdf',
    }
    const image = { type: 'file' as const, mediaType: 'image/png', data: pixelBytes }
    await generateText({
      model: toLanguageModel(provider, { supportedUrls: { '*/*': [/^https:/] } }),
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look.', providerOptions: { modelport: { cache: 'auto' } } },
            { ...image, providerOptions: { modelport: { detail: 'low' } } },
            { type: 'file', mediaType: 'image', data: new URL('https://pictures.example/a.png') },
            { type: 'file', mediaType: 'audio/wav', data: 'UklGRg==' },
            document,
          ],
        },
      ],
    })
    const content = provider.requests[0]?.messages[0]?.content
    expect(content).toEqual([
      { type: 'text', text: 'Look.', cache: 'auto' },
      {
        type: 'image',
        source: { type: 'base64', data: pixel, mediaType: 'image/png' },
        detail: 'low',
      },
      { type: 'image', source: { type: 'url', url: 'https://pictures.example/a.png' } },
      { type: 'audio', source: { type: 'base64', data: 'UklGRg==', mediaType: 'audio/wav' } },
      {
        type: 'file',
        source: { type: 'base64', data: 'JVBERi0=', mediaType: 'application/pdf' },
        name: 'a.pdf',
      },
    ])
  })

  test.each(['v4', 'v3'] as const)(
    'files of tools and of the model go both ways: %s',
    async (specification) => {
      const part = {
        inlineData: { mimeType: 'image/png', data: pixel },
        thoughtSignature: 'sig-image',
      }
      const body = (parts: readonly object[]) => ({
        candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }],
        usageMetadata: { promptTokenCount: 1, totalTokenCount: 1 },
      })
      const google = (fetch: Fetch) =>
        createGoogle({ model: 'gemini-3-pro-image-preview', apiKey, fetch })
      const call = {
        functionCall: { id: 'call_1', name: 'shot', args: {} },
        thoughtSignature: 'sig-call',
      }
      const { provider, bodies } = connect(
        google,
        body([call]),
        body([part]),
        body([{ text: 'Blue.' }]),
      )
      const model =
        specification === 'v3'
          ? toLanguageModel(provider, { specification })
          : toLanguageModel(provider)
      const shot = tool({
        inputSchema: z.object({}),
        execute: () => pixel,
        toModelOutput: ({ output }) => ({
          type: 'content',
          value: [{ type: 'file', mediaType: 'image/png', data: { type: 'data', data: output } }],
        }),
      })
      const first = await generateText({
        model,
        prompt: 'Draw.',
        tools: { shot },
        stopWhen: stepCountIs(2),
      })
      expect(first.files.map(({ base64, mediaType }) => [mediaType, base64])).toEqual([
        ['image/png', pixel],
      ])
      expect(JSON.stringify(bodies[1])).toContain(pixel)
      const messages: ModelMessage[] = [
        { role: 'user', content: 'Draw.' },
        ...first.responseMessages,
        { role: 'user', content: 'Which colour?' },
      ]
      expect((await generateText({ model, messages, tools: { shot } })).text).toBe('Blue.')
      expect(JSON.stringify(bodies[2])).toContain('sig-image')
    },
  )
})

test('a call whose arguments are not JSON goes back as the model wrote it', async () => {
  const broken = '{"city": "Ro'
  const provider = createMock({
    responses: [{ toolCalls: [{ name: 'weather', argumentsText: broken }] }, 'Sorry.'],
  })
  const weather = tool({ inputSchema: z.object({ city: z.string() }), execute: () => 'never' })
  const { stream } = streamText({
    model: toLanguageModel(provider),
    prompt: 'Rome?',
    tools: { weather },
    stopWhen: stepCountIs(2),
  })
  for await (const _ of stream);
  const [, asked, result] = provider.requests[1]?.messages ?? []
  expect(asked).toMatchObject({
    toolCalls: [{ argumentsText: broken, arguments: {}, error: 'not a JSON object' }],
  })
  expect(result).toMatchObject({ role: 'tool', isError: true })
})

test('a call without arguments goes back as one, not as a malformed call', async () => {
  const provider = createMock({
    responses: [{ toolCalls: [{ name: 'look', argumentsText: '' }] }, 'Warm.'],
  })
  const look = tool({ inputSchema: z.object({}), execute: () => 'warm' })
  const { stream } = streamText({
    model: toLanguageModel(provider),
    prompt: 'Rome?',
    tools: { look },
    stopWhen: stepCountIs(2),
  })
  for await (const _ of stream);
  const [, asked] = provider.requests[1]?.messages ?? []
  const [call] = asked?.role === 'assistant' ? (asked.toolCalls ?? []) : []
  expect(call).toMatchObject({ name: 'look', arguments: {} })
  expect(call).not.toHaveProperty('error')
})

test('details of the reply are in providerMetadata', async () => {
  const { provider } = connect(openai, responses(said('Hi')))
  const { finalStep } = await generateText({ model: toLanguageModel(provider), prompt: 'Hi' })
  const { providerMetadata, response } = finalStep
  expect(providerMetadata).toMatchObject({ modelport: { responseId: 'resp_1' } })
  expect(response).toMatchObject({ id: 'resp_1', modelId: 'gpt-5.4' })
})
