import { fromLanguageModel, toLanguageModel } from '@modelport/ai-sdk'
import { apiHosts } from '@modelport/factory'
import * as sandbox from '@modelport/factory/sandbox'
import { createMock } from '@modelport/provider-mock'
import { APICallError, type LanguageModel } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { describe, expect, test } from 'vitest'
import { connect, vendors } from '../vendors.js'

type Model = Parameters<typeof fromLanguageModel>[0]
const usage = {
  inputTokens: { total: 3, noCache: 3, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 2, text: 2, reasoning: 0 },
}

describe('hosts', () => {
  test('hosts are unknown, and no sandbox takes them, unless the application states them', () => {
    const model = toLanguageModel(createMock({ responses: ['Hi'] }))
    const unknown = fromLanguageModel(model).apiHosts
    expect(unknown).toBe('unknown')
    for (const write of Object.values(sandbox))
      expect(() => (write as (hosts: unknown) => unknown)(unknown)).toThrow(
        'the hosts are "unknown"; state them',
      )
    const stated = fromLanguageModel(model, { apiHosts: apiHosts('openai') }).apiHosts
    expect(stated !== 'unknown' && sandbox.toSquid(stated).text).toContain('api.openai.com')
  })
})

test.each(vendors)(
  'a conversation with $name keeps its signatures there and back',
  async (vendor) => {
    const { provider, bodies } = connect(vendor)
    const there = fromLanguageModel(toLanguageModel(provider), { defaults: 'vendor' })
    const tools = [{ name: 'weather', description: 'The weather', parameters: { type: 'object' } }]
    const reader = await there.streamWithTools([{ role: 'user', content: 'Rome?' }], tools)
    for await (const event of reader)
      if (event.type === 'tool-call-complete')
        await reader.sendToolResults([{ callId: event.toolCall.id, content: '28 degrees' }])
    expect(reader.fullText()).toContain('Warm.')
    expect(JSON.stringify(bodies[1])).toContain(vendor.signature)
  },
)

describe('a model of another package', () => {
  const modelOf = (
    doGenerate: ConstructorParameters<typeof MockLanguageModelV4>[0],
  ): Model & LanguageModel =>
    new MockLanguageModelV4({ provider: 'other', modelId: 'm', ...doGenerate })

  test('a model of another package gets its own options as vendor, and refuses what the specification cannot say', async () => {
    const calls: unknown[] = []
    const provider = fromLanguageModel(
      modelOf({
        doGenerate: async (call) => {
          calls.push(call)
          return {
            content: [{ type: 'text', text: 'Hi', providerMetadata: { other: { id: 'x' } } }],
            finishReason: { unified: 'stop', raw: 'done' },
            usage,
            warnings: [{ type: 'unsupported', feature: 'topK' }],
          }
        },
      }),
    )
    const reply = await provider.generate([{ role: 'user', content: 'Hi' }], {
      vendor: { other: { store: true } },
    })
    expect(reply).toMatchObject({
      text: 'Hi',
      finishReason: 'stop',
      rawFinishReason: 'done',
      warnings: ['unsupported: topK'],
    })
    expect(reply.usage).toMatchObject({ inputTokens: 3, outputTokens: 2 })
    expect(calls[0]).toMatchObject({ providerOptions: { other: { store: true } } })
    expect(calls[0]).not.toHaveProperty('maxOutputTokens', expect.anything())
    await provider.generate([
      { role: 'user', content: 'Hi' },
      reply.message,
      { role: 'user', content: 'And?' },
    ])
    expect(calls[1]).toMatchObject({
      prompt: [{}, { content: [{ providerOptions: { other: { id: 'x' } } }] }, {}],
    })
    await expect(provider.complete('Hi', { topLogprobs: 2 })).rejects.toMatchObject({
      code: 'unsupported',
    })
  })

  test('a model of another package is asked again after a failure that may pass, and its errors have the code of their status', async () => {
    let requests = 0
    const failing = (statusCode: number): Model =>
      modelOf({
        doGenerate: () => {
          requests++
          return Promise.reject(
            new APICallError({
              message: 'no',
              url: 'https://other.example',
              requestBodyValues: {},
              statusCode,
              responseBody:
                '{"error":{"message":"no such key","type":"auth","code":"invalid_api_key"}}',
              responseHeaders: { 'retry-after-ms': '1' },
            }),
          )
        },
      })
    await expect(fromLanguageModel(failing(503)).complete('Hi')).rejects.toMatchObject({
      code: 'overloaded',
      attempts: 3,
    })
    await expect(fromLanguageModel(failing(401)).complete('Hi')).rejects.toMatchObject({
      code: 'auth',
      type: 'auth',
    })
    expect(requests).toBe(4)
  })

  test('a call that the program changed goes without the signature of its model, and reasoning keeps its own', async () => {
    const prompts: unknown[] = []
    const provider = fromLanguageModel(
      modelOf({
        doGenerate: async ({ prompt }) => {
          prompts.push(prompt)
          return {
            content: [
              { type: 'reasoning', text: 'Hm.', providerMetadata: { other: { signature: 'r' } } },
              {
                type: 'tool-call',
                toolCallId: 'c1',
                toolName: 'look',
                input: '{"city":"Oslo","day":1}',
                providerMetadata: { other: { signature: 'c' } },
              },
            ],
            finishReason: { unified: 'tool-calls', raw: undefined },
            usage,
            warnings: [],
          }
        },
      }),
    )
    const tools = [{ name: 'look', description: 'Looks.', parameters: { type: 'object' } }]
    const question = { role: 'user' as const, content: 'Oslo?' }
    const { message } = await provider.generate([question], { tools })
    const [made] = message.toolCalls ?? []
    const askAgain = async (values: Record<string, unknown>): Promise<unknown> => {
      const toolCalls = [{ ...made!, arguments: values }]
      const cold = { role: 'tool' as const, toolCallId: 'c1', toolName: 'look', content: 'Cold.' }
      await provider.generate([question, { ...message, toolCalls }, cold], { tools })
      return prompts.at(-1)
    }
    const kept = {
      type: 'reasoning',
      text: 'Hm.',
      providerOptions: { other: { signature: 'r' } },
    }
    const signed = { input: { city: 'Oslo' }, providerOptions: { other: { signature: 'c' } } }
    // A database may give the keys in another order: the call is still the model's.
    expect(await askAgain({ day: 1, city: 'Oslo' })).toMatchObject([
      {},
      { content: [kept, signed] },
      {},
    ])
    const changed = (await askAgain({ city: '[redacted]' })) as { content: object[] }[]
    expect(changed[1]?.content[0]).toMatchObject(kept)
    expect(changed[1]?.content[1]).toMatchObject({ input: { city: '[redacted]' } })
    expect(changed[1]?.content[1]).not.toHaveProperty('providerOptions')
  })

  test('a model of another package that was cut rejects as truncated', async () => {
    const stream = new ReadableStream({
      start: (controller) => {
        controller.enqueue({ type: 'text-start', id: '0' })
        controller.enqueue({ type: 'text-delta', id: '0', delta: 'Half' })
        controller.enqueue({
          type: 'finish',
          finishReason: { unified: 'interrupted', raw: undefined },
          usage,
        })
        controller.close()
      },
    })
    const reader = await fromLanguageModel(modelOf({ doStream: { stream } })).stream('Hi')
    const read = async (): Promise<void> => {
      for await (const _ of reader);
    }
    await expect(read()).rejects.toMatchObject({ code: 'truncated', partial: { text: 'Half' } })
  })
})
