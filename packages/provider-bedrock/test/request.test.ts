import type { CallOptions, ChatMessage, ContentPart, ToolDefinition } from '@modelport/core'
import { describe, expect, test } from 'vitest'
import { apiKey, bedrock, claude, reply } from './support.js'

const nova = 'amazon.nova-lite-v1:0'
const hi: ChatMessage = { role: 'user', content: 'Hi' }
const call: ChatMessage = {
  role: 'assistant',
  content: '',
  toolCalls: [{ id: 't1', name: 'look', arguments: { at: 'sky' }, argumentsText: '{"at":"sky"}' }],
}
const result = (content: string | ContentPart[], isError = false): ChatMessage => ({
  role: 'tool',
  toolCallId: 't1',
  content,
  isError,
})
const look: ToolDefinition = {
  name: 'look',
  description: 'Looks',
  parameters: { type: 'object', properties: {} },
}
const spec = {
  toolSpec: { name: 'look', description: 'Looks', inputSchema: { json: look.parameters } },
}
const pdf = (name?: string): ContentPart => ({
  type: 'file',
  ...(name !== undefined && { name }),
  source: { type: 'base64', data: 'JVBERi0=', mediaType: 'application/pdf' },
})

async function bodyOf(messages: readonly ChatMessage[], options: CallOptions = {}, model = claude) {
  const { provider, sent } = bedrock(undefined, { model, defaults: 'vendor' })
  const { warnings } = await provider.generate(messages, options)
  return { body: sent[0]?.body, warnings }
}
const refusal = (messages: readonly ChatMessage[], options: CallOptions = {}, model = claude) =>
  bodyOf(messages, options, model).then(
    () => undefined,
    (error: unknown) => error as { readonly code: string; readonly message: string },
  )

describe('a request', () => {
  test('a request has the options where Converse has them', async () => {
    const { provider, sent } = bedrock(undefined, { model: nova })
    await provider.generate([hi], {
      system: 'Be brief.',
      maxTokens: 9,
      topP: 0.5,
      temperature: 0.1,
      stop: ['x'],
    })
    expect(sent[0]?.body).toEqual({
      messages: [{ role: 'user', content: [{ text: 'Hi' }] }],
      system: [{ text: 'Be brief.' }],
      inferenceConfig: { maxTokens: 9, temperature: 0.1, topP: 0.5, stopSequences: ['x'] },
    })
    expect(sent[0]?.headers.get('authorization')).toBe(`Bearer ${apiKey}`)
  })

  test('vendor fields stand inside those of the options, and one that replaces an option is named in the warnings', async () => {
    const withStop = await bodyOf([hi], {
      maxTokens: 9,
      vendor: { inferenceConfig: { stopSequences: ['x'] } },
    })
    expect(withStop).toMatchObject({
      body: { inferenceConfig: { maxTokens: 9, stopSequences: ['x'] } },
      warnings: undefined,
    })
    const instead = await bodyOf([hi], {
      maxTokens: 9,
      vendor: { inferenceConfig: { maxTokens: 8 } },
    })
    expect(instead.warnings).toEqual([
      expect.stringContaining('vendor replaces "inferenceConfig.maxTokens"'),
    ])
  })

  test('a request has the fields of vendor next to its own', async () => {
    const guardrailConfig = { guardrailIdentifier: 'g', guardrailVersion: '1', trace: 'enabled' }
    const vendor = {
      guardrailConfig,
      additionalModelRequestFields: { a: 1 },
      performanceConfig: { latency: 'optimized' },
    }
    const { body } = await bodyOf([hi], { reasoning: 'low', maxTokens: 4000, vendor })
    expect(body).toMatchObject({
      ...vendor,
      additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 1024 }, a: 1 },
    })
  })

  test('a request holds the reply to a schema', async () => {
    const schema = { type: 'object', properties: { a: { type: 'integer', minimum: 1 } } }
    const held = {
      type: 'object',
      properties: { a: { type: 'integer', description: '{minimum: 1}' } },
      additionalProperties: false,
    }
    const tools = [{ ...look, parameters: schema, strict: true }]
    const { body } = await bodyOf([hi], {
      responseFormat: { type: 'json-schema', name: 'n', schema },
      tools,
    })
    expect(body.outputConfig).toEqual({
      textFormat: {
        type: 'json_schema',
        structure: { jsonSchema: { name: 'n', schema: JSON.stringify(held) } },
      },
    })
    expect(body.toolConfig.tools[0].toolSpec.inputSchema).toEqual({ json: held })
  })

  test.each([
    [{ seed: 1 }, 'seed'],
    [{ topK: 3 }, 'topK'],
    [{ topLogprobs: 2 }, 'topLogprobs'],
    [{ parallelToolCalls: false }, 'parallelToolCalls'],
    [{ providerTools: [{ systemTool: { name: 'nova_grounding' } }] }, 'providerTools'],
    [{ responseFormat: { type: 'json' } }, 'responseFormat'],
  ] as const)('options are refused: %j', async (options, name) => {
    expect(await refusal([hi], options)).toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining(name),
    })
  })
})

