import type {
  JSONSchema7,
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4Prompt,
} from '@ai-sdk/provider'
import { toLanguageModel } from '@modelport/ai-sdk'
import type { Provider } from '@modelport/core'
import { tool as aiTool, generateText, jsonSchema, Output } from 'ai'
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
const options = {
  openai: { user: 'mark1' },
  anthropic: { metadata: { userId: 'mark2' } },
  google: { labels: { mark: 'mark3' } },
}
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
  presencePenalty: { value: 0.5, sent: ['"presencePenalty":0.5', '"presence_penalty":0.5'] },
  frequencyPenalty: { value: 0.5, sent: ['"frequencyPenalty":0.5', '"frequency_penalty":0.5'] },
  responseFormat: {
    value: { type: 'json', schema, name: 'mark', description: 'The mark.' },
    sent: ['The mark.'],
  },
  seed: { value: 4321, sent: ['4321'] },
  tools: {
    value: [
      { ...tool, providerOptions: { a: { ofTool: 1 } }, inputExamples: [{ input: {} }] },
      { type: 'provider', id: 'other.search', name: 'search', args: {} },
    ],
    sent: ['"look"'],
    warned: ['providerOptions.a.ofTool', 'inputExamples of look', 'provider tool other.search'],
  },
  toolChoice: { value: { type: 'tool', toolName: 'look' }, sent: ['look'] },
  includeRawChunks: { value: true, warned: ['includeRawChunks'] },
  abortSignal: { value: AbortSignal.abort(new Error('the user left')) },
  headers: { value: { 'x-mark': '4321' }, sent: ['x-mark'] },
  reasoning: { value: 'high', sent: ['reasoning', 'thinking', 'thinkingConfig', 'effort'] },
  providerOptions: { value: options, sent: ['mark1', 'mark2', 'mark3'] },
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
      // One vendor has a field for the examples of a tool.
      const lost = outcome.sent.includes('"input_examples":[{}]')
        ? warned.filter((feature) => !feature.startsWith('inputExamples'))
        : warned
      expect(outcome.warned).toEqual(expect.arrayContaining([...lost]))
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

test.each(vendors)(
  'options of the vendor that is asked are sent to $name, and those of others are in the warnings',
  async (vendor) => {
    const { provider, bodies } = connect(vendor)
    const { warnings } = await generateText({
      model: toLanguageModel(provider),
      prompt: 'Hi',
      providerOptions: options,
    })
    const own = vendor.name.split(' ')[0] ?? ''
    const marks = { openai: 'mark1', anthropic: 'mark2', google: 'mark3' }
    const others = Object.keys(marks).filter((name) => name !== own)
    expect(JSON.stringify(bodies[0])).toContain(marks[own as 'openai'])
    expect(warnings).toEqual(
      others.map((name) => ({
        type: 'unsupported',
        feature: expect.stringContaining(`providerOptions.${name}.`) as string,
        details: 'only the vendor of that name reads it; `providerOptions.modelport` are for all',
      })),
    )
  },
)

test('the cache marks of a vendor are those of ours, on the system text, a tool and a message', async () => {
  const { provider, bodies } = connect(vendors[0]!)
  const cacheControl = { type: 'ephemeral', ttl: '1h' }
  const providerOptions = { anthropic: { cacheControl } }
  const { warnings } = await generateText({
    model: toLanguageModel(provider),
    allowSystemInMessages: true,
    messages: [
      { role: 'system', content: 'Be brief.', providerOptions },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'A' },
          { type: 'text', text: 'B' },
        ],
        providerOptions,
      },
    ],
    tools: { look: aiTool({ inputSchema: jsonSchema(schema), providerOptions }) },
  })
  expect(warnings).toEqual([])
  expect(bodies[0]).toMatchObject({
    system: [{ text: 'Be brief.', cache_control: cacheControl }],
    tools: [{ name: 'look', cache_control: cacheControl }],
    messages: [{ content: [{ text: 'A' }, { text: 'B', cache_control: cacheControl }] }],
  })
  const { messages } = bodies[0] as { messages: { content: object[] }[] }
  expect(messages[0]?.content[0]).not.toHaveProperty('cache_control')
})

test('a budget of thinking comes on top of the limit of the reply, and sampling is left out', async () => {
  const { provider, bodies } = connect(vendors[0]!)
  const { warnings } = await generateText({
    model: toLanguageModel(provider),
    prompt: 'Hi',
    maxOutputTokens: 500,
    temperature: 0.5,
    providerOptions: { anthropic: { thinking: { type: 'enabled', budgetTokens: 2000 } } },
  })
  expect(bodies[0]).toMatchObject({
    thinking: { type: 'enabled', budget_tokens: 2000 },
    max_tokens: 2500,
  })
  expect(bodies[0]).not.toHaveProperty('temperature')
  expect(warnings).toMatchObject([{ feature: 'temperature' }])
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
