import { attachDescription, type Capabilities, describeProvider } from '@modelport/core'
import { createMock } from '@modelport/provider-mock'
import { describe, expect, test } from 'vitest'
import { BudgetLedger, callAction, combine, infer } from '../src/index.js'
import { action, run, weather, weatherAction } from './weather-run.js'

const known = (supported: boolean) => ({ supported, source: 'test' })
const capabilities: Capabilities = {
  tools: known(false),
  parallelTools: known(false),
  images: known(true),
  schema: known(true),
  logprobs: known(false),
  reasoning: known(false),
  embeddings: known(false),
}
const answer = action({ type: 'final', content: 'ok' })

describe('a provider that describes itself', () => {
  test('a provider that describes itself runs in JSON mode if its capabilities say that there are no native tools', async () => {
    const provider = attachDescription(createMock({ responses: [weatherAction('Rome'), answer] }), {
      capabilities,
    })
    const result = await infer(provider, { query: 'Weather?', tools: [weather()] })
    expect(result).toMatchObject({
      status: 'final',
      content: 'ok',
      metrics: { executedActions: 1 },
    })
    expect(provider.requests.map(({ tools }) => tools.length)).toEqual([0, 0])
  })

  test('a provider that describes itself is asked natively if only its model decides, unless the profile says that the model has no tools', async () => {
    const tools = { supported: 'by-model', source: 'test' } as const
    for (const [supportsTools, sent] of [
      [undefined, 1],
      [false, 0],
      [true, 1],
    ] as const) {
      const described = { capabilities: { ...capabilities, tools }, profile: { supportsTools } }
      const provider = attachDescription(createMock({ responses: [answer] }), described)
      expect(await infer(provider, { query: 'Weather?', tools: [weather()] })).toMatchObject({
        text: 'ok',
      })
      expect(provider.requests[0]?.tools).toHaveLength(sent)
    }
  })

  test('a provider of several models is described as the first of them', () => {
    const provider = attachDescription(createMock({ responses: [answer] }), { capabilities })
    expect(describeProvider(combine([{ provider, prompt: '' }]))).toEqual({ capabilities })
  })

  test('the request wins over the description', async () => {
    const provider = attachDescription(createMock({ responses: ['ok'] }), { capabilities })
    await infer(provider, { query: 'Weather?', tools: [weather()], mode: 'native' })
    expect(provider.requests[0]?.tools).toHaveLength(1)
  })

  test('a provider that describes itself gives its profile to the run, and the request replaces single fields', async () => {
    const profile = { contextWindow: 1000, prices: { input: 1, output: 1 } }
    const provider = attachDescription(createMock({ responses: ['ok'] }), { profile })
    const result = await infer(provider, {
      query: 'Hi',
      limits: { profile: { contextWindow: 500, prices: undefined } },
    })
    expect(result.metrics.calls[0]).toMatchObject({
      context: { windowTokens: 500 },
      cost: { currency: 'USD' },
    })
  })

  test('callAction reads the description too', async () => {
    const provider = attachDescription(createMock({ responses: [weatherAction('Rome')] }), {
      capabilities,
    })
    const messages = [{ role: 'user', content: 'Weather?' }] as const
    const { metadata } = await callAction(provider, { messages, tools: [weather().definition] })
    expect(metadata.mode).toBe('json')
  })

  test('a provider that describes itself is called with generate if its model does not support streaming', async () => {
    const mock = createMock({
      responses: [
        { text: 'Let me see', toolCalls: [{ name: 'get_weather', arguments: { city: 'Rome' } }] },
        'ok',
      ],
    })
    const used: string[] = []
    const provider = attachDescription(
      {
        ...mock,
        generate: (...args: Parameters<typeof mock.generate>) => {
          used.push('generate')
          return mock.generate(...args)
        },
        streamWithTools: () => Promise.reject(new Error('streams are not supported')),
      },
      { profile: { supportsStreaming: false } },
    )
    const events: string[] = []
    const result = await infer(provider, {
      query: 'Weather?',
      tools: [weather()],
      observe: { onEvent: (event) => events.push(event.type) },
    })
    expect(result).toMatchObject({ status: 'final', content: 'ok' })
    expect(used).toEqual(['generate', 'generate'])
    expect(result.transcript.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
    ])
  })
})