describe('messages', () => {
  test('messages alternate, begin with the user, and hold no blank text', async () => {
    const { body } = await bodyOf([
      { role: 'assistant', content: 'Hello.' },
      hi,
      { role: 'user', content: ' ' },
      { role: 'user', content: 'there' },
    ])
    expect(body.messages).toEqual([
      { role: 'user', content: [{ text: '[The conversation begins with a reply.]' }] },
      { role: 'assistant', content: [{ text: 'Hello.' }] },
      { role: 'user', content: [{ text: 'Hi' }, { text: 'there' }] },
    ])
  })

  test('a message with results has them first, with images and documents', async () => {
    const image: ContentPart = {
      type: 'image',
      source: { type: 'base64', data: 'iVBO', mediaType: 'image/png' },
    }
    const { body } = await bodyOf(
      [hi, call, result([{ type: 'text', text: 'blue' }, image, pdf('a.pdf')]), hi],
      {
        tools: [look],
      },
    )
    expect(body.messages[2].content).toEqual([
      {
        toolResult: {
          toolUseId: 't1',
          content: [
            { text: 'blue' },
            { image: { format: 'png', source: { bytes: 'iVBO' } } },
            { document: { format: 'pdf', name: 'a', source: { bytes: 'JVBERi0=' } } },
          ],
        },
      },
      { text: 'Hi' },
    ])
  })

  test('a failed tool has a status, or words where the model has none', async () => {
    const failed = { toolUseId: 't1', content: [{ text: 'The tool failed without a message.' }] }
    const { body } = await bodyOf([hi, call, result('', true)], { tools: [look] })
    expect(body.messages[2].content[0].toolResult).toEqual({ ...failed, status: 'error' })
    const llama = await bodyOf(
      [hi, call, result('', true)],
      { tools: [look] },
      'meta.llama3-3-70b-instruct-v1:0',
    )
    expect(llama.body.messages[2].content[0].toolResult).toEqual({
      ...failed,
      content: [{ text: 'Error:' }, ...failed.content],
    })
  })

  test('documents have names that the API allows, each its own', async () => {
    const names = [
      "John's report_1.pdf",
      'John s report 1',
      undefined,
      '分析.pdf',
      `${'x'.repeat(300)}.pdf`,
    ]
    const { body } = await bodyOf([{ role: 'user', content: names.map(pdf) }])
    const [text, ...documents] = body.messages[0].content
    expect(text).toEqual({ text: '[The message has only documents.]' })
    expect(documents.map(({ document }: { document: { name: string } }) => document.name)).toEqual([
      'John s report 1',
      'John s report 1 (2)',
      'document',
      'document (2)',
      'x'.repeat(190),
    ])
  })

  test.each([
    [
      {
        type: 'image',
        source: { type: 'url', url: 'https://a.example/b.png', mediaType: 'image/png' },
      },
      'addresses of S3',
    ],
    [
      { type: 'image', source: { type: 'base64', data: 'AA==', mediaType: 'image/tiff' } },
      'png, jpeg, gif, webp',
    ],
    [
      { type: 'file', source: { type: 'base64', data: 'AA==', mediaType: 'application/zip' } },
      'pdf, csv',
    ],
  ] as const)('a part is refused: %j', async (part, message) => {
    expect(await refusal([{ role: 'user', content: [part] }])).toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining(message),
    })
  })

  test('a part takes an object of S3', async () => {
    const source = { type: 'url', url: 's3://bucket/a.png', mediaType: 'image/png' } as const
    const { body } = await bodyOf(
      [{ role: 'user', content: [{ type: 'image', source }] }],
      {},
      nova,
    )
    expect(body.messages[0].content[0].image).toEqual({
      format: 'png',
      source: { s3Location: { uri: source.url } },
    })
  })
})

describe('tools', () => {
  test.each([
    ['auto', undefined],
    ['required', { any: {} }],
    [{ name: 'look' }, { tool: { name: 'look' } }],
    [undefined, undefined],
  ] as const)('a tool is chosen by %j', async (toolChoice, expected) => {
    const { body } = await bodyOf([hi], { tools: [look], ...(toolChoice && { toolChoice }) })
    expect(body.toolConfig).toEqual({ tools: [spec], ...(expected && { toolChoice: expected }) })
  })

  test('called tools stay defined where none may be called, and the reply says so', async () => {
    const history = [hi, call, result('blue')]
    for (const options of [{}, { tools: [look], toolChoice: 'none' }] as const) {
      const { body, warnings } = await bodyOf(history, options)
      expect(body.toolConfig).toEqual({
        tools: [{ toolSpec: { name: 'look', inputSchema: { json: { type: 'object' } } } }],
      })
      expect(warnings?.join()).toContain('has no choice "none"')
    }
    expect(
      (await bodyOf([hi], { tools: [look], toolChoice: 'none' })).body.toolConfig,
    ).toBeUndefined()
  })

  test('a call is not forced on a model of which nothing is known', async () => {
    expect(
      await refusal(
        [hi],
        { tools: [look], toolChoice: 'required' },
        'meta.llama3-3-70b-instruct-v1:0',
      ),
    ).toMatchObject({
      code: 'unsupported',
    })
  })
})

