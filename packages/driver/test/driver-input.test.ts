import type { ChatMessage } from '@modelport/core'
import { describe, expect, test } from 'vitest'
import { failure, play, type Step } from './scripted-driver.js'

const question: readonly ChatMessage[] = [{ role: 'user', content: 'Hi' }]
const text: Step = ['text', 'x']
const stop: Step = ['finish', 'stop']

describe('what a driver is given', () => {
  test('a driver gets a turn with options merged and checked, and the rest of `vendor`', async () => {
    const { provider, turns } = play([[text, stop]], {
      defaults: { topP: 0.5, temperature: 1, retry: { attempts: 2 } },
    })
    await provider.generate(question, {
      system: 'be kind',
      vendor: { headers: { 'X-A': '1' }, seed: 2 },
      temperature: 0,
    })
    expect(turns[0]).toMatchObject({
      model: 'm',
      stream: false,
      tools: [],
      messages: [{ role: 'system', content: 'be kind' }, ...question],
      options: {
        topP: 0.5,
        temperature: 0,
        vendor: { seed: 2 },
        retry: { attempts: 2 },
      },
    })
    expect(turns[0]?.options.vendor).toEqual({ seed: 2 })
    const bare = play([[text, stop]])
    await bare.provider.stream('Hi', { maxTokens: 9 })
    expect(bare.turns[0]).toMatchObject({
      stream: true,
      options: { maxTokens: 9 },
      messages: question,
    })
  })

  test("a driver gets headers in small letters, the call's over the configuration's", async () => {
    const { provider, ios } = play([[text, stop]], {
      headers: { 'X-Own': 'config', 'X-Other': 'kept' },
    })
    await provider.stream('Hi', { vendor: { headers: { 'x-own': 'call' } } })
    expect(ios[0]).toMatchObject({ headers: { 'x-own': 'call', 'x-other': 'kept' }, stream: true })
    await provider.complete('Hi').catch(() => undefined)
    expect(ios[1]).toMatchObject({ headers: { 'x-own': 'config' }, stream: false })
  })

  test('ids of the history are not given out again', async () => {
    const asked = (id: string): readonly ChatMessage[] => [
      ...question,
      {
        role: 'assistant',
        content: '',
        toolCalls: [{ id, name: 'f', arguments: {}, argumentsText: '{}' }],
      },
      { role: 'tool', toolCallId: id, content: '' },
    ]
    const given = async (used: string, id?: string) =>
      (
        await play([
          [['toolCall', 0, { ...(id && { id }), name: 'f', text: '{}' }], stop],
        ]).provider.generate(asked(used))
      ).toolCalls[0]?.id
    expect(await given('call_1')).toMatch(/^call_(?!1$)/)
    expect(await given('call_2')).toMatch(/^call_(?!2$)/)
    // Some servers count from the start in each answer.
    expect(await given('f:0', 'f:0')).toMatch(/^f:0./)
    expect(await given('f:0', 'f:1')).toBe('f:1')
  })
})

describe('a call that cannot be made', () => {
  test('a call that cannot be made for its options names the provider, and sends nothing', async () => {
    const { provider, ios } = play([[text, stop]])
    expect(await failure(provider.complete('Hi', { topP: 2 }))).toMatchObject({
      code: 'config',
      message: 'p: config: topP must be a number between 0 and 1, not 2',
      provider: 'p',
    })
    expect(await failure(provider.generate([], { deadlineMs: 1000 }))).toMatchObject({
      code: 'invalid-request',
      message: 'p: invalid-request: the conversation is empty: give at least one message',
    })
    expect(ios).toEqual([])
  })

  test('a call that cannot be made leaves no timer behind, nor a listener', async () => {
    const { provider, clock } = play([() => new Response('', { status: 400 })])
    expect(await failure(provider.generate([], { deadlineMs: 1000 }))).toMatchObject({
      code: 'invalid-request',
    })
    expect(await failure(provider.stream('Hi', { deadlineMs: 1000 }))).toMatchObject({
      code: 'invalid-request',
    })
    expect(await failure(provider.complete('Hi', { deadlineMs: 1000 }))).toMatchObject({
      code: 'invalid-request',
    })
    expect(clock.pending).toBe(0)
  })
})

describe('hosts', () => {
  const call = (settings: Parameters<typeof play>[1]) =>
    play([[text, stop]], settings)
      .provider.complete('Hi')
      .then(
        () => 'sent',
        (error: unknown) => String(error),
      )
  test('hosts are checked where that is asked for', async () => {
    expect(await call({ hosts: [] })).toBe('sent')
    expect(await call({ hosts: [], enforceHosts: false })).toBe('sent')
    expect(await call({ enforceHosts: true })).toBe('sent')
    expect(await call({ hosts: [], enforceHosts: ['api.example:443'] })).toBe('sent')
    expect(await call({ hosts: [], enforceHosts: true })).toBe(
      'ProviderError: p: config: api.example:443 is not among the allowed hosts (none)',
    )
    expect(await call({ enforceHosts: ['a:1', 'b:2'] })).toBe(
      'ProviderError: p: config: api.example:443 is not among the allowed hosts (a:1, b:2)',
    )
  })
})
