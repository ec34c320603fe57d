import * as exported from '@modelport/catalog'
import type { CallOptions, ChatMessage, ToolDefinition } from '@modelport/core'
import { isLlmError, parseBaseUrl } from '@modelport/core'
import { describe, expect, test } from 'vitest'
import {
  capabilities,
  createOpenAICompatibleEmbedder,
  createPreset,
  createPresetProvider,
  type Preset,
  type PresetConfig,
  type PresetName,
  presets,
  toPresetConfig,
} from '../src/index.js'
import { toRowConfig } from '../src/preset.js'

const names = Object.keys(presets) as PresetName[]
const apiKey = 'sk-presets-5f2e'
const tools: ToolDefinition[] = [
  { name: 'get_weather', description: 'Weather', parameters: { type: 'object', properties: {} } },
]
const schema = { type: 'json-schema', schema: { type: 'object' } } as const
const user: ChatMessage = { role: 'user', content: 'Hi' }

interface Sent {
  readonly url: string
  readonly key: string | null
  readonly body: any // oxlint-disable-line typescript/no-explicit-any -- JSON
}

async function sentBy(
  name: PresetName,
  options: CallOptions = {},
  config: PresetConfig = {},
  messages: readonly ChatMessage[] = [user],
): Promise<Sent> {
  const sent: Sent[] = []
  const provider = createPreset(name, {
    apiKey,
    model: 'm',
    ...(presets[name].retired && { baseUrl: presets[name].baseUrl }),
    ...config,
    fetch: (input, init) => {
      sent.push({
        url: new Request(input).url,
        key: new Headers(init?.headers).get('authorization'),
        body: JSON.parse(init?.body as string),
      })
      return Promise.resolve(
        Response.json({ choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }] }),
      )
    },
  })
  await provider.generate(messages, options)
  return sent[0] as Sent
}

const codeOf = (make: () => unknown): unknown => {
  try {
    make()
    return undefined
  } catch (error) {
    return isLlmError(error) ? error : undefined
  }
}

describe('the table', () => {
  test('the table of presets has the defaults of the reference systems, except for services that their vendors closed', () => {
    const facts = (name: PresetName) => [
      presets[name].baseUrl,
      presets[name].keyVariables,
      presets[name].model,
      presets[name].nativeTools,
    ]
    expect(facts('deepseek')).toEqual([
      'https://api.deepseek.com',
      ['DEEPSEEK_API_KEY'],
      'deepseek-flash',
      true,
    ])
    expect(facts('grok')).toEqual([
      'https://api.x.ai/v1',
      ['XAI_API_KEY', 'GROK_API_KEY'],
      'grok-latest',
      true,
    ])
    expect(facts('huggingface')).toEqual([
      'https://router.huggingface.co/v1',
      ['HF_API_TOKEN', 'HF_TOKEN'],
      undefined,
      false,
    ])
    expect(facts('llamacpp-server')).toEqual([
      'http://localhost:8080',
      ['LLAMA_API_KEY'],
      'gemma4:e4b',
      false,
    ])
    expect(facts('lmstudio')).toEqual([
      'http://localhost:1234/v1',
      ['LMSTUDIO_API_KEY'],
      'local-model',
      false,
    ])
    expect(facts('openai-compatible')).toEqual([
      'http://localhost:1234/v1',
      ['OPENAI_COMPATIBLE_API_KEY'],
      'local-model',
      false,
    ])
    expect([presets.lmstudio.baseUrlVariables, presets.lmstudio.fallbackKey]).toEqual([
      ['LMSTUDIO_URL'],
      'lm-studio',
    ])
    expect(presets['openai-compatible'].baseUrlVariables).toEqual(['OPENAI_COMPATIBLE_BASE_URL'])
  })

  test.each(names)(
    'the row of %s has an address, a page, no key where none is needed, and a model or the duty to give one',
    (name) => {
      const row = presets[name]
      expect(parseBaseUrl(row.baseUrl).href).toBe(row.baseUrl)
      expect(row.docs).toMatch(/^https:\/\//)
      expect(row.keyVariables.length).toBeGreaterThan(0)
      expect(row.needsKey).toBe(row.baseUrl.startsWith('https:'))
      const config = {
        ...(row.needsKey && { apiKey }),
        ...(!row.model && { model: 'given' }),
        ...(row.retired && { baseUrl: row.baseUrl }),
      }
      const provider = createPreset(name, config)
      expect([provider.name, provider.model]).toEqual([name, row.model ?? 'given'])
      expect(provider.cheapestModel).toBe(
        (row.retired ? undefined : row.cheapestModel) ?? provider.model,
      )
    },
  )

  test.each(names)(
    'the row of %s is an export of its own, for programs that want no other row',
    (name) => {
      const camelCase = name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())
      const row = ({ ...exported } as Readonly<Record<string, unknown>>)[camelCase] as Preset
      expect(row).toBe(presets[name])
      expect(row.name).toBe(name)
      const config = { baseUrl: 'http://h.test', apiKey, model: 'm' }
      expect(toRowConfig(row, config)).toEqual(toPresetConfig(name, config))
      const { name: said, model } = createPresetProvider(row, config)
      expect([said, model]).toEqual([name, 'm'])
    },
  )

  test('the table of presets has a cheapest model for each vendor that has prices and a default', () => {
    expect(
      names.filter(
        (name) => presets[name].needsKey && presets[name].model && !presets[name].cheapestModel,
      ),
    ).toEqual([])
  })
})

