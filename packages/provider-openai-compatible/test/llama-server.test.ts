import {
  isLlmError,
  type ProviderError,
  type StreamEvent,
  type ToolDefinition,
  type ToolStreamReader,
} from '@modelport/core'
import { afterAll, describe, expect, test } from 'vitest'
import {
  emojiAnswer,
  startLlamaServer,
  streamEmoji,
  weather,
} from '../../../test/support/llama-server.js'
import {
  countTokens,
  createOpenAICompatible,
  createOpenAICompatibleEmbedder,
  createPreset,
  listModels,
  toPresetConfig,
} from '../src/index.js'

const key = 'sk-llama-4f1c9a77'
const open = startLlamaServer(['--jinja'])
const locked = open && startLlamaServer(['--api-key', key, '--embeddings', '--pooling', 'mean'])
const provider = createOpenAICompatible({
  baseUrl: open?.url ?? 'http://none.test',
  model: 'tinytool',
  enforceHosts: true,
  defaults: { temperature: 0 },
})

afterAll(() => {
  open?.stop()
  locked?.stop()
})

const object = (properties: Readonly<Record<string, object>>) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
})
const add: ToolDefinition = {
  name: 'add',
  description: 'Adds two numbers',
  parameters: object({ a: { type: 'number' }, b: { type: 'number' } }),
}

async function round(reader: ToolStreamReader): Promise<StreamEvent[]> {
  const events: StreamEvent[] = []
  for (let step = await reader.next(); !step.done; step = await reader.next()) {
    events.push(step.value)
    if (step.value.type === 'turn-end') break
  }
  return events
}

const failure = async (promise: Promise<unknown>): Promise<ProviderError> => {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!isLlmError(error)) throw new Error(`no typed error: ${String(error)}`)
  return error as ProviderError
}

