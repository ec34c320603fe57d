import {
  openaiChat,
  type ScriptTurn,
  type WireConversation,
  type WireFormat,
  type WireRequest,
} from '@modelport/conformance'
import { startWireServer } from '@modelport/conformance/wire-server'
import type { Provider } from '@modelport/core'
import { createAnthropic } from '@modelport/provider-anthropic'
import { createBedrock } from '@modelport/provider-bedrock'
import { createGoogle } from '@modelport/provider-google'
import { createOllama } from '@modelport/provider-ollama'
import { createOpenAI } from '@modelport/provider-openai'
import { createOpenAICompatible } from '@modelport/provider-openai-compatible'
import {
  anthropicMessages,
  bedrockConverse,
  gemini,
  ollamaChat,
  openaiResponses,
} from '@modelport/test-formats'
import { onTestFinished } from 'vitest'

/** A vendor: how its provider is made, and what its wire is. */
export interface Vendor {
  readonly name: string
  readonly format: WireFormat
  create(url: string): Provider
}

const apiKey = 'loop-key-0123456789'
const retry = { attempts: 1 }

/** Every provider that speaks over a network. */
export const vendors: readonly Vendor[] = [
  {
    name: 'anthropic',
    format: anthropicMessages,
    create: (baseUrl) =>
      createAnthropic({ model: 'claude-sonnet-4-5', apiKey, baseUrl, defaults: { retry } }),
  },
  {
    name: 'bedrock',
    format: bedrockConverse,
    create: (baseUrl) =>
      createBedrock({
        model: 'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
        region: 'us-east-1',
        apiKey,
        baseUrl,
        defaults: { retry },
      }),
  },
  {
    name: 'openai responses',
    format: openaiResponses,
    create: (url) =>
      createOpenAI({
        model: 'gpt-5.4',
        apiKey,
        api: 'responses',
        baseUrl: `${url}/v1`,
        defaults: { retry },
      }),
  },
  {
    name: 'openai chat',
    format: openaiChat,
    create: (url) =>
      createOpenAI({
        model: 'gpt-4.1',
        apiKey,
        api: 'chat',
        baseUrl: `${url}/v1`,
        defaults: { retry },
      }),
  },
  {
    name: 'google',
    format: gemini,
    create: (baseUrl) =>
      createGoogle({ model: 'gemini-3-flash-preview', apiKey, baseUrl, defaults: { retry } }),
  },
  {
    name: 'ollama',
    format: ollamaChat,
    create: (baseUrl) => createOllama({ model: 'llama3', baseUrl, defaults: { retry } }),
  },
  {
    name: 'compatible',
    format: openaiChat,
    create: (url) =>
      createOpenAICompatible({ model: 'm', apiKey, baseUrl: `${url}/v1`, defaults: { retry } }),
  },
]

/** What the model says to a request: the turn for its place, or one made of what was sent. */
export type Reply = ScriptTurn | ((sent: WireConversation) => ScriptTurn)

/**
 * A provider whose server on the loopback address plays the replies (the last one repeats) and
 * holds each request to the rules of its API.
 */
export async function connect(vendor: Vendor, ...replies: readonly Reply[]) {
  const violations: string[] = []
  const sent: WireConversation[] = []
  const server = await startWireServer({
    formats: [vendor.format],
    reply: (request: WireRequest, { index }) => {
      violations.push(...vendor.format.violations(request))
      const conversation = vendor.format.read(request)
      sent.push(conversation)
      const reply = replies[Math.min(index, replies.length - 1)] as Reply
      return typeof reply === 'function' ? reply(conversation) : reply
    },
  })
  onTestFinished(() => server.close())
  return { provider: vendor.create(server.url), sent, violations, server }
}

let nextId = 0

/** A turn that says something. */
export const says = (...text: readonly string[]): ScriptTurn => ({
  text,
  finish: 'stop',
  usage: { inputTokens: 50, outputTokens: 10 },
})

/** A turn that calls tools. */
export const asksFor = (
  ...calls: readonly (readonly [name: string, args: Readonly<Record<string, unknown>>])[]
): ScriptTurn => ({
  toolCalls: calls.map(([name, args]) => ({ id: `call_${++nextId}`, name, arguments: args })),
  finish: 'tool-calls',
  usage: { inputTokens: 40, outputTokens: 8 },
})
