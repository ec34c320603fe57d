import type { Capabilities } from '@modelport/core'
import {
  capabilities,
  createOpenAICompatible,
  presets,
} from '@modelport/provider-openai-compatible'
import { describe, expect, test } from 'vitest'
import {
  type CallerSettings,
  ClassificationError,
  createDialogCaller,
  Dialog,
} from '../src/index.js'
import { callerOf, sentTo } from './call-tools.js'

type Tops = Readonly<Record<string, number>>

/** An agent whose server reports these probabilities for the first token of each reply. */
function reporting(tops: Tops | undefined, settings: Partial<CallerSettings> = {}) {
  const bodies: Record<string, unknown>[] = []
  const fetch = (_url: unknown, init?: { readonly body?: unknown }): Promise<Response> => {
    bodies.push(JSON.parse(String(init?.body)) as Record<string, unknown>)
    const top = Object.entries(tops ?? {}).map(([token, p]) => ({
      token,
      logprob: Math.log(p),
      bytes: null,
    }))
    const content = top[0]?.token ?? 'yes'
    const choice = {
      index: 0,
      delta: { role: 'assistant', content },
      finish_reason: 'length',
      logprobs: tops ? { content: [{ ...top[0], top_logprobs: top }] } : null,
    }
    const chunk = {
      id: 'c',
      object: 'chat.completion.chunk',
      created: 0,
      model: 'm',
      choices: [choice],
    }
    const body = `data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`
    return Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }))
  }
  const provider = createOpenAICompatible({
    model: 'm',
    baseUrl: 'http://127.0.0.1:9/v1',
    fetch: fetch,
  })
  return { bodies, caller: createDialogCaller({ name: 'tester', provider, ...settings }) }
}

const dialog = Dialog.seed('You judge reviews.').send('I liked it.')
const without = (
  ability: 'logprobs' | 'schema',
  rest: Partial<Capabilities> = {},
): Capabilities => ({
  ...capabilities({ name: 'test' }),
  ...rest,
  [ability]: { supported: false, source: '' },
})

describe('classification by probabilities', () => {
  test('classification by probabilities gives p(True) of True and False', async () => {
    const { caller } = reporting({ True: 0.6, False: 0.2, Maybe: 0.1 })
    expect(await caller.binaryClassify(dialog)).toBeCloseTo(0.75, 10)
  })

  test('classification by probabilities asks for one token with its likeliest alternatives, after the dialog', async () => {
    const { caller, bodies } = reporting({ good: 0.9, bad: 0.1 })
    const result = await caller.classify(dialog, ['good', 'bad'])
    expect(result).toMatchObject({ label: 'good', method: 'logprobs', coverage: 1 })
    expect(result.entropy).toBeCloseTo(0.469, 3)
    expect(bodies).toHaveLength(1)
    expect(bodies[0]).toMatchObject({
      max_tokens: 1,
      temperature: 0,
      logprobs: true,
      top_logprobs: 20,
    })
    expect(
      (bodies[0]?.['messages'] as { content: string }[]).map(({ content }) => content),
    ).toEqual([
      'You judge reviews.',
      'I liked it.\n\nPlease respond with one and only one word from good, bad',
    ])
  })

  test('classification by probabilities adds up the tokens that begin a label, whatever their case and their marks', async () => {
    const { caller } = reporting({
      '▁Pos': 0.3,
      ' pos': 0.2,
      '"neg': 0.1,
      Positive: 0.1,
      other: 0.3,
    })
    const { probabilities, coverage } = await caller.classify(dialog, ['positive', 'negative'])
    expect(coverage).toBeCloseTo(0.7, 10)
    expect(probabilities.positive).toBeCloseTo(0.6 / 0.7, 10)
  })

  test('classification by probabilities names the label that is not one token, if labels must be words', async () => {
    const { caller } = reporting({ pos: 0.6, neg: 0.2 })
    const failed = caller.classify(dialog, ['positive', 'negative'], { labels: 'words' })
    await expect(failed).rejects.toThrow(
      'the label "positive" is not one token for this model, which began it with "pos"; use labels: "letters"',
    )
    await expect(failed).rejects.toBeInstanceOf(ClassificationError)
  })

  test('classification by probabilities gives letters to labels that are long or begin alike', async () => {
    const { caller, bodies } = reporting({ B: 0.7, A: 0.2, Apple: 0.05 })
    const labels = ['The reviewer liked it', 'The reviewer did not like it'] as const
    const { label, probabilities, coverage } = await caller.classify(dialog, labels)
    expect([label, coverage]).toEqual(['The reviewer did not like it', expect.closeTo(0.9, 10)])
    expect(probabilities['The reviewer liked it']).toBeCloseTo(0.2 / 0.9, 10)
    expect(JSON.stringify(bodies[0])).toContain(
      'A = The reviewer liked it\\nB = The reviewer did not like it',
    )
  })

  test('classification by probabilities fails when two labels begin with the same token', async () => {
    const { caller } = reporting({ in: 0.9, x: 0.1 })
    await expect(caller.classify(dialog, ['inside', 'into'])).rejects.toThrow(
      'two labels begin with the same token',
    )
  })

  test('classification by probabilities fails when too little of the probability fell on labels', async () => {
    const { caller } = reporting({ Well: 0.9, yes: 0.06, no: 0.04 })
    await expect(caller.classify(dialog, ['yes', 'no'])).rejects.toMatchObject({
      name: 'ClassificationError',
      coverage: expect.closeTo(0.1, 10),
    })
    expect((await caller.classify(dialog, ['yes', 'no'], { minCoverage: 0.05 })).label).toBe('yes')
  })

  test('classification by probabilities refuses more labels than the API reports, one label, and labels that look the same', async () => {
    const { caller } = reporting({ a: 1 })
    const many = Array.from({ length: 21 }, (_, index) => `label${index}`)
    await expect(caller.classify(dialog, many)).rejects.toThrow(
      '21 labels are more than the 20 tokens',
    )
    await expect(caller.classify(dialog, ['a'])).rejects.toThrow('at least two labels')
    await expect(caller.classify(dialog, ['a', 'A.'])).rejects.toThrow('differ only in case')
  })
})