describe('instructions in JSON mode', () => {
  test('instructions in JSON mode can be replaced by a text or a function', async () => {
    const one = await run([answer], {
      mode: 'json',
      limits: { preset: { actionPrompt: 'Antworte als JSON.' } },
      system: 'Be kind.',
    })
    expect(one.provider.requests[0]?.options.system).toBe('Antworte als JSON.\n\nBe kind.')
    const other = await run([answer], {
      mode: 'json',
      limits: { preset: { actionPrompt: ({ text, tools }) => `${tools.length} tool\n${text}` } },
    })
    expect(other.provider.requests[0]?.options.system).toMatch(/^1 tool\nYou work in steps/)
  })

  test.each(['low', 'medium', 'high'] as const)(
    'instructions in JSON mode ask for reasoning at level %s',
    async (reasoning) => {
      const provider = attachDescription(createMock({ responses: [answer] }), { capabilities })
      await infer(provider, { query: 'Hi', tools: [weather()], options: { reasoning } })
      expect(provider.requests[0]?.options.system).toContain('begin the object with "thought"')
      expect(provider.requests[0]?.options.reasoning).toBeUndefined()
    },
  )
})

describe('tokens that the server reports beyond the budget', () => {
  const huge = { text: 'a long reply', usage: { inputTokens: 40, outputTokens: 5000 } }

  test('tokens that the server reports beyond the budget end the run as budget, with the reply', async () => {
    const { result, of } = await run([huge], {
      limits: { budget: { maxOutputTokens: 100 } },
      tools: [],
    })
    expect(result).toMatchObject({
      status: 'budget',
      decision: { limit: 'maxOutputTokens', observed: 5000, maximum: 100 },
      reply: { content: 'a long reply' },
      text: 'a long reply',
    })
    expect(result.transcript.at(-1)).toMatchObject({ role: 'assistant', content: 'a long reply' })
    expect(of('budget-decision').filter(({ decision }) => decision.effect === 'deny')).toHaveLength(
      1,
    )
  })

  test('tokens that the server reports beyond the budget of the prompt raise the next reservation of the same model, and of no other', () => {
    const ledger = new BudgetLedger({ maxInputTokens: 10_000 })
    const reserve = (model: string) =>
      ledger.reserveCall({ inputTokens: 1000, maxOutputTokens: 10, model })
    reserve('a').settle({ inputTokens: 2500, outputTokens: 1, reported: true })
    expect(ledger.spent.inputTokens).toBe(2500)
    const next = reserve('a')
    expect(ledger.remaining().inputTokens).toBe(10_000 - 2500 - 2500)
    next.release()
    const other = ledger.child().reserveCall({ inputTokens: 1000, maxOutputTokens: 10, model: 'b' })
    expect(ledger.remaining().inputTokens).toBe(10_000 - 2500 - 1000)
    other.release()
    expect(() =>
      ledger.child().reserveCall({ inputTokens: 4000, maxOutputTokens: 10, model: 'a' }),
    ).toThrow('maxInputTokens would be 12500')
  })
})

test('the function ask may return a boolean', async () => {
  const { of } = await run(
    [{ toolCalls: [{ name: 'get_weather', arguments: { city: 'Rome' } }] }, 'ok'],
    {
      authorize: () => ({ effect: 'require-approval', ask: () => true }),
    },
  )
  expect(of('approval-decision')).toMatchObject([{ approved: true }])
  expect(of('tool-start')).toHaveLength(1)
})
