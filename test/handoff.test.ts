import { join } from 'node:path'
import type { ScriptTurn } from '@modelport/conformance'
import { createMemoryServer, toReply, VirtualClock } from '@modelport/conformance'
import {
  type AssistantMessage,
  type ChatMessage,
  describeProvider,
  fromJson,
  type ToolCall,
  toJson,
  toToolMessage,
} from '@modelport/core'
import { describe, expect, test } from 'vitest'
import { root } from '../scripts/workspaces.ts'
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
  const thinks = describeProvider(provider).capabilities?.reasoning.supported !== false
  const system = { role: 'system' as const, content: 'Be brief.' }
  const reader = await provider.streamWithTools(
    [system, { role: 'user', content: 'Paris and Rome?' }],
    tools,
    { ...(thinks && { reasoning: 'low' }), maxTokens: 8000 },
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

/** What became of the reasoning of the first vendor, by both names and the way. */
const seen = new Map<string, Set<string>>()

/** Whether a request has the reasoning of a reply: with its private state, as text, or not. */
function reasoningIn(request: unknown, secrets: readonly string[]): string {
  const body = JSON.stringify((request as { readonly body: unknown }).body)
  if (secrets.some((secret) => body.includes(secret))) return 'whole'
  return body.includes('look at both') ? 'as text' : 'left out'
}

function note(first: TestedApi, second: TestedApi, way: 'there' | 'back', what: string): void {
  const key = `${first.name} ${way} ${second.name}`
  seen.set(key, (seen.get(key) ?? new Set()).add(what))
}

/** The texts of a state that only its vendor can read. */
const secretsOf = (state: unknown): readonly string[] =>
  (JSON.stringify(state ?? '').match(/(?<=")[A-Za-z0-9+/=_-]{16,}(?=")/g) ?? []).map(String)

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
      const secrets = secretsOf(state)
      if (first.name !== second.name) {
        for (const secret of secrets) {
          expect(JSON.stringify((request as { body: unknown }).body)).not.toContain(secret)
          looked.add(first.name)
        }
      }
      note(first, second, 'there', reasoningIn(request, secrets))

      // The first vendor takes it back, with what the second has said.
      const back = connect(first, answers)
      const again: ChatMessage[] = [...reader.messages(), { role: 'user', content: 'Sure?' }]
      const last = await back.provider.streamWithTools(again, tools)
      for await (const event of last) expect(event.type).not.toBe('tool-call-start')
      expect(last.fullText()).toBe('18 and 21 degrees.')
      expect(back.violations).toEqual([])
      const [returned] = back.server.requests
      expect(first.format.read(returned as never).messages.at(-1)).toMatchObject({ text: 'Sure?' })
      note(first, second, 'back', reasoningIn(returned, secrets))
    })
  })
})

const pairs = testedApis.flatMap((first) => testedApis.map((second) => ({ first, second })))
const isWhole = (): boolean => pairs.length * 2 === seen.size

/** One row for each vendor that begins, one column for each that continues. */
function toTable(way: 'there' | 'back'): readonly string[] {
  const names = testedApis.map(({ name }) => name)
  return [
    `| | ${names.join(' | ')} |`,
    `|---|${names.map(() => '---|').join('')}`,
    ...names.map((first) => {
      const cells = names.map((second) =>
        [...(seen.get(`${first} ${way} ${second}`) ?? [])].sort().join(', '),
      )
      return `| **${first}** | ${cells.join(' | ')} |`
    }),
  ]
}

test('the page about handing over says what each vendor gets of the reasoning of each other', async () => {
  // A part of the tests knows a part of the page.
  if (!isWhole()) return
  const page = [
    '# Handing a conversation over',
    '',
    'After reading this page you know what a vendor gets of a conversation that another one began, for each pair of seven. [A test](../test/handoff.test.ts) writes it.',
    '',
    'A model with reasoning on asks for two tools at once. The conversation is stored as JSON, and another vendor continues it: before any result, after one, after both, or after',
    'a reply. Then the first vendor takes it back. At each hand, the server holds the request to the rules of its API. In all of',
    `${pairs.length} pairs, at ${points.length} points, both hands are accepted (${pairs.length * points.length * 2} hands): the instructions, the texts, both calls with their arguments, and both results arrive, each`,
    'under an id that the vendor takes.',
    '',
    'What differs is the reasoning, which only its own vendor can read. The rows are the vendors that began.',
    '',
    '## What the second vendor gets of it',
    '',
    ...toTable('there'),
    '',
    '`whole`: with the signature or the encrypted content, as the vendor wrote it. `as text`: as visible text alone. `left out`: not at all. The private state of a vendor is',
    'never sent to another.',
    '',
    '## What the first vendor gets of it when it takes the conversation back',
    '',
    ...toTable('back'),
    '',
    'The columns are the vendors that had the conversation in between.',
    '',
  ].join('\n')
  await expect(page).toMatchFileSnapshot(join(root, 'evidence/handover.md'))
})

test('there was private state to look for', () => {
  expect([...looked]).toEqual(expect.arrayContaining(['anthropic', 'google', 'openai responses']))
})
