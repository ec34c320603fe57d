import { Chat } from '@ai-sdk/react'
import { toLanguageModel } from '@modelport/ai-sdk'
import { type ChatMessage, type Provider, toToolMessage } from '@modelport/core'
import { createFallback } from '@modelport/factory'
import { createOpenAI } from '@modelport/provider-openai'
import {
  APICallError,
  convertToModelMessages,
  createUIMessageStreamResponse,
  DefaultChatTransport,
  generateText,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  stepCountIs,
  streamText,
  tool,
  toUIMessageStream,
  type UIMessage,
} from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { connect, type Vendor, vendors } from './vendors.js'

const prompt = 'Is it warm in Rome?'
const weather = tool({
  description: 'The weather in a city',
  inputSchema: z.object({ city: z.string() }),
  execute: () => '28 degrees',
})
const tools = { weather }
const definition = {
  name: 'weather',
  description: 'The weather in a city',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
}

/** What our own methods send for the same conversation. */
async function ownBodies(vendor: Vendor, stream: boolean): Promise<readonly unknown[]> {
  const { provider, bodies } = connect(vendor)
  const options = { maxTokens: null, temperature: null }
  const messages: ChatMessage[] = [{ role: 'user', content: prompt }]
  if (stream) {
    const reader = await provider.streamWithTools(messages, [definition], options)
    for await (const event of reader)
      if (event.type === 'tool-call-complete')
        messages.push({ role: 'tool', toolCallId: event.toolCall.id, content: '28 degrees' })
    messages.splice(1, 0, ...reader.messages().slice(1))
  } else {
    const { message, toolCalls } = await provider.generate(messages, {
      ...options,
      tools: [definition],
    })
    messages.push(
      message,
      ...toolCalls.map(({ id }) => toToolMessage({ callId: id, content: '28 degrees' })),
    )
  }
  if (stream)
    for await (const _ of await provider.streamWithTools(messages, [definition], options));
  else await provider.generate(messages, { ...options, tools: [definition] })
  return bodies
}

describe.each(vendors)('what reaches $name', (vendor) => {
  test.each(['v4', 'v3'] as const)(
    'what reaches a vendor is what our own methods send, whole, with its signatures: %s',
    async (version) => {
      const { provider, bodies } = connect(vendor)
      const model =
        version === 'v3'
          ? toLanguageModel(provider, { specification: version })
          : toLanguageModel(provider)
      const { text } = await generateText({ model, prompt, tools, stopWhen: stepCountIs(3) })
      expect(text).toBe('Warm.')
      expect(bodies).toEqual(await ownBodies(vendor, false))
      expect(JSON.stringify(bodies[1])).toContain(vendor.signature)
    },
  )

  test.each(['v4', 'v3'] as const)(
    'what reaches a vendor is the same in a stream: %s',
    async (version) => {
      const { provider, bodies } = connect(vendor)
      const model =
        version === 'v3'
          ? toLanguageModel(provider, { specification: version })
          : toLanguageModel(provider)
      expect(await streamText({ model, prompt, tools, stopWhen: stepCountIs(3) }).text).toBe(
        'Warm.',
      )
      expect(bodies).toEqual(await ownBodies(vendor, true))
      expect(JSON.stringify(bodies[1])).toContain(vendor.signature)
    },
  )

  test('what reaches a vendor is the same after useChat has kept the conversation', async () => {
    const { provider, bodies } = connect(vendor)
    const { weather: executed } = tools
    const { execute: _, ...asked } = executed
    const { chat } = chatWith(provider, { weather: asked })
    await chat.sendMessage({ text: prompt })
    const call = chat.messages.at(-1)?.parts.find((part) => part.type === 'tool-weather')
    await chat.addToolOutput({
      tool: 'weather',
      toolCallId: (call as { toolCallId: string }).toolCallId,
      output: '28 degrees',
    })
    await chat.sendMessage()
    expect(chat.error).toBeUndefined()
    expect(chat.messages.at(-1)?.parts.at(-1)).toMatchObject({ type: 'text', text: 'Warm.' })
    expect(bodies).toEqual(await ownBodies(vendor, true))
  })
})

/** A client of the AI SDK, with a server behind it. */
function chatWith(provider: Provider, tools: Parameters<typeof streamText>[0]['tools']) {
  const serve: typeof fetch = async (_url, init) => {
    const { messages } = JSON.parse(init?.body as string) as { messages: UIMessage[] }
    const { stream } = streamText({
      model: toLanguageModel(provider),
      messages: await convertToModelMessages(messages),
      ...(tools && { tools }),
    })
    return createUIMessageStreamResponse({
      stream: toUIMessageStream({ stream, ...(tools && { tools }) }),
    })
  }
  const chat = new Chat({
    transport: new DefaultChatTransport({ api: 'http://localhost/chat', fetch: serve }),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  })
  return { chat }
}

describe('failures on the wire', () => {
  const failing = (name: string) => {
    let requests = 0
    const provider = createOpenAI({
      model: name,
      apiKey: 'ai-sdk-key-0123456789',
      fetch: async () => {
        requests++
        return Response.json({ error: { message: 'busy', type: 'server_error' } }, { status: 503 })
      },
    })
    return { provider, requests: () => requests }
  }

  test('failures on the wire reach the AI SDK as its own errors, with what the server said', async () => {
    const { provider, requests } = failing('gpt-5.4')
    const error: unknown = await generateText({
      model: toLanguageModel(provider),
      prompt,
      maxRetries: 0,
    }).catch((caught: unknown) => caught)
    if (!APICallError.isInstance(error)) throw error
    expect(error).toMatchObject({
      name: 'AI_APICallError',
      statusCode: 503,
      isRetryable: true,
      data: { code: 'overloaded' },
    })
    expect(error.url).toBe('https://api.openai.com/v1/responses')
    expect(error.responseBody).toContain('busy')
    expect(error.cause).toMatchObject({ name: 'ProviderError', code: 'overloaded' })
    expect(requests()).toBe(1)
  })

  test('failures on the wire are repeated by the AI SDK alone, and a fallback asks each of its providers once', async () => {
    const all = [failing('gpt-5.4'), failing('gpt-5.4-mini')]
    const model = toLanguageModel(createFallback(all.map(({ provider }) => provider)))
    await expect(generateText({ model, prompt, maxRetries: 0 })).rejects.toThrow()
    const { stream } = streamText({ model, prompt, maxRetries: 0, onError: () => undefined })
    for await (const _ of stream);
    expect(all.map(({ requests }) => requests())).toEqual([2, 2])
  })
})
