import { toEmbeddingModel, toLanguageModel } from '@modelport/ai-sdk'
import { ProviderError } from '@modelport/core'
import { createMock, type MockConfig, type MockResponse } from '@modelport/provider-mock'
import {
  APICallError,
  generateText,
  Output,
  stepCountIs,
  streamText,
  ToolLoopAgent,
  tool,
} from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'

const specifications = ['v4', 'v3'] as const
const weather = tool({
  description: 'The weather in a city',
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => ({ city, celsius: 28 }),
})
const call: MockResponse = {
  text: 'Let me look.',
  toolCalls: [{ name: 'weather', arguments: { city: 'Rome' } }],
}

describe.each(specifications)('a provider as a model of the AI SDK, %s', (specification) => {
  const modelOf = (responses: readonly MockResponse[], config: MockConfig = {}) => {
    const provider = createMock({ responses, ...config })
    const model =
      specification === 'v3'
        ? toLanguageModel(provider, { specification })
        : toLanguageModel(provider, {})
    return { provider, model }
  }

  test('a provider as a model of the AI SDK generates a text with reasoning, usage in all its parts and the reason of its end', async () => {
    const { model } = modelOf([{ text: 'Hello', reasoning: 'Hm' }], {
      usage: {
        inputTokens: 10,
        outputTokens: 7,
        cacheReadTokens: 4,
        cacheCreationTokens: 1,
        reasoningTokens: 2,
      },
    })
    const result = await generateText({ model, prompt: 'Hi' })
    expect(result).toMatchObject({ text: 'Hello', finishReason: 'stop' })
    expect(result.finalStep.reasoningText).toBe('Hm')
    expect(result.usage).toMatchObject({
      inputTokens: 10,
      inputTokenDetails: { noCacheTokens: 5, cacheReadTokens: 4, cacheWriteTokens: 1 },
      outputTokens: 7,
      outputTokenDetails: { textTokens: 5, reasoningTokens: 2 },
    })
  })

  test('a provider as a model of the AI SDK sends nothing that the AI SDK leaves unset', async () => {
    const { model, provider } = modelOf(['Hello'])
    await generateText({ model, prompt: 'Hi' })
    const { options, messages } = provider.requests[0] as (typeof provider.requests)[0]
    expect(messages).toEqual([{ role: 'user', content: 'Hi' }])
    expect(
      Object.keys(options).filter((name) => options[name as keyof typeof options] !== undefined),
    ).toEqual(['retry', 'vendor'])
  })

  test('a provider as a model of the AI SDK passes on what the AI SDK sets, and our own options', async () => {
    const { model, provider } = modelOf(['Hello'])
    const { warnings } = await generateText({
      model,
      instructions: 'Be brief.',
      prompt: 'Hi',
      maxOutputTokens: 9,
      temperature: 0,
      topP: 0.5,
      topK: 3,
      seed: 4,
      stopSequences: ['END'],
      presencePenalty: 1,
      reasoning: 'low',
      providerOptions: { modelport: { cache: 'hour', topLogprobs: 2 } },
    })
    expect(provider.requests[0]?.options).toMatchObject({
      maxTokens: 9,
      temperature: 0,
      topP: 0.5,
      topK: 3,
      seed: 4,
      stop: ['END'],
      reasoning: 'low',
      cache: 'hour',
      topLogprobs: 2,
    })
    expect(provider.requests[0]?.messages[0]).toEqual({ role: 'system', content: 'Be brief.' })
    expect(warnings).toMatchObject([
      { type: 'unsupported', feature: 'presencePenalty' },
      { type: 'other' },
    ])
  })

  test('a provider as a model of the AI SDK runs tools over several steps, and an agent does', async () => {
    const { model, provider } = modelOf([call, 'Warm.', call, 'Warm.'])
    const tools = { weather }
    const { text, steps } = await generateText({
      model,
      prompt: 'Rome?',
      tools,
      stopWhen: stepCountIs(5),
    })
    expect([text, steps.length]).toEqual(['Warm.', 2])
    expect(provider.requests[1]?.messages).toMatchObject([
      { role: 'user', content: 'Rome?' },
      {
        role: 'assistant',
        content: 'Let me look.',
        toolCalls: [{ id: 'call_1', name: 'weather', arguments: { city: 'Rome' } }],
        origin: { provider: 'mock', model: 'mock' },
      },
      {
        role: 'tool',
        toolCallId: 'call_1',
        toolName: 'weather',
        content: '{"city":"Rome","celsius":28}',
      },
    ])
    expect(provider.requests[0]?.tools).toMatchObject([
      { name: 'weather', description: 'The weather in a city', parameters: { required: ['city'] } },
    ])
    const agent = new ToolLoopAgent({ model, tools })
    expect((await agent.generate({ prompt: 'Rome?' })).text).toBe('Warm.')
  })

  test('a provider as a model of the AI SDK makes objects', async () => {
    const { model, provider } = modelOf(['{"celsius":28}'])
    const schema = z.object({ celsius: z.number() })
    const { output } = await generateText({
      model,
      prompt: 'Rome?',
      output: Output.object({ schema }),
    })
    expect(output).toEqual({ celsius: 28 })
    expect(provider.requests[0]?.options.responseFormat).toMatchObject({
      type: 'json-schema',
      schema: { type: 'object', required: ['celsius'] },
    })
  })

  test('a provider as a model of the AI SDK streams text, reasoning and tool calls as they come', async () => {
    const { model } = modelOf([{ ...(call as object), reasoning: 'Hm' }, 'Warm.'])
    const { stream } = streamText({
      model,
      prompt: 'Rome?',
      tools: { weather },
      stopWhen: stepCountIs(5),
    })
    const types: string[] = []
    for await (const { type } of stream) if (types.at(-1) !== type) types.push(type)
    expect(types).toEqual([
      'start',
      'start-step',
      'reasoning-start',
      'reasoning-delta',
      'reasoning-end',
      'text-start',
      'text-delta',
      'text-end',
      'tool-input-start',
      'tool-input-delta',
      'tool-input-end',
      'tool-call',
      'tool-result',
      'finish-step',
      'start-step',
      'text-start',
      'text-delta',
      'text-end',
      'finish-step',
      'finish',
    ])
  })

  test('a failure in mid-stream is an error part, and no finish follows', async () => {
    const { model } = modelOf([{ text: 'Half a', error: 'overloaded' }])
    const parts: string[] = []
    const { stream } = await model.doStream({
      prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
    })
    let error: unknown
    for await (const part of stream as AsyncIterable<{ type: string; error?: unknown }>) {
      parts.push(part.type)
      if (part.type === 'error') error = part.error
    }
    expect(parts.filter((type) => type !== 'text-delta')).toEqual([
      'stream-start',
      'text-start',
      'text-end',
      'error',
    ])
    expect(APICallError.isInstance(error) && error.isRetryable).toBe(true)
  })

  test('an abort ends the stream with its reason, and a reader that leaves closes ours', async () => {
    const signals: AbortSignal[] = []
    const endless: MockResponse = async function* (_, signal) {
      signals.push(signal)
      for (;;) {
        await new Promise((resolve) => setTimeout(resolve, 1))
        yield { text: 'on and ' }
      }
    }
    const { model } = modelOf([endless])
    const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hi' }] }]
    const controller = new AbortController()
    const reason = new Error('enough')
    const { stream } = await model.doStream({ prompt, abortSignal: controller.signal })
    const read = async (): Promise<void> => {
      for await (const part of stream as AsyncIterable<{ type: string }>)
        if (part.type === 'text-delta') controller.abort(reason)
    }
    await expect(read()).rejects.toBe(reason)
    const other = await model.doStream({ prompt })
    for await (const part of other.stream as AsyncIterable<{ type: string }>)
      if (part.type === 'text-delta') break
    await expect.poll(() => signals.map(({ aborted }) => aborted)).toEqual([true, true])
  })

  test('only the AI SDK repeats a call, after the wait that the server asks for', async () => {
    const error = new ProviderError('rate-limit', 'Slow down.', {
      provider: 'mock',
      retryAfterMs: 1,
    })
    const { model, provider } = modelOf([{ error }])
    for (const maxRetries of [0, 2]) {
      const before = provider.requests.length
      await expect(generateText({ model, prompt: 'Hi', maxRetries })).rejects.toThrow()
      expect(provider.requests.length - before).toBe(maxRetries + 1)
    }
  })
})

test('an embedder embeds texts for the AI SDK', async () => {
  const { embedMany } = await import('ai')
  const asked: unknown[] = []
  const embedder = {
    name: 'own',
    model: 'm',
    embed: async (texts: readonly string[], options: object = {}) => {
      asked.push(options)
      const { toUsage, zeroCounts } = await import('@modelport/core')
      return {
        vectors: texts.map((_, index) => [index]),
        usage: toUsage([{ ...zeroCounts, inputTokens: 7 }]),
      }
    },
  }
  for (const model of [
    toEmbeddingModel(embedder),
    toEmbeddingModel(embedder, { specification: 'v3' }),
  ]) {
    const result = await embedMany({
      model,
      values: ['a', 'b'],
      providerOptions: { modelport: { purpose: 'query' } },
    })
    expect(result).toMatchObject({ embeddings: [[0], [1]], usage: { tokens: 7 } })
  }
  expect(asked[0]).toMatchObject({ purpose: 'query', retry: { attempts: 1 } })
})

test('an unknown option is refused', () => {
  const options = { maxRetries: 2 } as object
  expect(() => toLanguageModel(createMock({ responses: ['Hi'] }), options)).toThrow(
    'unknown setting "maxRetries"',
  )
})
