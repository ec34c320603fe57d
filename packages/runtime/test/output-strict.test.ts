import { attachDescription, type CallOptions, LlmError, ProviderError } from '@modelport/core'
import { createMock } from '@modelport/provider-mock'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { capabilities as anthropic } from '../../provider-anthropic/src/capabilities.js'
import { capabilities as google } from '../../provider-google/src/capabilities.js'
import { defineTool, infer, inferStream } from '../src/index.js'

const city = z.object({ name: z.string(), country: z.string().optional() })
const empty = { type: 'object', properties: {} } as const
const tool = (name: string) =>
  defineTool({ name, description: 'x', parameters: empty, execute: () => 'ok' })
const formatOf = (options: CallOptions | undefined) => options?.responseFormat

test('infer sends outputSchema in the strict form and drops the nulls that the form added', async () => {
  const provider = createMock({ responses: ['{"name":"Rome","country":null}'] })
  const result = await infer(provider, { query: 'A city.', outputSchema: city, mode: 'native' })
  expect(result).toMatchObject({ status: 'final', output: { name: 'Rome' } })
  expect(result.status === 'final' && result.output).not.toHaveProperty('country')
  expect(formatOf(provider.requests[0]?.options)).toMatchObject({
    strict: true,
    schema: { required: ['name', 'country'], additionalProperties: false },
  })
})

test('infer sends a schema that has no strict form unchanged and without strict', async () => {
  const provider = createMock({ responses: ['{"a":1}'] })
  const outputSchema = z.record(z.string(), z.number())
  await infer(provider, { query: 'Numbers.', outputSchema, mode: 'native' })
  expect(formatOf(provider.requests[0]?.options)).toMatchObject({ type: 'json-schema' })
  expect(formatOf(provider.requests[0]?.options)).not.toHaveProperty('strict')
})

test('infer asks for less only if the server refused the format', async () => {
  const run = async (message: string) => {
    const provider = createMock({
      responses: [{ error: new LlmError('invalid-request', message) }, '{"name":"Rome"}'],
    })
    const result = await infer(provider, { query: 'A city.', outputSchema: city, mode: 'native' })
    return [result.status, provider.requests.length]
  }
  expect(await run('response_format is not supported')).toEqual(['final', 2])
  expect(await run('the image is too large')).toEqual(['failed', 1])
})

test('infer rejects two own tools of one name and maxCost without prices before any call', async () => {
  const provider = createMock({ responses: ['Hi'] })
  const tools = [tool('look'), tool('look')]
  await expect(infer(provider, { query: 'Hi', tools })).rejects.toThrow(
    'two tools are named "look"',
  )
  await expect(
    infer(provider, { query: 'Hi', limits: { budget: { maxCost: 1 } } }),
  ).rejects.toThrow(/maxCost needs a profile/)
  expect(() => {
    const reader = inferStream(provider, { query: 'Hi', tools })
    void reader.result().catch(() => undefined)
  }).toThrow('two tools are named "look"')
  expect(provider.requests).toEqual([])
})

test('infer sends the strict form next to tools where the vendor allows both', async () => {
  const formats = async (capabilities: ReturnType<typeof anthropic>) => {
    const provider = createMock({
      responses: [{ toolCalls: [{ name: 'look', arguments: {} }] }, '{"name":"Rome"}'],
    })
    const result = await infer(attachDescription(provider, { capabilities }), {
      query: 'A city.',
      outputSchema: city,
      tools: [tool('look')],
    })
    expect(result).toMatchObject({ status: 'final', output: { name: 'Rome' } })
    return provider.requests.map(({ options, tools }) => [tools.length, formatOf(options)?.type])
  }
  expect(await formats(anthropic({ model: 'claude-opus-5-5' }))).toEqual([
    [1, 'json-schema'],
    [1, 'json-schema'],
  ])
  expect(await formats(google({ model: 'gemini-3.8-flash' }))).toEqual([
    [1, undefined],
    [1, undefined],
  ])
})

test('infer never asks for JSON and for plain text at once, and has the server hold the second correction to the schema', async () => {
  const provider = createMock({ responses: ['It is Rome.', 'Rome, of course.', '{"name":"Rome"}'] })
  const result = await infer(provider, {
    query: 'A city.',
    outputSchema: city,
    mode: 'native',
    tools: [tool('look')],
  })
  expect(result).toMatchObject({ status: 'final', output: { name: 'Rome' } })
  const sent = provider.requests.map(({ messages, tools, options }) => ({
    last: messages.at(-1)?.content,
    tools: tools.length,
    format: formatOf(options)?.type,
  }))
  expect(sent).toMatchObject([
    { tools: 1, format: undefined },
    {
      last: expect.stringMatching(/as JSON that fits the schema, or call a tool\.$/) as string,
      tools: 1,
      format: undefined,
    },
    {
      last: expect.stringMatching(/as JSON that fits the schema\.$/) as string,
      tools: 0,
      format: 'json-schema',
    },
  ])
  for (const { last } of sent) expect(last).not.toMatch(/plain text/)
})

