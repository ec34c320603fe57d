import type { ProviderError, ToolStreamReader } from '@modelport/core'
import { describe, expect, test } from 'vitest'
import { createGoogle } from '../src/index.js'
import { answer, chunk, sse } from './support.js'

const provide = (respond: () => Response) =>
  createGoogle({
    model: 'gemini-3-flash-preview',
    apiKey: 'key-of-tests',
    defaults: { retry: { attempts: 1 } },
    fetch: () => Promise.resolve(respond()),
  })
const question = [{ role: 'user', content: 'Hi' }] as const
const generate = (candidate: object, response: object = {}) =>
  provide(() =>
    answer(chunk([{ text: 'Hi' }], { finishReason: 'STOP', ...candidate }, response)),
  ).generate(question)

describe('usage', () => {
  test('usage takes counts that are written as text, and leaves out what is not a number', async () => {
    const counts = { promptTokenCount: '10', candidatesTokenCount: '5', totalTokenCount: '15' }
    const odd = {
      thoughtsTokenCount: {},
      cachedContentTokenCount: [],
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: {} }],
    }
    const { usage } = await generate({}, { usageMetadata: { ...counts, ...odd } })
    expect(usage).toMatchObject({
      inputTokens: 10,
      outputTokens: 5,
      reasoningTokens: 0,
      cacheReadTokens: 0,
      reported: true,
    })
    expect(usage).not.toHaveProperty('inputByModality')
    const none = await generate(
      {},
      { usageMetadata: { promptTokenCount: {}, candidatesTokenCount: 'many' } },
    )
    expect(none.usage).toMatchObject({ inputTokens: 0, outputTokens: 0, reported: false })
  })

  test('usage counts what tools of the server put into the prompt as prompt', async () => {
    const usageMetadata = {
      promptTokenCount: 10,
      toolUsePromptTokenCount: 61,
      candidatesTokenCount: 8,
      thoughtsTokenCount: 3,
      totalTokenCount: 82,
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: 6 },
        { modality: 'IMAGE', tokenCount: 4 },
      ],
      toolUsePromptTokensDetails: [{ modality: 'TEXT', tokenCount: 61 }],
      serviceTier: 'standard',
    }
    const generation = await generate({}, { usageMetadata, responseId: 'r1' })
    expect(generation.usage).toMatchObject({
      inputTokens: 71,
      outputTokens: 11,
      reasoningTokens: 3,
      inputByModality: { text: 67, image: 4 },
    })
    expect(generation).toMatchObject({ responseId: 'r1', serviceTier: 'standard' })
    expect(generation).not.toHaveProperty('warnings')
  })

  test('usage reports tokens of the total that no part accounts for, with a warning', async () => {
    const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 8, totalTokenCount: 25 }
    const { usage, warnings } = await generate({}, { usageMetadata })
    expect([usage.unattributedTokens, warnings]).toEqual([7, [expect.stringContaining('7 tokens')]])
  })
})

describe('grounding', () => {
  test('grounding is reported as a search even if the first query is empty', async () => {
    const groundingMetadata = {
      webSearchQueries: ['', 'weather'],
      groundingChunks: [{ web: { uri: 'https://a.test' } }],
    }
    const { providerToolCalls } = await generate({ groundingMetadata })
    expect(providerToolCalls).toEqual([{ name: 'google_search', data: groundingMetadata }])
  })

  test('grounding by file search keeps the text and the store of each source', async () => {
    const retrievedContext = {
      title: 'T',
      text: 'Paris is …',
      fileSearchStore: 'fileSearchStores/s',
      documentName: 'd',
    }
    const groundingMetadata = { groundingChunks: [{ retrievedContext }] }
    const { citations, providerToolCalls } = await generate({ groundingMetadata })
    expect(citations).toEqual([
      { title: 'T', text: 'Paris is …', store: 'fileSearchStores/s', fileId: 'd' },
    ])
    expect(providerToolCalls).toEqual([{ name: 'file_search', data: groundingMetadata }])
  })

  test('grounding says where in the reply a statement stands', async () => {
    const groundingMetadata = {
      groundingChunks: [{ web: { uri: 'https://a.test' } }],
      groundingSupports: [{ segment: { text: 'Hi', endIndex: 2 }, groundingChunkIndices: [0] }],
    }
    expect((await generate({ groundingMetadata })).citations).toEqual([
      { url: 'https://a.test', text: 'Hi', start: 0, end: 2 },
    ])
  })

  test('safety ratings of prompt and reply are reported', async () => {
    const safetyRatings = [{ category: 'HARM', probability: 'LOW' }]
    const { safety } = await generate({ safetyRatings }, { promptFeedback: { safetyRatings } })
    expect(safety).toEqual([
      { subject: 'prompt', data: safetyRatings },
      { subject: 'reply', data: safetyRatings },
    ])
  })
})

describe('a call that comes value by value', () => {
  const piece = (more: object): object => ({ functionCall: { willContinue: true, ...more } })
  const begun = [
    chunk([piece({ name: 'add' })]),
    chunk([piece({ partialArgs: [{ jsonPath: '$.a', numberValue: 1, willContinue: true }] })]),
  ]
  const completed = async (reader: ToolStreamReader) => {
    const calls: unknown[] = []
    let error: ProviderError | undefined
    try {
      for await (const event of reader)
        if (event.type === 'tool-call-complete') calls.push(event.toolCall)
    } catch (thrown) {
      error = thrown as ProviderError
    }
    return { calls, error }
  }
  const play = async (...chunks: readonly object[]) =>
    completed(await provide(() => sse(...chunks)).streamWithTools(question, []))

  test('a call that comes value by value is never complete if the body ends within it', async () => {
    const { calls, error } = await play(...begun)
    expect(calls).toEqual([])
    expect(error).toMatchObject({
      code: 'truncated',
      partial: { toolCalls: [{ name: 'add', error: expect.any(String) }] },
    })
  })

  test('a call that comes value by value is complete with an error after a clean length', async () => {
    const { calls, error } = await play(
      ...begun,
      chunk([{ text: '' }], { finishReason: 'MAX_TOKENS' }),
    )
    expect(error).toBeUndefined()
    expect(calls).toEqual([
      expect.objectContaining({ name: 'add', arguments: {}, error: expect.any(String) }),
    ])
  })

  test('a call that comes value by value is complete if the model stopped after it', async () => {
    const { calls } = await play(...begun, chunk([{ text: '' }], { finishReason: 'STOP' }))
    expect(calls).toEqual([expect.objectContaining({ name: 'add', arguments: { a: 1 } })])
  })
})
