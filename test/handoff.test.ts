import type { ScriptTurn } from '@modelport/conformance'
import { createMemoryServer, toReply, VirtualClock } from '@modelport/conformance'
import {
  type AssistantMessage,
  type ChatMessage,
  fromJson,
  type ToolCall,
  toJson,
  toToolMessage,
} from '@modelport/core'
import { describe, expect, test } from 'vitest'
import { type TestedApi, testedApis } from './providers.js'

const tools = [
  {
    name: 'get_weather',
    description: 'Weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
]
const asks: ScriptTurn = {
  reasoning: ['I should ', 'look at both.'],
  text: ['Looking ', 'it up.'],
  toolCalls: [
    { id: 'call_paris', name: 'get_weather', arguments: { city: 'Paris' } },
    { id: 'call_rome', name: 'get_weather', arguments: { city: 'Rome' } },
  ],
  finish: 'tool-calls',
  usage: { inputTokens: 20, outputTokens: 10 },
}
const answers: ScriptTurn = {
  text: ['18 and ', '21 degrees.'],
  finish: 'stop',
  usage: { inputTokens: 40, outputTokens: 6 },
}

/** A provider whose server plays the turns, and holds each request to the rules of its API. */
function connect(vendor: TestedApi, ...turns: readonly ScriptTurn[]) {
  const violations: string[] = []
  const server = createMemoryServer(
    () => (request, index) => {
      violations.push(...vendor.format.violations(request))
      return toReply(
        vendor.format.respond(turns[Math.min(index, turns.length - 1)] as ScriptTurn, request),
      )
    },
    new VirtualClock(),
  )
  return { provider: vendor.create({ fetch: server.fetch }), server, violations }
}

/** Begins a conversation and stops reading at the end of its first turn. */
async function begin(vendor: TestedApi): Promise<{
  history: readonly ChatMessage[]
  calls: readonly ToolCall[]
  violations: readonly string[]
}> {
  const { provider, violations } = connect(vendor, asks)
  const system = { role: 'system' as const, content: 'Be brief.' }
  const reader = await provider.streamWithTools(
    [system, { role: 'user', content: 'Paris and Rome?' }],
    tools,
    {
      reasoning: 'low',
      maxTokens: 8000,
    },
  )
  const calls: ToolCall[] = []
  for await (const event of reader) {
    if (event.type === 'tool-call-complete') calls.push(event.toolCall)
    if (event.type === 'turn-end') break
  }
  // Stored and read back: what is handed over is plain JSON.
  return {
    history: fromJson(JSON.parse(JSON.stringify(toJson(reader.messages())))),
    calls,
    violations,
  }
}

const result = ({ id, name }: ToolCall, index: number): ChatMessage =>
  toToolMessage({ callId: id, content: index ? '21' : '18', ...(index && { isError: true }) }, name)

/** Where in the tool turn the conversation changes hands. */
const points = [
  'before any result',
  'after one result',
  'after all results',
  'after the reply',
] as const

/** Vendors whose private state was looked for in the requests of others. */
const looked = new Set<string>()

describe.each(testedApis)('a conversation begun on $name', (first) => {
  describe.each(testedApis)('continued on $name', (second) => {
    test.each(points)('a conversation is continued by another vendor %s', async (point) => {
      const { history, calls, violations } = await begin(first)
      expect(violations).toEqual([])
      expect(calls.map(({ arguments: given }) => given)).toEqual([
        { city: 'Paris' },
        { city: 'Rome' },
      ])
      const messages: ChatMessage[] = [...history]
      if (point !== 'before any result') messages.push(result(calls[0] as ToolCall, 0))
      if (point === 'after all results') messages.push(result(calls[1] as ToolCall, 1))
      const answered = messages.filter(({ role }) => role === 'tool').length
      // Whoever takes over answers what is left.
      if (point !== 'after the reply')
        calls
          .slice(answered)
          .forEach((call, index) => messages.push(result(call, answered + index)))
      else
        messages.push(
          result(calls[1] as ToolCall, 1),
          { role: 'assistant', content: '18 and 21.' },
          { role: 'user', content: 'And tomorrow?' },
        )

      const next = connect(second, answers)
      const reader = await next.provider.streamWithTools(messages, tools)
      for await (const event of reader) expect(event.type).not.toBe('tool-call-start')
      expect(reader.fullText()).toBe('18 and 21 degrees.')
      expect(next.violations).toEqual([])

      const [request] = next.server.requests
      const sent = second.format.read(request as never)
      expect(sent.system).toContain('Be brief.')
      const roles = sent.messages.map(({ role }) => role)
      expect(roles.slice(0, 4)).toEqual(['user', 'assistant', 'tool', 'tool'])
      const [, assistant, paris, rome] = sent.messages
      expect(assistant).toMatchObject({
        text: 'Looking it up.',
        toolCalls: [{ arguments: { city: 'Paris' } }, { arguments: { city: 'Rome' } }],
      })
      expect(paris?.role === 'tool' && paris.text).toContain('18')
      expect(rome?.role === 'tool' && rome.text).toContain('21')
      // Private state of another vendor never travels.
      const state = (history.findLast(({ role }) => role === 'assistant') as AssistantMessage)
        .origin?.state
      if (first.name !== second.name && state !== undefined) {
        for (const secret of JSON.stringify(state).match(/(?<=")[A-Za-z0-9+/=_-]{16,}(?=")/g) ??
          []) {
          expect(JSON.stringify((request as { body: unknown }).body)).not.toContain(secret)
          looked.add(first.name)
        }
      }
    })
  })
})

test('there was private state to look for', () => {
  expect([...looked]).toEqual(expect.arrayContaining(['anthropic', 'google', 'openai responses']))
})
