import { attachDescription, type CallOptions, type JsonObject, LlmError } from '@modelport/core'
import { createMock, type MockProvider, type MockResponse } from '@modelport/provider-mock'
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import * as v from 'valibot'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { generateObject, infer, ObjectError, streamObject } from '../src/index.js'
import type { PartialObject } from '../src/output/stream-object.js'
import { toStrictSchema } from '../src/output/strict-schema.js'

const city = z.object({
  name: z.string(),
  population: z.number().optional(),
  tags: z.array(z.string()).default([]),
})
const mock = (...responses: MockResponse[]): MockProvider =>
  createMock({ responses, defaults: { retry: { attempts: 1 } } })
const formatOf = ({ responseFormat }: CallOptions) => responseFormat

describe('generateObject', () => {
  test('generateObject gives a typed object, and asks for it in the strict form', async () => {
    const provider = mock('{"name":"Rome","population":null,"tags":null}')
    const { object, calls, warnings } = await generateObject(provider, {
      schema: city,
      prompt: 'A city.',
    })
    expectTypeOf(object).toEqualTypeOf<{
      name: string
      population?: number | undefined
      tags: string[]
    }>()
    expect(object).toEqual({ name: 'Rome', tags: [] })
    expect([calls, warnings]).toEqual([1, []])
    expect(formatOf(provider.requests[0]?.options ?? {})).toEqual({
      type: 'json-schema',
      name: 'answer',
      strict: true,
      schema: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          population: { type: ['number', 'null'] },
          tags: { type: ['array', 'null'], items: { type: 'string' } },
        },
        required: ['name', 'population', 'tags'],
        additionalProperties: false,
      },
    })
  })

  test('generateObject takes a schema of another library, and a JSON Schema', async () => {
    const schema = toStandardJsonSchema(v.object({ name: v.string() }))
    expect(
      (await generateObject(mock('{"name":"Rome"}'), { schema, prompt: 'A city.' })).object,
    ).toEqual({
      name: 'Rome',
    })
    const json: JsonObject = { type: 'object', additionalProperties: { type: 'number' } }
    const { object, warnings } = await generateObject(mock('{"a":1}'), {
      schema: json,
      prompt: 'Numbers.',
    })
    expect(object).toEqual({ a: 1 })
    expect(warnings).toEqual([
      'the schema is sent without "strict": it has an object with any properties (at #)',
    ])
  })

  test('generateObject sends a reply that does not fit back, and counts every request', async () => {
    const provider = mock('{"name":1}', 'no JSON', '{"name":"Rome"}')
    const { calls, generations, usage } = await generateObject(provider, {
      schema: city,
      prompt: 'A city.',
    })
    expect([calls, generations.length, usage.turns.length]).toEqual([3, 3, 3])
    expect(provider.requests[1]?.messages.at(-1)?.content).toContain('name: ')
  })

  test('generateObject fails with the last reply if none fits', async () => {
    const work = generateObject(mock('{}', '{}'), {
      schema: city,
      prompt: 'A city.',
      maxAttempts: 2,
    })
    await expect(work).rejects.toThrow(ObjectError)
    await expect(work).rejects.toMatchObject({
      code: 'protocol',
      text: '{}',
      usage: { reported: true },
    })
  })

  test('generateObject reports a schema that the server refuses, and asks for it in words', async () => {
    const refusal = new LlmError('invalid-request', 'response_format is not supported')
    const provider = mock({ error: refusal }, { error: refusal }, '{"name":"Rome"}')
    const { calls, warnings } = await generateObject(provider, { schema: city, prompt: 'A city.' })
    expect(calls).toBe(3)
    expect(warnings).toHaveLength(2)
    expect(warnings[0]).toMatch(/^the server refused the schema: .*response_format/)
    expect(provider.requests.map(({ options }) => formatOf(options)?.type)).toEqual([
      'json-schema',
      'json',
      undefined,
    ])
    expect(provider.requests[2]?.options.system).toContain('JSON Schema')
  })

  test('generateObject does not repeat a request that was refused for another reason', async () => {
    const provider = mock(
      { error: new LlmError('invalid-request', 'temperature is too high') },
      '{"name":"Rome"}',
    )
    await expect(generateObject(provider, { schema: city, prompt: 'A city.' })).rejects.toThrow(
      'temperature',
    )
    expect(provider.requests).toHaveLength(1)
  })

  test('generateObject does not ask for a schema where the provider says that it has none', async () => {
    const known = (supported: boolean) => ({ supported, source: 'test' })
    const capabilities = Object.fromEntries(
      ['tools', 'parallelTools', 'images', 'schema', 'logprobs', 'reasoning', 'embeddings'].map(
        (name) => [name, known(name !== 'schema')],
      ),
    ) as never
    const provider = attachDescription(mock('{"name":"Rome"}'), { capabilities })
    await generateObject(provider, { schema: city, prompt: 'A city.' })
    expect(formatOf(provider.requests[0]?.options ?? {})).toEqual({ type: 'json' })
  })
})