describe('classification by votes', () => {
  const votes = ['good', 'bad', 'good', 'good', 'Good.']

  test('classification by votes is used if there are no probabilities, and the result says so', async () => {
    const { caller, provider } = callerOf(votes, {
      capabilities: without('logprobs', without('schema')),
    })
    const result = await caller.classify(dialog, ['good', 'bad'])
    expect(result).toMatchObject({
      label: 'good',
      method: 'votes',
      probabilities: { good: 0.8, bad: 0.2 },
    })
    expect(result.interval?.low).toBeCloseTo(0.3755, 3)
    expect(result.interval?.high).toBeCloseTo(0.9638, 3)
    expect(result.traces).toHaveLength(5)
    expect(provider.requests[0]?.options.temperature).toBe(1)
  })

  test('classification by votes asks again if the model replies with something other than a label', async () => {
    const { caller, provider } = callerOf(['Well...', 'bad'], {
      capabilities: without('logprobs', without('schema')),
    })
    expect((await caller.classify(dialog, ['good', 'bad'], { votes: 1 })).label).toBe('bad')
    expect(sentTo(provider).at(-1)).toBe(
      'user: Please respond with one and only one word from good, bad',
    )
  })

  test('classification by votes reads labels from JSON if a schema holds the model to them', async () => {
    const { caller } = callerOf(['{"label": "bad"}'], { capabilities: without('logprobs') })
    expect(await caller.classify(dialog, ['good', 'bad'], { votes: 2 })).toMatchObject({
      label: 'bad',
      method: 'schema',
    })
  })

  test('classification by votes holds each reply to the labels by a grammar, in the fields of the vendor', async () => {
    const { caller, bodies } = reporting(
      { 'not "good"': 1 },
      { capabilities: without('logprobs', capabilities({ preset: presets['llamacpp-server'] })) },
    )
    const result = await caller.classify(dialog, ['good', 'not "good"'], {
      votes: 2,
      options: { vendor: { cache_prompt: true } },
    })
    expect(result).toMatchObject({ label: 'not "good"', method: 'grammar', coverage: 1 })
    expect(bodies).toHaveLength(2)
    expect(bodies[0]).toMatchObject({
      cache_prompt: true,
      grammar: 'root ::= "good" | "not \\"good\\""',
    })
    const vllm = reporting({ good: 1 }, { capabilities: capabilities({ preset: presets.vllm }) })
    await vllm.caller.classify(dialog, ['good', 'bad'], { method: 'grammar', votes: 1 })
    expect(vllm.bodies[0]).toMatchObject({ structured_outputs: { choice: ['good', 'bad'] } })
  })

  test('classification by votes refuses a grammar if no vendor fields for it are known', async () => {
    const { caller, provider } = callerOf(['good'])
    await expect(
      caller.classify(dialog, ['good', 'bad'], { method: 'grammar' }),
    ).rejects.toMatchObject({
      code: 'unsupported',
      message: 'mock is not known to hold a reply to a grammar; use the method "schema" or "votes"',
    })
    expect(provider.requests).toHaveLength(0)
  })

  test('classification by votes is used if the server accepts the request and reports no probabilities', async () => {
    const { caller, bodies } = reporting(undefined)
    expect(await caller.classify(dialog, ['yes', 'no'], { votes: 3 })).toMatchObject({
      label: 'yes',
      method: 'schema',
    })
    expect(bodies).toHaveLength(4)
    await expect(caller.classify(dialog, ['yes', 'no'], { method: 'logprobs' })).rejects.toThrow(
      'reported no probabilities',
    )
  })
})