describe('a row and a configuration', () => {
  test('a row and a configuration meet at the address of the row', async () => {
    const urls = await Promise.all(names.map(async (name) => [name, (await sentBy(name)).url]))
    expect(Object.fromEntries(urls)).toMatchObject({
      deepseek: 'https://api.deepseek.com/v1/chat/completions',
      groq: 'https://api.groq.com/openai/v1/chat/completions',
      huggingface: 'https://router.huggingface.co/v1/chat/completions',
      'llamacpp-server': 'http://localhost:8080/v1/chat/completions',
      perplexity: 'https://api.perplexity.ai/chat/completions',
      zai: 'https://api.z.ai/api/paas/v4/chat/completions',
      alibaba: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1/chat/completions',
      fireworks: 'https://api.fireworks.ai/inference/v1/chat/completions',
      'github-models': 'https://models.github.ai/inference/chat/completions',
    })
  })

  test('a row and a configuration differ by quirk: the configuration wins over the row', async () => {
    const { url, key, body } = await sentBy(
      'groq',
      { seed: 1, maxTokens: 9 },
      { baseUrl: 'http://h.test', apiKey: 'sk-own-123', quirks: { rename: { seed: 's' } } },
    )
    expect([url, key, body.s, body.max_completion_tokens]).toEqual([
      'http://h.test/v1/chat/completions',
      'Bearer sk-own-123',
      1,
      9,
    ])
    expect(toPresetConfig('deepseek', { apiKey, model: 'x', name: 'mine' })).toMatchObject({
      name: 'mine',
      preset: presets.deepseek,
      model: 'x',
      cheapestModel: 'deepseek-flash',
    })
    expect(toPresetConfig('deepseek', { baseUrl: 'http://h.test', model: 'x' })).toMatchObject({
      cheapestModel: 'x',
    })
    expect(toPresetConfig('vllm', { model: 'x', timeouts: { idleMs: 1 } }).timeouts).toEqual({
      headersMs: 600_000,
      idleMs: 1,
      semanticIdleMs: 600_000,
    })
  })

  test('a row and a configuration send a key that is not needed, if one is given', async () => {
    expect((await sentBy('lmstudio', {}, { apiKey: undefined })).key).toBe('Bearer lm-studio')
    expect((await sentBy('llamacpp-server', {}, { apiKey: undefined })).key).toBeNull()
  })

  test.each<[string, () => unknown, RegExp]>([
    [
      'no key',
      () => createPreset('deepseek'),
      /^deepseek: pass apiKey; only newProvider reads it from DEEPSEEK_API_KEY$/,
    ],
    ['no model', () => createPreset('huggingface', { apiKey }), /^huggingface: pass model/],
    [
      'a closed service',
      () => createPreset('github-models', { apiKey }),
      /closed this service on 2026-07-30/,
    ],
    [
      'no such row',
      () => createPreset('toString' as PresetName),
      /no preset "toString"; there are .*alibaba, /,
    ],
  ])('%s is refused', (_, make, message) => {
    expect(codeOf(make)).toMatchObject({
      code: 'config',
      message: expect.stringMatching(message) as string,
    })
  })

  test('a row and a configuration make an embedder too', () => {
    expect(
      createOpenAICompatibleEmbedder(toPresetConfig('mistral', { apiKey, model: 'mistral-embed' })),
    ).toMatchObject({ name: 'mistral', model: 'mistral-embed' })
  })
})