describe.skipIf(!open)('a real llama.cpp server', () => {
  test('a real llama.cpp server completes and streams, with characters of several bytes', async () => {
    expect(await provider.complete('Send an emoji')).toBe(emojiAnswer)
    await streamEmoji(provider)
  })

  test('a real llama.cpp server calls two tools in parallel, takes their results one by one, then other tools', async () => {
    const reader = await provider.streamWithTools(
      [{ role: 'user', content: 'What is the weather in Paris and in Rome?' }],
      [weather, add],
    )
    const events = await round(reader)
    const calls = events.flatMap((event) =>
      event.type === 'tool-call-complete' ? [event.toolCall] : [],
    )
    expect(calls.map(({ name, arguments: values }) => [name, values])).toEqual([
      ['get_weather', { city: 'Paris' }],
      ['get_weather', { city: 'Rome' }],
    ])
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2)
    expect(events.at(-1)).toMatchObject({ type: 'turn-end', reason: 'tool-calls' })
    for (const [index, { id }] of calls.toReversed().entries()) {
      await reader.sendToolResults([
        { callId: id, content: index === 0 ? '15 degrees and rain' : '21 degrees and sunny' },
      ])
    }
    reader.setTools([add])
    const second = await round(reader)
    expect(second.at(-1)).toMatchObject({ type: 'turn-end', reason: 'stop' })
    expect(reader.fullText()).toMatch(/degrees/)
    expect((await reader.next()).value).toMatchObject({ type: 'done', reason: 'stop' })
    expect((await reader.next()).done).toBe(true)
    expect(reader.usage().turns).toHaveLength(2)
    const messages = reader.messages()
    expect(messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'tool',
      'assistant',
    ])
    expect(messages[2]).toMatchObject({ toolCallId: calls[0]?.id, content: '21 degrees and sunny' })
    // The tools of a round are part of the prompt, so the server counts fewer tokens with one tool
    // than with two.
    const more = await provider.generate(messages.slice(0, 4), { tools: [weather, add] })
    expect(reader.usage().turns[1]?.inputTokens).toBeLessThan(more.usage.inputTokens)
  })

  test('a real llama.cpp server replies to a failed tool call too', async () => {
    const reader = await provider.streamWithTools(
      [{ role: 'user', content: 'What is the weather in Paris?' }],
      [weather],
    )
    for await (const event of reader) {
      if (event.type === 'tool-call-complete')
        await reader.sendToolResults([
          { callId: event.toolCall.id, content: 'no such city', isError: true },
        ])
    }
    expect(reader.messages().at(-1)?.role).toBe('assistant')
    expect(reader.usage().turns).toHaveLength(2)
  })

  test('a real llama.cpp server notices an abort in the middle of a stream', async () => {
    const controller = new AbortController()
    const before = cancelled()
    const reader = await provider.stream('Tell me a story.', {
      maxTokens: 3900,
      signal: controller.signal,
      vendor: { ignore_eos: true },
    })
    await reader.next()
    const reason = new Error('enough')
    controller.abort(reason)
    await expect(reader.next()).rejects.toBe(reason)
    await expect.poll(cancelled).toBe(before + 1)
  })

  test('a real llama.cpp server loses its connection when the reader leaves the loop', async () => {
    const before = cancelled()
    for await (const text of await provider.stream('Tell me a story.', {
      maxTokens: 3900,
      vendor: { ignore_eos: true },
    }))
      if (text) break
    await expect.poll(cancelled).toBe(before + 1)
  })

  test('a real llama.cpp server returns JSON that fits a schema', async () => {
    const schema = {
      ...object({
        name: { type: 'string', maxLength: 8 },
        age: { type: 'integer', minimum: 0, maximum: 99 },
      }),
      additionalProperties: false,
    }
    const value = JSON.parse(
      await provider.complete('A person', { responseFormat: { type: 'json-schema', schema } }),
    ) as { name: unknown; age: unknown }
    expect(Object.keys(value).sort()).toEqual(['age', 'name'])
    expect(typeof value.name).toBe('string')
    expect(Number.isInteger(value.age)).toBe(true)
  })

  test('a real llama.cpp server reports log probabilities', async () => {
    const { logprobs = [], finishReason } = await provider.generate(
      [{ role: 'user', content: 'Tell me a story.' }],
      {
        maxTokens: 4,
        topLogprobs: 2,
      },
    )
    expect(finishReason).toBe('length')
    expect(logprobs).toHaveLength(4)
    for (const { token, logprob, top } of logprobs) {
      expect(token).not.toBe('')
      expect(logprob).toBeLessThanOrEqual(0)
      expect(top).toHaveLength(2)
    }
  })

  test('a real llama.cpp server rejects a prompt that is too long', async () => {
    const error = await failure(provider.complete('word '.repeat(9000)))
    expect(error).toMatchObject({
      code: 'context-length',
      status: 400,
      type: 'exceed_context_size_error',
      retryable: false,
      attempts: 1,
    })
  })

  test('a real llama.cpp server counts the tokens of a call before it', async () => {
    const config = toPresetConfig('llamacpp-server', {
      baseUrl: open?.url ?? '',
      model: 'tinytool',
    })
    const conversation = [{ role: 'user' as const, content: 'What is the weather in Paris? 🎉' }]
    for (const options of [{}, { system: 'Be brief.' }, { tools: [weather, add] }]) {
      const { usage } = await createPreset('llamacpp-server', config).generate(conversation, {
        maxTokens: 1,
        ...options,
      })
      expect(await countTokens(config, conversation, options)).toEqual({
        tokens: usage.inputTokens,
        source: 'tokenizer',
      })
      const { tokens } = await countTokens({ ...config, quirks: {} }, conversation, options)
      expect(tokens).toBeGreaterThan(0)
    }
  })

  test('a real llama.cpp server ignores a tool forced by name, so the row refuses it', async () => {
    const ask = (name: 'llamacpp-server' | 'openai-compatible') =>
      createPreset(name, { baseUrl: open?.url ?? '', model: 'tinytool' }).generate(
        [{ role: 'user', content: 'Send an emoji' }],
        { tools: [weather], toolChoice: { name: 'get_weather' }, temperature: 0, maxTokens: 40 },
      )
    expect((await ask('openai-compatible')).toolCalls).toEqual([])
    await expect(ask('llamacpp-server')).rejects.toMatchObject({ code: 'unsupported' })
  })

  test('a real llama.cpp server lists its models', async () => {
    expect(await listModels({ baseUrl: open?.url ?? '' })).toEqual([
      { id: 'tinytool', ownedBy: 'llamacpp' },
    ])
  })

  test('a real llama.cpp server refuses a call without its key, and serves one with it', async () => {
    const baseUrl = locked?.url ?? ''
    const error = await failure(
      createOpenAICompatible({ baseUrl, model: 'tinytool', apiKey: 'sk-wrong-8b3e' }).complete(
        'Hello',
      ),
    )
    expect(error).toMatchObject({ code: 'auth', status: 401, attempts: 1 })
    expect(`${error.message}${String(error.stack)}${JSON.stringify(error)}`).not.toContain(
      'sk-wrong-8b3e',
    )
    expect(
      await failure(createOpenAICompatible({ baseUrl, model: 'tinytool' }).stream('Hello')),
    ).toMatchObject({
      code: 'auth',
    })
    expect(await listModels({ baseUrl, apiKey: key })).toHaveLength(1)
  })

  test('a real llama.cpp server returns embeddings in order and in batches', async () => {
    const config = { baseUrl: locked?.url ?? '', apiKey: key, model: 'tinytool' }
    const texts = [
      'What is the weather?',
      'Send an emoji',
      'What is 12 plus 30?',
      'Tell me a story.',
      'a',
    ]
    const { vectors, usage } = await createOpenAICompatibleEmbedder({
      ...config,
      batchSize: 2,
    }).embed(texts)
    expect(vectors.map(({ length }) => length)).toEqual([128, 128, 128, 128, 128])
    expect(usage.turns).toHaveLength(3)
    expect(usage.inputTokens).toBeGreaterThan(5)
    for (const [index, text] of texts.entries()) {
      const {
        vectors: [alone = []],
      } = await createOpenAICompatibleEmbedder(config).embed([text])
      expect(cosine(alone, vectors[index] ?? [])).toBeGreaterThan(0.999)
    }
  })
})

const cancelled = (): number => open?.log().match(/cancel task/g)?.length ?? 0

const dot = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0)
const cosine = (a: readonly number[], b: readonly number[]): number =>
  dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b))
