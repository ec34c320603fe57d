// Whatever is said to a provider, it sends what its vendor takes, or refuses with a typed error
// before it sends. What an option of the caller says is sent as it is: this test is not about
// values that a model refuses.
import {
  type CallOptions,
  type ChatMessage,
  isLlmError,
  type Provider,
  type ToolCall,
  type ToolDefinition,
} from '@modelport/core'
import type { Fetch } from '@modelport/driver'
import { createAnthropic } from '@modelport/provider-anthropic'
import { createGoogle } from '@modelport/provider-google'
import { createOllama } from '@modelport/provider-ollama'
import { createOpenAI } from '@modelport/provider-openai'
import { createPreset, type PresetName } from '@modelport/provider-openai-compatible'
import { expect, test } from 'vitest'
import { fc } from '../support/fast-check.js'
import { atSize } from '../support/faults.js'
import { describeRefusals, takeRefusals } from './refusals.ts'

const apiKey = 'sk-conversations-0123456789'
const fetch: Fetch = () => Promise.resolve(new Response('{}', { status: 401 }))
const defaults = { retry: { attempts: 1 } }
const config = { apiKey, fetch, defaults }
const preset = (name: PresetName, model = 'm'): Provider => createPreset(name, { ...config, model })

const providers: Readonly<Record<string, () => Provider>> = {
  'OpenAI, Responses': () => createOpenAI({ ...config, model: 'gpt-4.1' }),
  'OpenAI, Responses, a model that reasons': () => createOpenAI({ ...config, model: 'o3' }),
  'OpenAI, Chat': () => createOpenAI({ ...config, model: 'gpt-4.1', api: 'chat' }),
  'OpenAI, Chat, a model that reasons': () => createOpenAI({ ...config, model: 'o3', api: 'chat' }),
  'Claude Sonnet 4.5': () => createAnthropic({ ...config, model: 'claude-sonnet-4-5' }),
  'Claude Opus 4.8': () => createAnthropic({ ...config, model: 'claude-opus-4-8' }),
  'Gemini 2.5': () => createGoogle({ ...config, model: 'gemini-2.5-flash' }),
  'Gemini 3': () => createGoogle({ ...config, model: 'gemini-3-flash-preview' }),
  Ollama: () => createOllama({ ...config, model: 'llama3' }),
  Mistral: () => preset('mistral'),
  Groq: () => preset('groq'),
  DeepSeek: () => preset('deepseek'),
  xAI: () => preset('grok', 'grok-4'),
  OpenRouter: () => preset('openrouter'),
  Perplexity: () => preset('perplexity'),
}

/**
 * Rules about options that the caller sets: they are sent, and the vendor says which model takes
 * them.
 */
const chosen = [
  'openai-reasoning-models',
  'grok-reasoning-models',
  'messages-one-sampling',
  'gemini-tools-together',
]

const text = fc.constantFrom('Hi', 'What is it?', '', ' ', '\n', 'Ends with space ', 'Zażółć 👩‍🚀')
const content = fc.oneof(
  { weight: 3, arbitrary: text },
  {
    weight: 1,
    arbitrary: fc.array(
      fc.oneof(
        text.map((one) => ({ type: 'text' as const, text: one })),
        fc.constant({
          type: 'image' as const,
          source: { type: 'base64' as const, data: 'AAAA', mediaType: 'image/png' },
        }),
      ),
      { minLength: 1, maxLength: 3 },
    ),
  },
)
const id = fc.oneof(
  fc.constantFrom('call_1', 'toolu_01', 'a b', 'x.y:z', 'ą', 'c'.repeat(70)),
  fc.stringMatching(/^[a-z0-9]{9}$/),
)
const call: fc.Arbitrary<ToolCall> = fc
  .record({
    id,
    name: fc.constantFrom('get_weather', 'list_rooms'),
    arguments: fc.constantFrom({}, { city: 'Oslo' }, { deep: { list: [1, null] } }),
  })
  .map((one) => ({ ...one, argumentsText: JSON.stringify(one.arguments) }))
