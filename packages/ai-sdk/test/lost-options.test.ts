import type {
  JSONSchema7,
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4Prompt,
} from '@ai-sdk/provider'
import { toLanguageModel } from '@modelport/ai-sdk'
import type { Provider } from '@modelport/core'
import { generateText, Output } from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { connect, type Vendor, vendors } from './vendors.js'

type Call = LanguageModelV4CallOptions
type Key = keyof Call

const schema: JSONSchema7 = {
  type: 'object',
  properties: { mark: { type: 'string' } },
  required: ['mark'],
  additionalProperties: false,
}
const options = { openai: { mark1: true }, anthropic: { mark2: { a: 1 } }, google: { mark3: 'x' } }
const tool: LanguageModelV4FunctionTool = {
  type: 'function',
  name: 'look',
  description: 'mark',
  inputSchema: schema,
}
const marked: LanguageModelV4Prompt = [
  { role: 'system', content: 'mark', providerOptions: { a: { system: 1 } } },
  {
    role: 'user',
    content: [{ type: 'text', text: 'mark', providerOptions: { a: { userPart: 1 } } }],
    providerOptions: { a: { user: 1 } },
  },
  {
    role: 'assistant',
    content: [
      { type: 'text', text: 'mark', providerOptions: { a: { reply: 1 } } },
      {
        type: 'tool-call',
        toolCallId: 'c1',
        toolName: 'look',
        input: {},
        providerOptions: { a: { call: 1 } },
      },
      { type: 'custom', kind: 'a.b' },
    ],
  },
  {
    role: 'tool',
    content: [
      {
        type: 'tool-result',
        toolCallId: 'c1',
        toolName: 'look',
        output: {
          type: 'content',
          value: [{ type: 'text', text: 'mark', providerOptions: { a: { output: 1 } } }],
        },
        providerOptions: { a: { result: 1 } },
      },
    ],
    providerOptions: { a: { tool: 1 }, modelport: { vendor: {} } },
  },
]

/**
 * A value for each key of a call, and what shows that it was not lost: texts of the request, or
 * names in the warnings. The compiler asks for a row of each key that a new version brings.
 */
const rows: {
  readonly [Name in Key]-?: {
    readonly value: Call[Name]
    readonly sent?: readonly string[]
    readonly warned?: readonly string[]
  }
} = {
  prompt: {
    value: marked,
    warned: [
      ...['system', 'user', 'userPart', 'reply', 'call', 'tool', 'result', 'output'].map(
        (name) => `providerOptions.a.${name}`,
      ),
      'providerOptions.modelport.vendor of a tool message',
      'a part of type custom',
    ],
  },
  maxOutputTokens: { value: 4321, sent: ['4321'] },
  temperature: { value: 0.25, sent: ['0.25'] },
  stopSequences: { value: ['mark'], sent: ['"mark"'] },
  topP: { value: 0.125, sent: ['0.125'] },
  topK: { value: 4321, sent: ['4321'] },
  presencePenalty: { value: 0.5, warned: ['presencePenalty'] },
  frequencyPenalty: { value: 0.5, warned: ['frequencyPenalty'] },
  responseFormat: {
    value: { type: 'json', schema, name: 'mark', description: 'The mark.' },
    sent: ['The mark.'],
  },
  seed: { value: 4321, sent: ['4321'] },
  tools: {
    value: [
      { ...tool, providerOptions: { a: { ofTool: 1 } }, inputExamples: [{ input: {} }] },
      { type: 'provider', id: 'openai.web_search', name: 'web_search', args: {} },
    ],
    sent: ['"look"'],
    warned: [
      'providerOptions.a.ofTool',
      'inputExamples of look',
      'provider tool openai.web_search',
    ],
  },
  toolChoice: { value: { type: 'tool', toolName: 'look' }, sent: ['look'] },
  includeRawChunks: { value: true, warned: ['includeRawChunks'] },
  abortSignal: { value: AbortSignal.abort(new Error('the user left')) },
  headers: { value: { 'x-mark': '4321' }, sent: ['x-mark'] },
  reasoning: { value: 'high', sent: ['reasoning', 'thinking', 'thinkingConfig', 'effort'] },
  providerOptions: {
    value: options,
    warned: [
      'providerOptions.openai.mark1',
      'providerOptions.anthropic.mark2',
      'providerOptions.google.mark3',
    ],
  },
}

/** The headers and the body that a call sends, its warnings, and the error that refused it. */
async function outcomeOf(vendor: Vendor, call: Call) {
  let sent = ''
  const provider: Provider = vendor.create((_, init) => {
    const headers = JSON.stringify(Object.fromEntries(new Headers(init?.headers)))
    // The text as it is sent: a second writing as JSON would escape its quotes.
    const body = init?.body as string
    sent += headers + body
    return Promise.resolve(vendor.reply(1, false))
  })
  let refusal = ''
  const result = await Promise.resolve(toLanguageModel(provider).doGenerate(call)).catch(
    (error: unknown) => {
      refusal = String(error)
    },
  )
  const warned = (result?.warnings ?? []).map((one) => ('feature' in one ? one.feature : ''))
  return { sent, warned, refusal }
}

describe.each(vendors)('a call of the AI SDK to $name', (vendor) => {
  test.each(Object.keys(rows) as Key[])(
    'what is set as %s is on the wire, or in the warnings',
    async (key) => {
      const { value, sent = [], warned = [] } = rows[key]
      const prompt: LanguageModelV4Prompt = [
        { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
      ]
      const tools = key === 'toolChoice' || key === 'prompt' ? { tools: [tool] } : {}
      const outcome = await outcomeOf(vendor, { prompt, ...tools, [key]: value })
      if (key === 'abortSignal') {
        expect(outcome).toMatchObject({ sent: '', refusal: 'Error: the user left' })
        return
      }
      expect(outcome.refusal).toBe('')
      expect(outcome.warned).toEqual(expect.arrayContaining([...warned]))
      const isSent = sent.some((text) => outcome.sent.includes(text))
      if (sent.length) expect(isSent || outcome.warned.includes(key)).toBe(true)
    },
  )

  test('a call without options of vendors has no warnings', async () => {
    const prompt: LanguageModelV4Prompt = [
      { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
    ]
    expect((await outcomeOf(vendor, { prompt, tools: [tool] })).warned).toEqual([])
  })
})

test('the cache option of a vendor says where ours is', async () => {
  const { provider } = connect(vendors[0]!)
  const { warnings } = await generateText({
    model: toLanguageModel(provider),
    prompt: 'Hi',
    providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } },
  })
  expect(warnings).toEqual([
    {
      type: 'unsupported',
      feature: 'providerOptions.anthropic.cacheControl',
      details: 'set `cache` in `providerOptions.modelport`',
    },
  ])
})

test('an output whose schema is closed is asked for in strict form, and an open one is not', async () => {
  const vendor = vendors.find(({ name }) => name.includes('openai'))!
  const strictOf = async (output: z.ZodType) => {
    const { provider, bodies } = connect(vendor)
    const model = toLanguageModel(provider)
    await generateText({ model, prompt: 'Hi', output: Output.object({ schema: output }) }).catch(
      () => undefined,
    )
    return (bodies[0]?.['text'] as { format?: { strict?: boolean } } | undefined)?.format?.strict
  }
  expect(await strictOf(z.object({ city: z.string() }))).toBe(true)
  expect(await strictOf(z.object({ city: z.string().optional() }))).not.toBe(true)
})
