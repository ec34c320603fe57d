import { fromLanguageModel, toLanguageModel } from '@modelport/ai-sdk'
import { createMock, type MockResponse } from '@modelport/provider-mock'
import { defineTool, infer } from '@modelport/runtime'
import { MockLanguageModelV2 } from 'ai-5/test'
import { MockLanguageModelV3 } from 'ai-6/test'
import { describe, expect, test } from 'vitest'

const look = defineTool({ name: 'look', description: 'Looks.', execute: () => 'Cold.' })
const question = { role: 'user' as const, content: 'Oslo?' }

describe.each(['v2', 'v3', 'v4'] as const)('a model of specification %s', (specification) => {
  const modelOf = (...responses: readonly MockResponse[]) => {
    const inner = createMock({
      responses,
      usage: { inputTokens: 9, outputTokens: 4, cacheReadTokens: 3, reasoningTokens: 1 },
    })
    return { inner, model: toLanguageModel(inner, { specification }) }
  }

  test('a model of any specification runs tools in a loop of ours, and its counts are those of the model', async () => {
    const { model } = modelOf({ toolCalls: [{ name: 'look' }] }, 'It is cold.')
    const { status, text, usage } = await infer(fromLanguageModel(model), {
      query: 'Oslo?',
      tools: [look],
    })
    expect([status, text, usage.turns.length]).toEqual(['final', 'It is cold.', 2])
    expect(usage.turns[0]).toMatchObject({
      inputTokens: 9,
      outputTokens: 4,
      cacheReadTokens: 3,
      reasoningTokens: 1,
    })
  })

  test('a model of any specification streams, and gets the files of the prompt', async () => {
    const { model, inner } = modelOf('A picture.')
    const source = { type: 'base64' as const, data: 'iVBORw0KGgo=', mediaType: 'image/png' }
    const content = [
      { type: 'text' as const, text: 'What is it?' },
      { type: 'image' as const, source },
    ]
    const reader = await fromLanguageModel(model).streamWithHistory([{ role: 'user', content }])
    let text = ''
    for await (const piece of reader) text += piece
    expect(text).toBe('A picture.')
    expect(inner.requests[0]?.messages[0]?.content).toEqual(content)
  })
})

const counts = { inputTokens: 3, outputTokens: 2, totalTokens: 5 }

test('a package for ai 5 gets its options by vendor, and its warnings and its cut replies are ours', async () => {
  const calls: unknown[] = []
  const model = new MockLanguageModelV2({
    provider: 'other',
    modelId: 'm',
    doGenerate: (call) => {
      calls.push(call)
      return Promise.resolve({
        content: [{ type: 'text', text: 'Half' }],
        finishReason: 'length',
        usage: counts,
        warnings: [{ type: 'unsupported-setting', setting: 'topK', details: 'no such field' }],
      })
    },
  })
  const provider = fromLanguageModel(model, { defaults: 'vendor' })
  const reply = await provider.generate([question], { vendor: { other: { store: true } }, topK: 3 })
  expect(calls[0]).toMatchObject({ providerOptions: { other: { store: true } }, topK: 3 })
  expect(reply).toMatchObject({
    text: 'Half',
    finishReason: 'length',
    warnings: ['unsupported: topK: no such field'],
    usage: { inputTokens: 3, outputTokens: 2 },
  })
  await expect(provider.complete('Hi', { reasoning: 'low' })).rejects.toMatchObject({
    code: 'unsupported',
    message: expect.stringContaining('"reasoning"; set the field of its package') as string,
  })
})

test('a package for ai 6 gets a file of a tool result in its own form', async () => {
  const calls: { readonly prompt: readonly { readonly content: unknown }[] }[] = []
  const model = new MockLanguageModelV3({
    provider: 'other',
    modelId: 'm',
    doGenerate: (call) => {
      calls.push(call)
      return Promise.resolve({
        content: [{ type: 'text', text: 'A picture.' }],
        finishReason: { unified: 'stop', raw: 'done' },
        usage: {
          inputTokens: { total: 3, noCache: 3, cacheRead: 0, cacheWrite: 0 },
          outputTokens: { total: 2, text: 2, reasoning: 0 },
        },
        warnings: [],
      })
    },
  })
  const call = { id: 'c1', name: 'look', arguments: {}, argumentsText: '{}' }
  const source = { type: 'base64' as const, data: 'iVBORw0KGgo=', mediaType: 'image/png' }
  await fromLanguageModel(model).generate([
    question,
    { role: 'assistant', content: '', toolCalls: [call] },
    { role: 'tool', toolCallId: 'c1', toolName: 'look', content: [{ type: 'image', source }] },
  ])
  expect(calls[0]?.prompt.at(-1)?.content).toMatchObject([
    {
      output: {
        type: 'content',
        value: [{ type: 'file-data', data: 'iVBORw0KGgo=', mediaType: 'image/png' }],
      },
    },
  ])
})

test('a model of a specification that is not known is refused by its name', () => {
  const model = { specificationVersion: 'v9', provider: 'other', modelId: 'm' } as never
  expect(() => fromLanguageModel(model)).toThrow('v2, v3 and v4, not v9')
})
