import type { LlmError } from '@modelport/core'
import { describe, expect, test } from 'vitest'
import {
  createFactory,
  createRegistry,
  newBatchRunner,
  newImageGenerator,
  newReranker,
  newSpeechGenerator,
  newTranscriber,
  providerRows,
} from '../src/index.js'

const none = { environment: () => undefined }
const apiKey = 'k-0123456789'
const failureOf = (promise: Promise<unknown>): Promise<{ readonly code?: string; readonly message?: string }> =>
  promise.then(
    () => ({}),
    (error: unknown) => error as LlmError,
  )
const codeOf = async (promise: Promise<unknown>): Promise<unknown> => (await failureOf(promise)).code

describe('capabilities of a configuration', () => {
  test.each([
    ['openai', 'gpt-image-2', newImageGenerator],
    ['openai', 'gpt-4o-mini-tts', newSpeechGenerator],
    ['openai', 'gpt-transcribe', newTranscriber],
    ['together', 'flux', newImageGenerator],
    ['groq', 'orpheus', newSpeechGenerator],
    ['mistral', 'voxtral-mini-latest', newTranscriber],
    ['llamacpp-server', 'bge-reranker', newReranker],
    ['openai-compatible', 'any', newReranker],
    ['google', 'gemini-2.5-flash-image', newImageGenerator],
    ['google', 'gemini-3.8-flash-tts', newSpeechGenerator],
    ['openai', 'gpt-5.4', newBatchRunner],
    ['anthropic', 'claude-opus-5', newBatchRunner],
    ['google', 'gemini-3-flash-preview', newBatchRunner],
  ] as const)('%s makes %s', async (provider, model, create) => {
    expect((await create({ provider, model, apiKey }, none)).model).toBe(model)
  })

  test.each([
    ['anthropic', newImageGenerator],
    ['openai', newReranker],
    ['groq', newBatchRunner],
    ['deepseek', newSpeechGenerator],
    ['ollama', newTranscriber],
  ] as const)('%s is unsupported where the vendor documents nothing', async (provider, create) => {
    expect(await codeOf(create({ provider, model: 'm', apiKey }, none))).toBe('unsupported')
  })

  test('the key, the address and the transport are those of the configuration', async () => {
    const sent: string[] = []
    const fetch = (input: unknown, init: RequestInit = {}): Promise<Response> => {
      sent.push(`${String(input)} ${new Headers(init.headers).get('authorization')}`)
      return Promise.resolve(Response.json({ results: [{ index: 0, relevance_score: 1 }] }))
    }
    const config = { provider: 'llamacpp-server', model: 'm', apiKey, baseUrl: 'http://127.0.0.1:9', fetch }
    await (await newReranker(config, none)).rerank('q', ['d'])
    expect(sent).toEqual([`http://127.0.0.1:9/v1/rerank Bearer ${apiKey}`])
  })
})

test('a registry has a role for each capability, and none falls back to chat', async () => {
  const models = [
    { name: 'talk', provider: 'openai', model: 'gpt-5.4', apiKey },
    { name: 'draw', provider: 'openai', model: 'gpt-image-2', apiKey },
    { name: 'rank', provider: 'llamacpp-server', model: 'bge' },
    { name: 'claude', provider: 'anthropic', model: 'm', apiKey },
  ]
  const registry = createRegistry(
    { models, roles: { chat: 'talk', image: 'draw', reranking: 'rank', other: 'claude' } },
    none,
  )
  expect((await registry.imageGenerator()).model).toBe('gpt-image-2')
  expect((await registry.reranker()).model).toBe('bge')
  expect((await failureOf(registry.speechGenerator('draw'))).message).toContain('role "draw"')
  expect(await codeOf(registry.transcriber())).toBe('config')
  expect((await failureOf(registry.imageGenerator('other'))).message).toContain(
    'model "claude": anthropic: modelport has no images for it',
  )
})

test('a factory of imported rows makes the capabilities that its rows have', async () => {
  const row = providerRows.find(({ name }) => name === 'openai-compatible')
  const createProvider = () => {
    throw new Error('not made here')
  }
  const createReranker = () => ({ name: 'house', model: 'm', rerank: () => Promise.reject(new Error('not asked')) })
  const factory = createFactory({
    rows: [{ ...row, name: 'house', keyEnv: [], needsKey: false, creators: { createProvider, createReranker } }],
  })
  expect((await factory.newCapability('reranking', 'house:m')).name).toBe('house')
  expect(await codeOf(factory.newCapability('images', 'house:m'))).toBe('unsupported')
})