describe('streamObject', () => {
  test('streamObject gives the object as it grows, and the checked one in the end', async () => {
    const provider = mock({ text: ['{"name":"Ro', 'me","tags":["a', '"]}'] })
    const reader = await streamObject(provider, { schema: city, prompt: 'A city.' })
    const seen: PartialObject<z.output<typeof city>>[] = []
    for await (const one of reader) seen.push(one)
    expect(seen).toEqual([
      { name: 'Ro' },
      { name: 'Rome', tags: ['a'] },
      { name: 'Rome', tags: ['a'] },
    ])
    expect((await reader.result()).object).toEqual({ name: 'Rome', tags: ['a'] })
  })

  test('streamObject rejects the result if the reply does not fit or the reader was closed', async () => {
    const wrong = await streamObject(mock('{"name":1}'), { schema: city, prompt: 'A city.' })
    await expect(wrong.result()).rejects.toThrow(ObjectError)
    const closed = await streamObject(mock('{"name":"Rome"}'), { schema: city, prompt: 'A city.' })
    await closed.close()
    await expect(closed.result()).rejects.toThrow('the reader was closed')
  })
})

describe('the strict form of a schema', () => {
  test.each<[string, JsonObject, unknown, unknown]>([
    [
      'nested objects, lists and references',
      {
        type: 'object',
        properties: { list: { type: 'array', items: { $ref: '#/$defs/item' } } },
        $defs: {
          item: {
            type: 'object',
            properties: { a: { type: 'string' }, b: { $ref: '#/$defs/item' } },
          },
        },
      },
      { list: [{ a: null, b: { a: 'x', b: null } }] },
      { list: [{ b: { a: 'x' } }] },
    ],
    [
      'a property that may be null anyway',
      { type: 'object', properties: { a: { type: ['string', 'null'] } } },
      { a: null },
      { a: null },
    ],
    [
      'a choice',
      {
        type: 'object',
        properties: {
          one: {
            anyOf: [
              {
                type: 'object',
                properties: { kind: { const: 'a' }, x: { type: 'string' } },
                required: ['kind'],
              },
              {
                type: 'object',
                properties: { kind: { const: 'b' }, x: { type: 'null' } },
                required: ['kind'],
              },
            ],
          },
        },
        required: ['one'],
      },
      { one: { kind: 'a', x: null } },
      { one: { kind: 'a' } },
    ],
  ])(
    'the strict form of a schema drops the nulls it added: %s',
    (_name, schema, reply, expected) => {
      const strict = toStrictSchema(schema)
      expect('schema' in strict && strict.dropAddedNulls(reply)).toEqual(expected)
    },
  )

  test('the strict form of a schema keeps lengths of texts, which not each vendor can hold', () => {
    const name = { type: 'string', minLength: 2, maxLength: 9 }
    const schema = { type: 'object', properties: { name }, required: ['name'] }
    expect(toStrictSchema(schema)).toMatchObject({ schema: { properties: { name } } })
  })

  test.each<[JsonObject, string]>([
    [
      { type: 'object', properties: { a: { type: 'array', uniqueItems: true } } },
      '"uniqueItems" (at #/properties/a)',
    ],
    [
      { type: 'object', properties: { a: { type: 'object' } } },
      'an object with any properties (at #/properties/a)',
    ],
    [{ type: 'object', properties: { a: { allOf: [] } } }, '"allOf" (at #/properties/a)'],
  ])(
    'the strict form of a schema is not used where it would lose something: %j',
    (schema, reason) => {
      expect(toStrictSchema(schema)).toEqual({ reason })
    },
  )
})

test('the output of infer has the type of its schema', async () => {
  const result = await infer(mock('{"name":"Rome"}'), { query: 'A city.', outputSchema: city })
  if (result.status !== 'final') throw new Error(result.status)
  expectTypeOf(result.output).toEqualTypeOf<z.output<typeof city>>()
  expect(result.output).toEqual({ name: 'Rome', tags: [] })
})

describe('the fields of a request for an object', () => {
  test.each<[request: object, hint: string]>([
    [{ shema: city }, 'unknown setting "shema"; did you mean "schema"?'],
    [{ maxattempts: 1 }, 'unknown setting "maxattempts"; '],
    [{ query: 'A city.' }, 'unknown setting "query"; did you mean "prompt"?'],
    [{ maxTokens: 5 }, 'unknown setting "maxTokens"; set options.maxTokens'],
    [{ temperature: 0 }, 'unknown setting "temperature"; set options.temperature'],
    [{ system: 'Be brief.' }, 'unknown setting "system"; set options.system'],
    [{ signal: AbortSignal.abort() }, 'unknown setting "signal"; set options.signal'],
    [{ tools: [] }, 'unknown setting "tools"; set options.tools'],
    [{ limits: {} }, 'unknown setting "limits"; known: schema, prompt, messages, options'],
    [
      { options: { maxtokens: 5 } },
      'options: unknown setting "maxtokens"; did you mean "maxTokens"?',
    ],
  ])(
    'generateObject and streamObject refuse %j before anything is sent, and say where it goes',
    async (more, hint) => {
      const provider = mock('{"name":"Rome"}')
      const request = { ...('shema' in more ? {} : { schema: city }), prompt: 'A city.', ...more }
      for (const [name, ask] of Object.entries({ generateObject, streamObject })) {
        const work = (ask as (...given: unknown[]) => Promise<unknown>)(provider, request)
        await expect(work).rejects.toThrow(TypeError)
        await expect(work).rejects.toThrow(`${name}: ${hint}`)
      }
      expect(provider.requests).toEqual([])
    },
  )

  test('streamObject refuses maxAttempts, because it never asks again', async () => {
    const request = { schema: city, prompt: 'A city.', maxAttempts: 2 }
    await expect(streamObject(mock('{"name":"Rome"}'), request)).rejects.toThrow(
      'streamObject: unknown setting "maxAttempts"; known: schema, prompt, messages, options',
    )
  })
})