describe('reasoning', () => {
  test.each([
    [claude, { thinking: { type: 'enabled', budget_tokens: 8192 } }],
    [
      'us.anthropic.claude-sonnet-4-6',
      { thinking: { type: 'adaptive' }, output_config: { effort: 'medium' } },
    ],
    ['openai.gpt-oss-120b-1:0', { reasoning_effort: 'medium' }],
  ])('reasoning of %s is among the fields of the model', async (model, fields) => {
    expect(
      (await bodyOf([hi], { reasoning: 'medium' }, model)).body.additionalModelRequestFields,
    ).toEqual(fields)
  })

  test('reasoning of a model of which nothing is known is refused', async () => {
    expect(await refusal([hi], { reasoning: 'low' }, nova)).toMatchObject({ code: 'unsupported' })
  })

  test('reasoning has the levels of the model', async () => {
    const { body } = await bodyOf([hi], { reasoning: 'max' }, 'anthropic.claude-opus-5')
    expect(body.additionalModelRequestFields.output_config).toEqual({ effort: 'max' })
    expect(await refusal([hi], { reasoning: 'minimal' }, 'anthropic.claude-opus-5')).toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('it has low, medium, high, xhigh, max') as string,
    })
    expect(await refusal([hi], { reasoning: 'max' })).toMatchObject({ code: 'unsupported' })
  })

  test('reasoning does not start in the middle of a tool turn', async () => {
    const { body, warnings } = await bodyOf([hi, call, result('blue')], {
      reasoning: 'low',
      tools: [look],
    })
    expect(body.additionalModelRequestFields).toBeUndefined()
    expect(warnings?.join()).toContain('reasoning was left out')
  })
})

describe('cache points', () => {
  const point = { cachePoint: { type: 'default' } }

  test('cache points stand behind the tools, the system text and the newest message', async () => {
    const { body } = await bodyOf([hi], { cache: 'auto', system: 'S', tools: [look] })
    expect([body.toolConfig.tools, body.system, body.messages[0].content]).toEqual([
      [spec, point],
      [{ text: 'S' }, point],
      [{ text: 'Hi' }, point],
    ])
  })

  test('cache points do not stand among the tools of Nova, and a model without them refuses', async () => {
    const { body } = await bodyOf([hi], { cache: 'auto', tools: [look] }, nova)
    expect([body.toolConfig.tools, body.messages[0].content]).toEqual([
      [spec],
      [{ text: 'Hi' }, point],
    ])
    expect(await refusal([hi], { cache: 'auto' }, 'meta.llama3-3-70b-instruct-v1:0')).toMatchObject(
      {
        code: 'unsupported',
      },
    )
  })

  test('a cache point stands behind a part that has a mark, for an hour if it says so', async () => {
    const { body } = await bodyOf([
      { role: 'user', content: [{ type: 'text', text: 'Long', cache: 'hour' }] },
    ])
    expect(body.messages[0].content).toEqual([
      { text: 'Long' },
      { cachePoint: { type: 'default', ttl: '1h' } },
    ])
  })
})

test('a reply is asked for again with what it was made of', async () => {
  const thinking = { reasoningContent: { reasoningText: { text: 'Hm.', signature: 'sig' } } }
  const hidden = { reasoningContent: { redactedContent: 'cmVk' } }
  const use = { toolUse: { toolUseId: 't1', name: 'look', input: { at: 'sky' } } }
  const { provider, sent } = bedrock(() =>
    reply([thinking, hidden, { text: 'So.' }, use], { stopReason: 'tool_use' }),
  )
  const { message } = await provider.generate([hi], { tools: [look] })
  await provider.generate([hi, message, result('blue')], {
    tools: [look],
    reasoning: 'low',
    maxTokens: 4000,
  })
  expect(sent[1]?.body.messages[1].content).toEqual([thinking, hidden, { text: 'So.' }, use])
  expect(sent[1]?.body.additionalModelRequestFields.thinking.budget_tokens).toBe(1024)
  // Another model checks signatures of its own.
  const other = bedrock(undefined, { model: nova })
  await other.provider.generate([hi, message, result('blue')], { tools: [look] })
  expect(other.sent[0]?.body.messages[1].content).toEqual([{ text: 'So.' }, use])
})
