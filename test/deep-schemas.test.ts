import type { CallOptions, ChatMessage, JsonObject, Provider } from '@modelport/core'
import { createGoogle } from '@modelport/provider-google'
import { countTokens } from '@modelport/provider-openai-compatible'
import { expect, test } from 'vitest'
import { apiKey, testedApis } from './providers.js'

const nested = (levels: number): JsonObject => {
  let schema: JsonObject = {}
  for (let level = 1; level < levels; level++) schema = { not: schema }
  return schema
}
const tool = (parameters: JsonObject) => [{ name: 'find_all', description: '', parameters }]
const refusal = {
  code: 'invalid-request',
  message: expect.stringContaining('tool "find_all": nested deeper than 256') as string,
}

let requests = 0
const fetch = (): Promise<Response> => {
  requests++
  return Promise.resolve(Response.json({ error: { message: 'no' } }, { status: 400 }))
}
const compatible = { baseUrl: 'http://h.test/v1', model: 'm', fetch }
const providers: readonly Provider[] = [
  ...testedApis.map(({ create }) => create({ fetch })),
  createGoogle({ apiKey, model: 'gemini-1.5-pro', fetch }),
]

test('a schema that no JSON can be made of is refused before anything is sent, and its tool is named', async () => {
  const itself: Record<string, unknown> = {}
  itself['not'] = itself
  requests = 0
  for (const parameters of [nested(100_000), nested(257), itself]) {
    const tools = tool(parameters)
    for (const provider of providers) {
      await expect(
        provider.streamWithTools([{ role: 'user', content: 'Hi' }], tools),
      ).rejects.toMatchObject({
        ...refusal,
        provider: provider.name,
      })
      await expect(
        provider.generate([{ role: 'user', content: 'Hi' }], { tools }),
      ).rejects.toMatchObject(refusal)
    }
    const count = (
      quirks: Parameters<typeof countTokens>[0]['quirks'] & object,
    ): Promise<unknown> =>
      countTokens({ ...compatible, quirks }, [{ role: 'user', content: 'Hi' }], {
        tools,
      } satisfies CallOptions)
    await expect(count({ tokenizer: 'vllm' })).rejects.toMatchObject(refusal)
    await expect(count({})).rejects.toMatchObject(refusal)
  }
  expect(requests).toBe(0)
})

test('options, and arguments in the history, that are nested too deeply are refused', async () => {
  const history = (values: JsonObject): ChatMessage[] => [
    { role: 'user', content: 'Hi' },
    {
      role: 'assistant',
      content: '',
      toolCalls: [{ id: 'call_1', name: 'find_all', arguments: values, argumentsText: '{}' }],
    },
    { role: 'tool', toolCallId: 'call_1', content: '' },
  ]
  requests = 0
  for (const deep of [nested(100_000), nested(257)]) {
    const given: readonly (readonly [
      what: string,
      options: CallOptions,
      messages?: readonly ChatMessage[],
    ])[] = [
      ['vendor', { vendor: { deep } }],
      ['responseFormat', { responseFormat: { type: 'json-schema', schema: deep } }],
      ['providerTools', { providerTools: [deep] }],
      ['messages[0].toolCalls', {}, history(deep).slice(1)],
      ['messages[1].toolCalls', { system: 'Be kind.' }, history(deep)],
    ]
    for (const provider of providers) {
      for (const [what, options, messages = history({})] of given) {
        await expect(provider.generate(messages, options)).rejects.toMatchObject({
          code: 'invalid-request',
          message: expect.stringContaining(`: ${what}: nested deeper than 256`) as string,
        })
      }
    }
  }
  expect(requests).toBe(0)
})

test('a schema that is just not too deep is sent', async () => {
  requests = 0
  const sent = providers.filter(({ name }) => name !== 'google')
  for (const provider of sent) {
    await expect(
      provider.generate([{ role: 'user', content: 'Hi' }], { tools: tool(nested(256)) }),
    ).rejects.toMatchObject({ status: 400 })
  }
  expect(requests).toBe(sent.length)
})
