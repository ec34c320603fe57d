import type { Generation, StreamEvent } from '@modelport/core'
import { describe, expect, test } from 'vitest'
import { createOllama } from '../src/index.js'

const call = (name: string, value?: unknown): object => ({ function: { name, arguments: value } })
const provider = (...lines: readonly unknown[]) => {
  const body = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  return createOllama({ model: 'llama3', fetch: () => Promise.resolve(new Response(body)) })
}
const once = { retry: { attempts: 1 } }
const generate = (message: object, fields: object = {}): Promise<Generation> =>
  provider({ message, done: true, done_reason: 'stop', ...fields }).generate(
    [{ role: 'user', content: 'Hi' }],
    once,
  )

describe('calls', () => {
  test('calls have arguments as an object, as text, or none', async () => {
    const { toolCalls } = await generate({
      tool_calls: [
        call('a', { city: 'Paris' }),
        call('b', '{"city":"Rome"}'),
        call('c', null),
        call('d'),
        call('e', '{"city"'),
      ],
    })
    expect(toolCalls.map((one) => one.arguments)).toEqual([
      { city: 'Paris' },
      { city: 'Rome' },
      {},
      {},
      {},
    ])
    expect(toolCalls.map(({ error }) => error !== undefined)).toEqual([
      false,
      false,
      false,
      false,
      true,
    ])
  })

  test('calls are complete at the end of their line, before the text that follows', async () => {
    const found: StreamEvent[] = []
    const reader = await provider(
      { message: { tool_calls: [call('a')] } },
      { message: { content: 'Wait.' }, done: true, done_reason: 'stop' },
    ).streamWithTools([{ role: 'user', content: 'Hi' }], [], once)
    for await (const event of reader) found.push(event)
    expect(found.map(({ type }) => type)).toEqual([
      'tool-call-start',
      'tool-call-complete',
      'text-delta',
      'turn-end',
      'done',
    ])
  })
})

test('the reply is over when done is true, and not before', async () => {
  await expect(generate({ content: 'Hi' }, { done: 'false' })).rejects.toMatchObject({
    code: 'protocol',
  })
  await expect(generate({ content: 'Hi' }, { done: 1 })).rejects.toMatchObject({ code: 'protocol' })
})

test('the model is the one that replied', async () => {
  expect((await generate({ content: 'Hi' }, { model: 'llama3:8b' })).message.origin).toMatchObject({
    model: 'llama3:8b',
  })
})

test.each([
  [{ eval_count: 5 }, { inputTokens: 0, outputTokens: 5, reported: true }],
  [{ prompt_eval_count: 3 }, { inputTokens: 3, outputTokens: 0, reported: true }],
  [{ prompt_eval_count: '3', eval_count: null }, { reported: false }],
])('a reply reports the counts %o', async (counts, usage) => {
  expect((await generate({ content: 'Hi' }, counts)).usage).toMatchObject(usage)
})

test('images have the type that their bytes say', async () => {
  const data = ['iVBORw0KGgo=', '/9j/4AAQ', 'R0lGODlh', 'UklGRh4A', 'AAAA']
  const { message } = await generate({ content: '', images: [7, ...data] })
  const types = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'application/octet-stream']
  expect(message.content).toEqual(
    data.map((one, index) => ({
      type: 'image',
      source: { type: 'base64', data: one, mediaType: types[index] },
    })),
  )
})

test('logprobs without a token or a number are left out', async () => {
  const { logprobs } = await generate(
    { content: 'Hi' },
    {
      logprobs: [
        { token: 7, logprob: -1 },
        { token: 'Hi' },
        { token: 'Hi', logprob: -0.1, top_logprobs: [{ token: 'Ho' }] },
      ],
    },
  )
  expect(logprobs).toEqual([{ token: 'Hi', logprob: -0.1 }])
})
