import type { Provider } from '@modelport/core'
import { createAnthropic } from '@modelport/provider-anthropic'
import { createOpenAI } from '@modelport/provider-openai'
import { createOpenAICompatible } from '@modelport/provider-openai-compatible'
import { infer } from '@modelport/runtime'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createDialogCaller, Dialog, definePrompt, json } from '../src/index.js'
import {
  answering,
  chatEvents,
  messagesEvents,
  refuseAsAnthropic,
  refuseAsOpenAI,
  responsesEvents,
} from './vendor-refusals.js'

const apiKey = 'refusal-key-0123456789'
const defaults = { retry: { attempts: 1 } }
const dialog = Dialog.seed('You judge reviews.').send('I liked it.')
const callerOf = (provider: Provider) => createDialogCaller({ name: 'tester', provider })

/** OpenAI's default API with its own refusals. */
function openai(model: string, reply: string) {
  const server = answering((body) => refuseAsOpenAI(body) ?? reply, responsesEvents)
  return { ...server, provider: createOpenAI({ model, apiKey, defaults, fetch: server.fetch }) }
}

/** A server that refuses these fields, as many compatible ones do. */
function compatible(
  reply: string,
  refused: (body: Readonly<Record<string, unknown>>) => string | undefined,
) {
  const server = answering((body) => {
    const message = refused(body)
    return message === undefined
      ? reply
      : { status: 400, error: { message, type: 'invalid_request_error' } }
  }, chatEvents)
  const provider = createOpenAICompatible({
    model: 'm',
    baseUrl: 'http://127.0.0.1:9/v1',
    defaults,
    fetch: server.fetch,
  })
  return { ...server, provider }
}

describe('classification where a vendor refuses', () => {
  test('classification where a vendor refuses asks the Responses API for as few tokens as it takes, and reads the first of them', async () => {
    const { provider, bodies } = openai('gpt-4o', 'yes , of course')
    const { method, probabilities } = await callerOf(provider).classify(dialog, ['yes', 'no'])
    expect([method, probabilities.yes]).toEqual(['logprobs', expect.closeTo(0.9, 10)])
    expect(bodies.map((body) => body['max_output_tokens'])).toEqual([16])
    expect(await callerOf(openai('gpt-4o', 'True').provider).binaryClassify(dialog)).toBe(1)
  })

  test('classification where a vendor refuses uses neither probabilities nor temperature at a model that refuses both', async () => {
    const { provider, bodies } = openai('o4-mini', '{"label":"yes"}')
    const result = await callerOf(provider).classify(dialog, ['yes', 'no'], { votes: 2 })
    expect(result).toMatchObject({
      label: 'yes',
      method: 'schema',
      probabilities: { yes: 1, no: 0 },
    })
    expect(bodies.map((body) => [body['temperature'], body['top_logprobs']])).toEqual([
      [0, 20],
      [undefined, 20],
      [undefined, undefined],
      [undefined, undefined],
    ])
  })

  test.each([
    ['logprobs', /schema|logprobs/, 'votes'],
    ['schema', /schema/, 'schema'],
  ] as const)('a server that refuses %s is asked another way', async (first, refused, used) => {
    const { provider, bodies } = compatible('yes', (body) => {
      const name =
        first === 'logprobs' && body['logprobs']
          ? 'logprobs'
          : body['response_format']
            ? 'json_schema'
            : ''
      return refused.test(name) ? `${name} is not supported` : undefined
    })
    const caller = callerOf(provider)
    const given = first === 'schema' ? { method: first, votes: 1 } : { votes: 1 }
    const result = await caller.classify(dialog, ['yes', 'no'], given)
    expect([result.label, ['schema', used]]).toEqual([
      'yes',
      expect.arrayContaining([result.method]),
    ])
    expect(bodies.at(-1)).not.toHaveProperty('logprobs')
  })

  test('a method that was asked for is not replaced', async () => {
    const { provider, bodies } = compatible('yes', (body) =>
      body['logprobs'] ? 'logprobs is not supported' : undefined,
    )
    await expect(
      callerOf(provider).classify(dialog, ['yes', 'no'], { method: 'logprobs' }),
    ).rejects.toThrow('logprobs is not supported')
    expect(bodies).toHaveLength(1)
  })
})

describe("a dialog's schema", () => {
  const prompt = definePrompt({
    path: 'number',
    text: 'A number, as JSON.',
    parse: json(z.object({ n: z.number(), unit: z.string().optional() })),
  })
  const asked = Dialog.seed().send(prompt, {})
  const closed = {
    type: 'object',
    properties: { n: { type: 'number' }, unit: { type: ['string', 'null'] } },
    required: ['n', 'unit'],
    additionalProperties: false,
  }

  test("a dialog's schema reaches Anthropic closed, and the nulls of the strict form are dropped", async () => {
    const { fetch, bodies } = answering(
      (body) => refuseAsAnthropic(body) ?? '{"n":3,"unit":null}',
      messagesEvents,
    )
    const provider = createAnthropic({ model: 'claude-sonnet-4-5', apiKey, defaults, fetch })
    expect((await callerOf(provider).call(asked)).value).toEqual({ n: 3 })
    expect(bodies).toHaveLength(1)
    expect(JSON.stringify(bodies[0])).toContain(JSON.stringify(closed))
  })

  test("a dialog's schema is enforced by OpenAI", async () => {
    const { provider, bodies } = openai('gpt-4o', '{"n":3,"unit":"m"}')
    expect((await callerOf(provider).call(asked)).value).toEqual({ n: 3, unit: 'm' })
    expect(bodies[0]).toMatchObject({
      text: { format: { type: 'json_schema', strict: true, schema: closed } },
    })
  })

  test("a dialog's schema is asked for as JSON, then in words, where a server refuses it", async () => {
    const { provider, bodies } = compatible('{"n":3}', (body) =>
      body['response_format'] ? "'response_format' is not supported" : undefined,
    )
    const { value, details } = await callerOf(provider).call(asked)
    expect(value).toEqual({ n: 3 })
    const formats = bodies.map(
      (body) => (body['response_format'] as { readonly type?: string } | undefined)?.type,
    )
    expect(formats).toEqual(['json_schema', 'json_object', undefined])
    expect(JSON.stringify(bodies[2])).toContain(
      'Your final answer must be JSON that fits this JSON Schema',
    )
    expect(details.warnings?.[0]).toContain('the server refused the schema: ')
  })

  test("a dialog's schema gives way to a format of the application", async () => {
    const { provider, bodies } = compatible('{"n":3}', () => undefined)
    const caller = createDialogCaller({
      name: 't',
      provider,
      options: { responseFormat: { type: 'json' } },
    })
    await caller.call(asked)
    expect(bodies[0]).toMatchObject({ response_format: { type: 'json_object' } })
  })
})

test('a budget with fewer tokens left than the Responses API takes ends a run as budget', async () => {
  const { provider, bodies } = openai('gpt-4o', 'x')
  const result = await infer(provider, { query: 'hi', limits: { budget: { maxOutputTokens: 15 } } })
  expect(result).toMatchObject({
    status: 'budget',
    decision: { limit: 'maxOutputTokens', observed: 16, maximum: 15 },
  })
  expect(bodies).toHaveLength(0)
})