describe('quirks', () => {
  const foreign: ChatMessage[] = [
    user,
    {
      role: 'assistant',
      content: '',
      toolCalls: [{ id: 'toolu_01:x', name: 'f', arguments: {}, argumentsText: '{}' }],
    },
    { role: 'tool', toolCallId: 'toolu_01:x', content: 'r' },
  ]

  test('OpenRouter: a part has its mark of the cache, which others leave out with a warning', async () => {
    const parts = [
      { type: 'text', text: 'Long.', cache: 'hour' },
      { type: 'text', text: 'Hi?' },
    ] as const
    const { body } = await sentBy('openrouter', {}, {}, [{ role: 'user', content: parts }])
    expect(body.messages[0].content).toEqual([
      { type: 'text', text: 'Long.', cache_control: { type: 'ephemeral', ttl: '1h' } },
      { type: 'text', text: 'Hi?' },
    ])
    expect(
      (await sentBy('groq', {}, {}, [{ role: 'user', content: parts }])).body.messages[0].content,
    ).toBe('Long.Hi?')
  })

  test('Mistral gets ids of nine letters or digits, another name of the seed, and no stream_options', async () => {
    const { body } = await sentBy('mistral', { seed: 3 }, {}, foreign)
    expect(body.messages[1].tool_calls[0].id).toMatch(/^[a-zA-Z0-9]{9}$/)
    expect(body.messages[2].tool_call_id).toBe(body.messages[1].tool_calls[0].id)
    expect([body.random_seed, body.seed]).toEqual([3, undefined])
    expect(presets.mistral.quirks.streamUsage).toBe(false)
  })

  test('Mistral: a reply stands between the results of a run that was stopped and what the user says next', async () => {
    const { body } = await sentBy('mistral', {}, {}, [
      ...foreign,
      { role: 'user', content: 'Stop. Hi?' },
    ])
    const roles = body.messages.map(({ role }: { role: string }) => role) as string[]
    expect(roles.slice(-3)).toEqual(['tool', 'assistant', 'user'])
    expect(body.messages.at(-2)).toEqual({ role: 'assistant', content: '[No reply.]' })
  })

  test('Mistral: ids with characters it refuses, of any length, stay apart; those that fit stay', async () => {
    const ids = [
      'call_ab12',
      'ok_1',
      'call_0:ab',
      `toolu_${'x'.repeat(90)}1`,
      `toolu_${'x'.repeat(90)}2`,
      'łódź',
      'a1B2c3D4e',
    ]
    const { body } = await sentBy('mistral', {}, {}, [
      user,
      {
        role: 'assistant',
        content: '',
        toolCalls: ids.map((id) => ({ id, name: 'f', arguments: {}, argumentsText: '{}' })),
      },
      ...ids.map((toolCallId): ChatMessage => ({ role: 'tool', toolCallId, content: toolCallId })),
    ])
    const sent = body.messages[1].tool_calls.map(({ id }: { id: string }) => id) as string[]
    for (const id of sent) expect(id).toMatch(/^[a-zA-Z0-9]{9}$/)
    expect(new Set(sent).size).toBe(ids.length)
    expect(sent.at(-1)).toBe('a1B2c3D4e')
    expect(
      body.messages.slice(2).map((message: { tool_call_id: string }) => message.tool_call_id),
    ).toEqual(sent)
  })

  test.each<[PresetName, unknown]>([
    ['deepseek', ''],
    ['moonshot', ''],
    ['groq', undefined],
  ])('%s gets the field of reasoning that calls must have', async (name, wanted) => {
    expect((await sentBy(name, {}, {}, foreign)).body.messages[1].reasoning_content).toBe(wanted)
  })

  test('Moonshot gets no temperature unless the caller sets one', async () => {
    expect((await sentBy('moonshot')).body).not.toHaveProperty('temperature')
    expect((await sentBy('moonshot', { temperature: 1 })).body.temperature).toBe(1)
  })

  test('Alibaba: the quota of a 429 is that of a minute, and comes back', async () => {
    const body = {
      error: {
        message: 'You exceeded your current quota',
        type: 'insufficient_quota',
        code: 'insufficient_quota',
      },
    }
    const codes = (['alibaba', 'grok'] as const).map(async (name) => {
      const provider = createPreset(name, {
        apiKey,
        fetch: () => Promise.resolve(Response.json(body, { status: 429 })),
      })
      return provider
        .complete('Hi', { retry: { attempts: 1 } })
        .catch((error: unknown) => (error as { code: unknown }).code)
    })
    expect(await Promise.all(codes)).toEqual(['rate-limit', 'quota-exhausted'])
  })

  test('Z.ai: "none" is said by sending no tools', async () => {
    const { body } = await sentBy('zai', { tools, toolChoice: 'none' })
    expect(body).not.toHaveProperty('tools')
    expect(body).not.toHaveProperty('tool_choice')
    expect((await sentBy('zai', { tools, toolChoice: 'auto' })).body.tool_choice).toBe('auto')
  })

  test.each<[PresetName, NonNullable<CallOptions['reasoning']>, object]>([
    ['deepseek', 'none', { thinking: { type: 'disabled' } }],
    ['deepseek', 'high', { thinking: { type: 'enabled' }, reasoning_effort: 'high' }],
    ['openrouter', 'low', { reasoning: { effort: 'low' } }],
    ['together', 'none', { reasoning: { enabled: false } }],
    ['alibaba', 'medium', { enable_thinking: true, thinking_budget: 8192 }],
    ['llamacpp-server', 'none', { chat_template_kwargs: { enable_thinking: false } }],
    ['vllm', 'high', { reasoning_effort: 'high' }],
    ['grok', 'none', { reasoning_effort: 'none' }],
  ])('%s: reasoning %s', async (name, reasoning, wanted) => {
    expect((await sentBy(name, { reasoning })).body).toMatchObject(wanted)
  })

  test.each<[PresetName, string, CallOptions]>([
    ['perplexity', 'tools', { tools }],
    ['perplexity', 'seed', { seed: 1 }],
    ['perplexity', 'responseFormat.*"json"', { responseFormat: { type: 'json' } }],
    ['perplexity', 'reasoning.*none', { reasoning: 'none' }],
    ['deepseek', 'responseFormat.*json-schema.*ask for', { responseFormat: schema }],
    ['zai', 'responseFormat.*json-schema.*ask for', { responseFormat: schema }],
    ['zai', 'toolChoice', { tools, toolChoice: 'required' }],
    ['alibaba', 'toolChoice', { tools, toolChoice: 'required' }],
    ['lmstudio', 'responseFormat.*"json"', { responseFormat: { type: 'json' } }],
    [
      'lmstudio',
      'toolChoice.*get_weather.*required',
      { tools, toolChoice: { name: 'get_weather' } },
    ],
    ['llamacpp-server', 'toolChoice.*get_weather', { tools, toolChoice: { name: 'get_weather' } }],
    ['groq', 'topLogprobs', { topLogprobs: 1 }],
    ['together', 'topLogprobs', { topLogprobs: 1 }],
    ['mistral', 'topK', { topK: 1 }],
    ['mistral', 'reasoning.*medium', { reasoning: 'medium' }],
    ['moonshot', 'parallelToolCalls', { parallelToolCalls: false }],
    ['cerebras', 'topK', { topK: 1 }],
  ])('%s refuses what it cannot say: %s', async (name, what, options) => {
    await expect(sentBy(name, options)).rejects.toMatchObject({
      code: 'unsupported',
      provider: name,
      message: expect.stringMatching(new RegExp(what)) as string,
    })
  })
})

describe('capabilities', () => {
  test('the quirks of the configuration count, and a profile settles what a model decides', () => {
    expect(capabilities({}).tools).toEqual({
      supported: 'by-model',
      source: 'nothing is known of this server; set a profile',
    })
    expect(capabilities({ quirks: { lacks: ['tools'] } })).toMatchObject({
      tools: { supported: false },
      parallelTools: { supported: false },
    })
    expect(
      capabilities({ quirks: { lacks: ['tools'] }, profile: { supportsTools: true } }).tools
        .supported,
    ).toBe(false)
    expect(
      capabilities(toPresetConfig('lmstudio', { profile: { supportsTools: true } })).tools,
    ).toEqual({
      supported: true,
      source: 'profile of the configuration',
    })
    expect(
      capabilities(toPresetConfig('lmstudio', { quirks: { responseFormats: [] } })).schema
        .supported,
    ).toBe(false)
  })
})
