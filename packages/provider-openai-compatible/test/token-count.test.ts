import type { ChatMessage, ToolDefinition } from '@modelport/core'
import { describe, expect, test } from 'vitest'
import { countTokens, type OpenAICompatibleConfig, toPresetConfig } from '../src/index.js'

const messages: ChatMessage[] = [{ role: 'user', content: 'What is the weather in Rome?' }]
const tools: ToolDefinition[] = [
  {
    name: 'get_weather',
    description: 'Weather of a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } } },
  },
]

function server(...answers: readonly unknown[]) {
  const sent: { readonly url: string; readonly body: any; readonly key: string | null }[] = [] // oxlint-disable-line typescript/no-explicit-any -- JSON
  const fetch: OpenAICompatibleConfig['fetch'] = (input, init) => {
    sent.push({
      url: new Request(input).url,
      body: JSON.parse(init?.body as string),
      key: new Headers(init?.headers).get('authorization'),
    })
    return Promise.resolve(Response.json(answers[sent.length - 1] ?? {}))
  }
  return { sent, fetch }
}

describe('counted tokens', () => {
  test('llama.cpp counts by the template and then the tokenizer, next to /v1', async () => {
    const { sent, fetch } = server({ prompt: '<s>Hi' }, { tokens: [1, 2, 3] })
    const config = toPresetConfig('llamacpp-server', {
      baseUrl: 'http://h.test/llama/v1',
      apiKey: 'sk-count-1',
      fetch,
    })
    expect(await countTokens(config, messages, { system: 'S', tools })).toEqual({
      tokens: 3,
      source: 'tokenizer',
    })
    expect(sent.map(({ url }) => url)).toEqual([
      'http://h.test/llama/apply-template',
      'http://h.test/llama/tokenize',
    ])
    expect(sent[0]?.body).toMatchObject({
      messages: [{ role: 'system', content: 'S' }, { role: 'user' }],
      tools: [{ function: { name: 'get_weather' } }],
    })
    expect(sent[1]?.body).toEqual({ content: '<s>Hi', add_special: true, parse_special: true })
    expect(sent[0]?.key).toBe('Bearer sk-count-1')
  })

  test('llama.cpp: a template that fails is tried again with the whole count, and no more often than any call', async () => {
    const urls: string[] = []
    const fetch: OpenAICompatibleConfig['fetch'] = (input) => {
      urls.push(new URL(new Request(input).url).pathname)
      return Promise.resolve(Response.json({ error: { message: 'loading' } }, { status: 503 }))
    }
    const clock = {
      now: () => 0,
      random: () => 0,
      after: (ms: number, callback: () => void) => {
        if (ms === 0) queueMicrotask(callback)
        return () => undefined
      },
    }
    await expect(
      countTokens(toPresetConfig('llamacpp-server', { fetch, clock }), messages),
    ).rejects.toMatchObject({
      code: 'overloaded',
      attempts: 3,
    })
    expect(urls).toEqual(['/apply-template', '/apply-template', '/apply-template'])
  })

  test('vLLM counts with one request that has everything', async () => {
    const { sent, fetch } = server({ count: 17, max_model_len: 4096, tokens: [] })
    expect(
      await countTokens(toPresetConfig('vllm', { model: 'm', fetch }), messages, { tools }),
    ).toEqual({
      tokens: 17,
      source: 'tokenizer',
    })
    expect(sent[0]).toMatchObject({
      url: 'http://localhost:8000/tokenize',
      body: { model: 'm', messages: [{ role: 'user' }], tools: [{}], add_generation_prompt: true },
    })
  })

  test('a server that cannot count gets no request: an estimate says so, and is higher with tools, calls and a factor', async () => {
    const { sent, fetch } = server()
    const config = toPresetConfig('groq', { apiKey: 'sk-count-1', fetch })
    const count = async (
      more: Partial<OpenAICompatibleConfig>,
      ...rest: Parameters<typeof countTokens> extends [unknown, ...infer R] ? R : never
    ) => {
      const { tokens, source } = await countTokens({ ...config, ...more }, ...rest)
      expect(source).toBe('estimate')
      return tokens
    }
    const plain = await count({}, messages)
    expect(plain).toBeGreaterThan(7)
    expect(await count({}, messages, { tools })).toBeGreaterThan(plain + 10)
    expect(await count({}, messages, { system: 'Be brief.' })).toBeGreaterThan(plain)
    expect(await count({ tokenFactor: 2 }, messages)).toBeGreaterThan(plain)
    const called: ChatMessage = {
      role: 'assistant',
      content: '',
      toolCalls: [
        {
          id: 'a',
          name: 'get_weather',
          arguments: { city: 'Rome' },
          argumentsText: '{"city":"Rome"}',
        },
      ],
    }
    expect(await count({}, [...messages, called])).toBeGreaterThan(plain + 8)
    expect(sent).toEqual([])
  })

  test('a response without a count is a failure, not a count of 0', async () => {
    const llama = toPresetConfig('llamacpp-server', {
      fetch: server({ prompt: 'x' }, { tokens: 3 }).fetch,
    })
    await expect(countTokens(llama, messages)).rejects.toMatchObject({ code: 'protocol' })
    await expect(
      countTokens(toPresetConfig('vllm', { model: 'm', fetch: server({}).fetch }), messages),
    ).rejects.toMatchObject({ code: 'protocol' })
    await expect(countTokens(llama, messages, { maxTokens: 0 })).rejects.toMatchObject({
      code: 'config',
    })
  })
})