test('infer keeps the strict form for the bounds, formats and choices of common schemas', async () => {
  const outputSchema = z.object({
    count: z.int().min(1).max(9),
    any: z.int(),
    code: z.string().regex(/^[A-Z]{2}$/),
    mail: z.email(),
    tags: z.array(z.string()).min(1).max(3),
    shape: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('a'), note: z.string().optional() }),
      z.object({ kind: z.literal('b') }),
    ]),
  })
  const value = {
    count: 2,
    any: 1,
    code: 'IT',
    mail: 'a@example.com',
    tags: ['x'],
    shape: { kind: 'a', note: null },
  }
  const provider = createMock({ responses: [JSON.stringify(value)] })
  const result = await infer(provider, { query: 'One.', outputSchema, mode: 'native' })
  expect(result).toMatchObject({ status: 'final', output: { shape: { kind: 'a' } } })
  expect(result.details.warnings ?? []).toEqual([])
  const format = formatOf(provider.requests[0]?.options)
  expect(format).toMatchObject({
    strict: true,
    schema: {
      properties: {
        count: { type: 'integer', minimum: 1, maximum: 9 },
        any: { type: 'integer' },
        code: { type: 'string', pattern: '^[A-Z]{2}$' },
        mail: { type: 'string', format: 'email' },
        tags: { minItems: 1, maxItems: 3 },
        shape: { anyOf: [{ required: ['kind', 'note'] }, { required: ['kind'] }] },
      },
    },
  })
  expect(JSON.stringify(format)).not.toMatch(/oneOf|9007199254740991|\(\?!/)
})

test('infer counts a refused request in its metrics and warns of it', async () => {
  const refused = new ProviderError('invalid-request', 'response_format is not supported', {
    provider: 'mock',
    status: 400,
  })
  const provider = createMock({ responses: [{ error: refused }, '{"name":"Rome"}'] })
  const result = await infer(provider, { query: 'A city.', outputSchema: city, mode: 'native' })
  expect(result.metrics.calls).toMatchObject([
    { error: 'invalid-request', usage: { inputTokens: 0, outputTokens: 0 } },
    { usage: { outputTokens: expect.any(Number) as number } },
  ])
  expect(result.metrics.calls[1]).not.toHaveProperty('error')
  expect(result.details.warnings).toEqual([
    expect.stringMatching(/^the server refused the schema: .*response_format is not supported$/),
  ])
})

test('infer counts a request that failed for good', async () => {
  const provider = createMock({ responses: [{ error: new LlmError('auth', 'the key is wrong') }] })
  const result = await infer(provider, { query: 'Hi' })
  expect(result).toMatchObject({ status: 'failed', metrics: { calls: [{ error: 'auth' }] } })
})

test('infer does not ask for another format once one was accepted', async () => {
  const late = new LlmError('invalid-request', 'the JSON of a message is too large')
  const provider = createMock({ responses: ['not an object', { error: late }, '{"name":"Rome"}'] })
  const result = await infer(provider, { query: 'A city.', outputSchema: city, mode: 'native' })
  expect(result).toMatchObject({ status: 'failed', error: { code: 'invalid-request' } })
  expect(provider.requests).toHaveLength(2)
})

test('infer asks for less if the format is first sent in a later step and refused', async () => {
  const refused = new LlmError('invalid-request', 'response_format is not supported')
  const look = { toolCalls: [{ name: 'look', arguments: {} }] }
  const provider = createMock({ responses: [look, { error: refused }, '{"name":"Rome"}'] })
  const result = await infer(provider, {
    query: 'A city.',
    outputSchema: city,
    mode: 'native',
    tools: (step) => (step === 1 ? [tool('look')] : []),
  })
  expect(result).toMatchObject({ status: 'final', output: { name: 'Rome' } })
})

test('infer warns that a schema without a strict form is sent without it', async () => {
  const provider = createMock({ responses: ['{"a":1}'] })
  const outputSchema = z.record(z.string(), z.number())
  const result = await infer(provider, { query: 'Numbers.', outputSchema, mode: 'native' })
  expect(result.details.warnings).toEqual([
    expect.stringMatching(/^the schema is sent without "strict": it has /),
  ])
})

test('infer drops a tool of a source whose name is taken, and warns once', async () => {
  const look = { toolCalls: [{ name: 'look', arguments: {} }] }
  const provider = createMock({ responses: [look, 'Done.'] })
  const source = (name: string) => ({
    name,
    apiHosts: [],
    tools: () => Promise.resolve([tool('look'), tool(`${name}_only`)]),
    close: () => Promise.resolve(),
  })
  const result = await infer(provider, {
    query: 'Hi',
    tools: [tool('look')],
    sources: [source('files')],
  })
  expect(provider.requests[0]?.tools.map(({ name }) => name)).toEqual(['look', 'files_only'])
  expect(result.details.warnings).toEqual([
    'the tool "look" of "files" was dropped: another tool has this name',
  ])
})
