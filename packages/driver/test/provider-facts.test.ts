import {
  attachDescription,
  type CallOptions,
  type Capabilities,
  describeProvider,
} from '@modelport/core'
import { estimatePrompt, postJson, resolveCapabilities } from '@modelport/driver'
import { describe, expect, test } from 'vitest'
import { play } from './scripted-driver.js'

describe('capabilities', () => {
  const of = (supported: boolean | 'by-model') => ({ supported, source: 'the API' })
  const api: Capabilities = {
    tools: of('by-model'),
    parallelTools: of('by-model'),
    images: of(true),
    schema: of('by-model'),
    logprobs: of(false),
    reasoning: of(true),
    embeddings: of(false),
  }
  const profile = 'profile of the configuration'

  test('capabilities are those of the API without a profile', () => {
    expect(resolveCapabilities(api)).toEqual(api)
    expect(resolveCapabilities(api, {})).toEqual(api)
  })

  test('a profile settles what depends on the model, and cannot add what the API has not', () => {
    expect(resolveCapabilities(api, { supportsTools: true, supportsJsonSchema: true })).toEqual({
      ...api,
      tools: { supported: true, source: profile },
      schema: { supported: true, source: profile },
    })
    expect(resolveCapabilities(api, { supportsTools: false, supportsJsonSchema: false })).toEqual({
      ...api,
      tools: { supported: false, source: profile },
      parallelTools: { supported: false, source: profile },
      schema: { supported: false, source: profile },
    })
    const none = { ...api, tools: of(false), parallelTools: of(false), schema: of(false) }
    expect(resolveCapabilities(none, { supportsTools: true, supportsJsonSchema: true })).toEqual(
      none,
    )
  })

  test.each(['tools', 'schema', 'embeddings'] as const)(
    'a provider whose capabilities leave out %s is refused, with its name and what to add',
    (ability) => {
      const { [ability]: _, ...others } = api
      const capabilities = resolveCapabilities(others as Capabilities, { supportsTools: true })
      expect(() => play([[]], { capabilities })).toThrow(
        expect.objectContaining({
          code: 'config',
          message: `p: its capabilities leave out ${ability}; add ${ability}: { supported, source }, with supported: false if the API does not have it`,
        }),
      )
    },
  )

  test('a provider carries its capabilities and its profile, and a spread copy keeps them', () => {
    const given = { capabilities: api, profile: { contextWindow: 1000 } }
    const { provider } = play([[]], given)
    expect(describeProvider(provider)).toEqual(given)
    expect(describeProvider({ ...provider, name: 'wrapped' })).toEqual(given)
    expect(Object.keys(provider)).not.toContain('capabilities')
  })

  test('a provider without a description has an empty one, and a wrapper can be given that of another', () => {
    const { provider } = play([[]])
    expect(describeProvider(provider)).toEqual({})
    const wrapper = play([[]]).provider
    expect(attachDescription(wrapper, { profile: { supportsTools: false } })).toBe(wrapper)
    expect(describeProvider(wrapper)).toEqual({ profile: { supportsTools: false } })
  })
})

test('a prompt costs its texts, its calls, its tools, and eight tokens a message', () => {
  const estimate = (
    messages: Parameters<typeof estimatePrompt>[1],
    options: CallOptions,
    tokenFactor?: number,
  ) =>
    estimatePrompt({ ...(tokenFactor !== undefined && { tokenFactor }) }, messages, [options])
      .tokens
  const user = { role: 'user', content: 'x' } as const
  const one = estimate([user], {})
  expect(estimatePrompt({}, [], [])).toEqual({ tokens: 0, source: 'estimate' })
  expect(estimate([{ role: 'user', content: '' }], {})).toBe(8)
  expect(estimate([user, user], {})).toBe(2 * one)
  expect(estimate([user], { system: 'x' })).toBe(2 * one)
  expect(estimate([user], { system: '' })).toBe(one + 8)
  expect(estimate([user], { tools: [] })).toBe(one)
  expect(estimate([user], { tools: [{ name: 'f', description: 'a tool' }] })).toBeGreaterThan(
    one + 5,
  )
  const calling = {
    role: 'assistant',
    content: '',
    toolCalls: [{ id: 'a', name: 'get_weather', arguments: {}, argumentsText: '{"city":"Oslo"}' }],
  } as const
  expect(estimate([calling], {})).toBe(
    estimate([{ role: 'user', content: 'get_weather{"city":"Oslo"}' }], {}),
  )
  const [first] = calling.toolCalls
  expect(estimate([{ ...calling, toolCalls: [first, first] }], {})).toBe(
    estimate([{ role: 'user', content: 'get_weather{"city":"Oslo"}'.repeat(2) }], {}),
  )
  expect(estimate([{ role: 'assistant', content: 'x' }], {})).toBe(one)
  expect(estimate([user], {}, 3)).toBeGreaterThan(one)
  expect(estimatePrompt({ defaults: { system: 'x' } }, [user], [{ maxTokens: 1 }]).tokens).toBe(
    2 * one,
  )
  expect(() => estimatePrompt({ defaults: { topP: 2 } }, [user], [])).toThrow(/^topP must be/)
})

test('a provider estimates with the factor of its configuration', () => {
  const text = 'How is the weather in Oslo today?'
  expect(play([], { tokenFactor: 2 }).provider.estimateTokens(text)).toBeGreaterThan(
    play([]).provider.estimateTokens(text) * 1.8,
  )
  expect(play([]).provider).toMatchObject({ name: 'p', model: 'm', cheapestModel: 'c' })
})

test("JSON is posted with its headers, the caller's over the driver's", async () => {
  const sent: unknown[] = []
  const io = {
    signal: new AbortController().signal,
    idempotencyKey: '',
    fetch: (url: unknown, init: unknown) => {
      sent.push([url, init])
      return Promise.resolve(new Response())
    },
  }
  await postJson(
    { ...io, stream: true, headers: { a: 'caller' } },
    'https://h/',
    { x: 1 },
    { a: 'driver', b: 'driver' },
  )
  await postJson({ ...io, stream: false, headers: {} }, 'https://h/', [])
  const common = { 'content-type': 'application/json' }
  expect(sent).toEqual([
    [
      'https://h/',
      {
        method: 'POST',
        headers: { ...common, accept: 'text/event-stream', a: 'caller', b: 'driver' },
        body: '{"x":1}',
      },
    ],
    [
      'https://h/',
      { method: 'POST', headers: { ...common, accept: 'application/json' }, body: '[]' },
    ],
  ])
})