/** A reply, and the results of its calls in any order. */
const exchange: fc.Arbitrary<readonly ChatMessage[]> = fc
  .tuple(
    fc.record({ role: fc.constant('user' as const), content }),
    text,
    fc.option(text, { nil: undefined }),
    fc.uniqueArray(call, { maxLength: 3, selector: (one) => one.id }),
    text,
    fc.boolean(),
  )
  .map(([user, said, reasoning, toolCalls, result, isError]) => [
    user,
    {
      role: 'assistant',
      content: said,
      ...(reasoning !== undefined && { reasoning }),
      ...(toolCalls.length && { toolCalls }),
    },
    ...toolCalls
      .map((one) => ({
        role: 'tool' as const,
        toolCallId: one.id,
        content: result,
        ...(isError && { isError }),
      }))
      .reverse(),
  ])
const conversation = fc
  .tuple(
    fc.option(text, { nil: undefined }),
    fc.array(exchange, { maxLength: 3 }),
    fc.record({ role: fc.constant('user' as const), content }),
    fc.boolean(),
  )
  .map(([system, before, last, ask]): readonly ChatMessage[] => [
    ...(system === undefined ? [] : [{ role: 'system' as const, content: system }]),
    ...before.flat(),
    ...(ask || !before.length ? [last] : []),
  ])

const schema = {
  type: 'object',
  properties: {
    n: { type: 'integer', minimum: 0, default: 1 },
    mail: { type: 'string', format: 'email', maxLength: 9 },
  },
  required: ['n'],
}
const tools: readonly ToolDefinition[] = [
  {
    name: 'get_weather',
    description: 'The weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } } },
  },
  { name: 'list_rooms', description: 'The rooms' },
]
const options: fc.Arbitrary<CallOptions> = fc.record(
  {
    maxTokens: fc.constantFrom(1, 16, 1000, 20_000),
    temperature: fc.constantFrom(0, 0.5, 1, 1.7, 2),
    topP: fc.constantFrom(0.1, 0.95, 1),
    stop: fc.constantFrom(['END'], ['\n']),
    toolChoice: fc.constantFrom('auto' as const, 'none' as const, 'required' as const, {
      name: 'list_rooms',
    }),
    parallelToolCalls: fc.boolean(),
    reasoning: fc.constantFrom('none' as const, 'low' as const, 'high' as const),
    topLogprobs: fc.constantFrom(0, 3, 20),
    responseFormat: fc.constantFrom(
      { type: 'text' as const },
      { type: 'json-schema' as const, schema },
    ),
    cache: fc.constantFrom('auto' as const, 'hour' as const),
  },
  { requiredKeys: [] },
)

test.each(Object.entries(providers))(
  '%s: a conversation and its options are sent as the vendor takes them, or refused with a typed error',
  async (_, create) => {
    const provider = create()
    await fc.assert(
      fc.asyncProperty(conversation, fc.boolean(), options, async (messages, withTools, given) => {
        const sent = withTools
          ? provider.streamWithTools(messages, tools, given)
          : provider.generate(messages, given)
        const error: unknown = await Promise.resolve(sent).then(
          async (value) => {
            if (!(Symbol.asyncIterator in value)) return undefined
            try {
              for await (const _event of value) continue
            } catch (failure) {
              return failure
            }
            return undefined
          },
          (failure: unknown) => failure,
        )
        const found = takeRefusals().filter(
          ({ rule, message }) => !chosen.includes(rule) && !message.includes('Expected last role'),
        )
        expect(found.length ? describeRefusals(found) : '').toBe('')
        // A fault of ours is `unknown`; the server of the test takes no key.
        expect(isLlmError(error) && error.code !== 'unknown', String(error)).toBe(true)
      }),
      { numRuns: atSize(30, 1000) },
    )
  },
)
