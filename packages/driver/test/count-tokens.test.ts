import { getEventListeners } from 'node:events'
import type { CallOptions, ChatMessage } from '@modelport/core'
import {
  type CountDriver,
  countTokens,
  type Fetch,
  type ProviderSettings,
  postJson,
  type Turn,
  toProviderError,
} from '@modelport/driver'
import { expect, test } from 'vitest'
import { FakeClock } from './fake-clock.js'

const key = 'sk-count-0123456789abcdef'
const url = 'https://api.example/count'
const driver: CountDriver<Turn> = {
  name: 'p',
  request: (turn) => turn,
  send: ({ model, messages, tools, stream, options: { maxTokens, temperature, vendor } }, io) =>
    postJson(io, url, { model, messages, tools, stream, maxTokens, temperature, vendor }),
  countIn: (answer) => (answer as { count?: unknown } | null)?.count,
  error: (failure) => toProviderError('p', failure),
}

function counter(answer: unknown, status = 200, settings: Partial<ProviderSettings> = {}) {
  const sent: { readonly body: unknown; readonly headers: Headers }[] = []
  const fetch: Fetch = (_, init) => {
    sent.push({ body: JSON.parse(init?.body as string), headers: new Headers(init?.headers) })
    return Promise.resolve(Response.json(answer, { status }))
  }
  const all = {
    model: 'm',
    cheapestModel: 'm',
    hosts: ['api.example:443'],
    secrets: [key],
    clock: new FakeClock(),
    fetch,
    ...settings,
  }
  return {
    sent,
    count: (messages: readonly ChatMessage[], ...options: CallOptions[]) =>
      countTokens(driver, all, messages, options),
  }
}

const user: ChatMessage = { role: 'user', content: 'Hi' }

test('what is counted is the turn of a call: defaults and options merged, the history in order, headers of the call sent', async () => {
  const { sent, count } = counter({ count: 7 }, 200, {
    defaults: { system: 'S', vendor: { a: 1 } },
  })
  const calling: ChatMessage = {
    role: 'assistant',
    content: '',
    toolCalls: [{ id: 'c', name: 'now', arguments: {}, argumentsText: '{}' }],
  }
  const tools = [{ name: 'now', description: 'The time' }]
  expect(
    await count(
      [user, calling, { role: 'tool', toolCallId: 'c', content: '12' }],
      { tools },
      { vendor: { b: 2, headers: { 'X-Tenant': 't' } } },
    ),
  ).toBe(7)
  expect(sent[0]?.body).toMatchObject({
    model: 'm',
    tools,
    vendor: { a: 1, b: 2 },
    messages: [
      { role: 'system', content: 'S' },
      { role: 'user' },
      { role: 'assistant' },
      { role: 'tool', toolName: 'now' },
    ],
  })
  expect(sent[0]?.headers.get('x-tenant')).toBe('t')
})

test('a prompt is counted without tools that nobody gave, without streaming and without a limit of its reply', async () => {
  const { sent, count } = counter({ count: 7 })
  await count([user])
  expect(sent[0]?.body).toEqual({
    model: 'm',
    messages: [user],
    tools: [],
    stream: false,
    vendor: {},
  })
})

test('after a count, and after one that is refused before it is sent, nothing is left of the deadline, nor on the signal', async () => {
  const clock = new FakeClock()
  const { count } = counter({ count: 7 }, 200, { clock })
  const { signal } = new AbortController()
  await count([user], { signal, deadlineMs: 500 })
  await expect(count([], { signal, deadlineMs: 500 })).rejects.toMatchObject({
    code: 'invalid-request',
  })
  expect([clock.pending, getEventListeners(signal, 'abort')]).toEqual([0, []])
})

test('countTokens accepts a count of 0 and rejects a count that is not a number', async () => {
  expect(await counter({ count: 0 }).count([user])).toBe(0)
  for (const answer of [{}, null, { count: '3' }]) {
    await expect(counter(answer).count([user])).rejects.toMatchObject({
      code: 'protocol',
      message: 'p: protocol: the response has no count of tokens',
    })
  }
})

test('countTokens reports a wrong option, a broken history and a refusal as a call does', async () => {
  const { sent, count } = counter({ count: 7 })
  await expect(count([user], { maxTokens: 0 })).rejects.toMatchObject({
    code: 'config',
    provider: 'p',
  })
  await expect(count([])).rejects.toMatchObject({ code: 'invalid-request', provider: 'p' })
  expect(sent).toEqual([])
  await expect(counter({ error: `no such key ${key}` }, 401).count([user])).rejects.toMatchObject({
    code: 'auth',
    attempts: 1,
    body: '{"error":"no such key [redacted]"}',
  })
})
