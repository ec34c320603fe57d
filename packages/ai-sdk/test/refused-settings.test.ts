// What the AI SDK's own packages only warn about is a warning here too.
import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { toLanguageModel } from '@modelport/ai-sdk'
import type { CallOptions } from '@modelport/core'
import type { Fetch } from '@modelport/driver'
import { createAnthropic } from '@modelport/provider-anthropic'
import { createGoogle } from '@modelport/provider-google'
import { createOpenAI } from '@modelport/provider-openai'
import { describe, expect, test } from 'vitest'

type Settings = Omit<LanguageModelV4CallOptions, 'prompt'>

const apiKey = 'ai-sdk-key-0123456789'
const prompt: LanguageModelV4CallOptions['prompt'] = [
  { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
]

const models = {
  responses: (fetch: Fetch) => createOpenAI({ model: 'gpt-5.4', apiKey, fetch }),
  chat: (fetch: Fetch) => createOpenAI({ model: 'gpt-5.4', api: 'chat', apiKey, fetch }),
  sonnet: (fetch: Fetch) => createAnthropic({ model: 'claude-sonnet-4-6', apiKey, fetch }),
  opus: (fetch: Fetch) => createAnthropic({ model: 'claude-opus-4-8', apiKey, fetch }),
  gemini: (fetch: Fetch) => createGoogle({ model: 'gemini-2.5-pro', apiKey, fetch }),
}

const replies: Readonly<Record<string, object>> = {
  '/v1/responses': {
    status: 'completed',
    output: [
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] },
    ],
  },
  '/v1/chat/completions': { choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }] },
  '/v1/messages': {
    type: 'message',
    content: [{ type: 'text', text: 'Hi' }],
    stop_reason: 'end_turn',
  },
}
const gemini = { candidates: [{ content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }] }

/** What a call sends, and the features that it warns about. */
async function outcomeOf(
  model: keyof typeof models,
  settings: Settings,
  refuse: (body: string) => string | undefined = () => undefined,
  defaults?: CallOptions,
) {
  const bodies: string[] = []
  const provider = models[model]((url, init) => {
    const body = init?.body as string
    bodies.push(body)
    const message = refuse(body)
    if (message !== undefined)
      return Promise.resolve(Response.json({ error: { message } }, { status: 400 }))
    return Promise.resolve(Response.json(replies[new URL(url as string).pathname] ?? gemini))
  })
  const { content, warnings } = await toLanguageModel(provider, { defaults }).doGenerate({
    prompt,
    ...settings,
  })
  expect(content).toMatchObject([{ type: 'text', text: 'Hi' }])
  const features = warnings.map((warning) => ('feature' in warning ? warning.feature : 'other'))
  return { bodies, features }
}

describe('a setting that the model does not take', () => {
  test.each<[keyof typeof models, Settings, string[], RegExp]>([
    ['responses', { seed: 1 }, ['seed'], /seed/],
    ['responses', { topK: 3 }, ['topK'], /top_k/],
    ['responses', { stopSequences: ['END'] }, ['stopSequences'], /END/],
    ['chat', { topK: 3 }, ['topK'], /top_k/],
    ['sonnet', { seed: 1 }, ['seed'], /seed/],
    ['sonnet', { reasoning: 'high', temperature: 0.2 }, ['temperature'], /temperature/],
    ['opus', { temperature: 0.2, topP: 0.5 }, ['temperature', 'topP'], /temperature|top_p/],
    ['opus', { topK: 3, seed: 1 }, ['seed', 'topK'], /top_k|seed/],
  ])('%s, %j: is left out with a warning, and one request is made', async (...row) => {
    const [model, settings, features, lost] = row
    const { bodies, features: warned } = await outcomeOf(model, settings)
    expect(warned.sort()).toEqual(features)
    expect(bodies).toHaveLength(1)
    expect(bodies[0]).not.toMatch(lost)
  })

  test.each<[keyof typeof models, NonNullable<Settings['reasoning']>, string]>([
    ['sonnet', 'minimal', '"effort":"low"'],
    ['sonnet', 'xhigh', '"effort":"high"'],
    ['gemini', 'minimal', '"thinkingBudget":1024'],
    ['gemini', 'xhigh', '"thinkingBudget":24576'],
  ])('%s, reasoning %s: the nearest level is asked for', async (model, reasoning, sent) => {
    const { bodies, features } = await outcomeOf(model, { reasoning })
    expect(features).toEqual(['reasoning'])
    expect(bodies).toMatchObject([expect.stringContaining(sent)])
  })

  test('a setting is left out once the server refuses it', async () => {
    const refuse = (body: string) =>
      body.includes('"temperature"')
        ? "Unsupported parameter: 'temperature' is not supported with this model."
        : undefined
    const { bodies, features } = await outcomeOf('responses', { temperature: 0.2 }, refuse)
    expect([features, bodies.length]).toEqual([['temperature'], 2])
  })
})

test('what is asked for in our own options is never left out', async () => {
  for (const own of [
    () => outcomeOf('sonnet', { providerOptions: { modelport: { seed: 1 } } }),
    () => outcomeOf('sonnet', {}, undefined, { seed: 1 }),
  ])
    await expect(own()).rejects.toThrow('seed')
})

test('another refusal of the server is not taken for one of a setting', async () => {
  const refuse = () => 'The temperature of the prompt is too high: the content is refused.'
  await expect(outcomeOf('responses', { temperature: 0.2 }, refuse)).rejects.toThrow('too high')
})
