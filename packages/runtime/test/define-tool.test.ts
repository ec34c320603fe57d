import { isLlmError, type JsonObject } from '@modelport/core'
import { defineTool, type ToolContext } from '@modelport/runtime'
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import * as v from 'valibot'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import * as mini from 'zod/mini'
import { z as z3 } from 'zod/v3'

const context: ToolContext = {
  callId: 'call_1',
  step: 1,
  signal: new AbortController().signal,
  run: { runId: 'run', idempotencyKey: 'run/1/0' },
}
const base = { name: 'get_weather', description: 'The weather in a city' }
const codeOf = (make: () => unknown): string => {
  try {
    make()
    return 'made'
  } catch (error) {
    return isLlmError(error) ? `${error.code}: ${error.message}` : String(error)
  }
}

describe('a tool from zod', () => {
  const parameters = z.object({
    city: z.string().min(2),
    unit: z.enum(['c', 'f']).default('c'),
    days: z.coerce.number().int().optional(),
  })
  const tool = defineTool({
    ...base,
    parameters,
    execute: (args) => {
      expectTypeOf(args).toEqualTypeOf<z.output<typeof parameters>>()
      return args
    },
  })

  test('a tool from zod shows the model what goes in', () => {
    expect(tool.definition).toMatchObject({
      ...base,
      parameters: {
        type: 'object',
        properties: { city: { type: 'string', minLength: 2 } },
        required: ['city'],
      },
    })
    expect(tool.definition.parameters).not.toHaveProperty('$schema')
  })

  test('a tool from zod executes with what comes out', async () => {
    const validated = await tool.validate({ city: 'Rome', days: '3', extra: true })
    expect(validated).toEqual({ ok: true, value: { city: 'Rome', unit: 'c', days: 3 } })
    expect(tool.execute({ city: 'Rome', unit: 'c' }, context)).toEqual({ city: 'Rome', unit: 'c' })
  })

  test('a tool from zod says what is wrong and where', async () => {
    expect(await tool.validate({ city: 'R', unit: 'k' })).toEqual({
      ok: false,
      message: expect.stringMatching(/^city: Too small.*; unit: Invalid option/),
    })
  })

  test('zod mini, asynchronous refinements and unions are schemas too', async () => {
    const slow = defineTool({
      ...base,
      parameters: z.object({ a: z.string().refine(async (text) => text === 'yes', 'must be yes') }),
      execute: () => 1,
    })
    expect(await slow.validate({ a: 'no' })).toEqual({ ok: false, message: 'a: must be yes' })
    expect((await slow.validate({ a: 'yes' })).ok).toBe(true)
    expect(
      defineTool({ ...base, parameters: mini.object({ a: mini.string() }), execute: () => 1 })
        .definition.parameters,
    ).toMatchObject({ properties: { a: { type: 'string' } } })
    const union = z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('a') }),
      z.object({ kind: z.literal('b'), n: z.number() }),
    ])
    expect(
      defineTool({ ...base, parameters: union, execute: () => 1 }).definition.parameters,
    ).toMatchObject({
      type: 'object',
    })
  })

  test('what cannot be shown to a model is refused', () => {
    expect(
      codeOf(() =>
        defineTool({ ...base, parameters: z.object({ at: z.date() }), execute: () => 1 }),
      ),
    ).toMatch(/^config: .*get_weather.*zod.*Date/)
    expect(codeOf(() => defineTool({ ...base, parameters: z.string(), execute: () => 1 }))).toMatch(
      /^config: .*an object, not "string"/,
    )
    expect(
      codeOf(() => defineTool({ ...base, parameters: z3.object({}), execute: () => 1 })),
    ).toMatch(/^config: .*zod 3 .*import \{ z \} from 'zod\/v4'/)
  })
})

describe('a tool from another library', () => {
  test('a tool from another library is shown to the model by the conversion of the library', async () => {
    const parameters = toStandardJsonSchema(v.object({ city: v.string() }))
    const tool = defineTool({ ...base, parameters, execute: (args) => args.city })
    expect(tool.definition.parameters).toMatchObject({
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
    })
    expect(await tool.validate({ city: 1 })).toMatchObject({
      ok: false,
      message: expect.stringMatching(/^city: /),
    })
    expect(await tool.validate({ city: 'Rome' })).toEqual({ ok: true, value: { city: 'Rome' } })
  })

  test('a tool from a library without a conversion says what to do', () => {
    expect(
      codeOf(() =>
        defineTool({ ...base, parameters: v.object({ city: v.string() }), execute: () => 1 }),
      ),
    ).toMatch(/^config: .*valibot.*pass a JSON Schema/)
  })
})

describe('a tool from JSON Schema', () => {
  const parameters = {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
  }

  test('a tool from JSON Schema is checked by it', async () => {
    const tool = defineTool({
      ...base,
      parameters,
      strict: true,
      vendor: { defer_loading: true },
      exclusive: true,
      timeoutMs: 5,
      execute: (args) => {
        expectTypeOf(args).toEqualTypeOf<JsonObject>()
        return args
      },
    })
    const definition = { ...base, parameters, strict: true, vendor: { defer_loading: true } }
    expect(tool).toMatchObject({ definition, exclusive: true, timeoutMs: 5 })
    expect(await tool.validate({})).toEqual({
      ok: false,
      message: 'Instance does not have required property "city".',
    })
    expect(await tool.validate({ city: 'Rome', more: 1 })).toEqual({
      ok: true,
      value: { city: 'Rome', more: 1 },
    })
  })

  test('a tool from JSON Schema is of an object, also where it does not say so', () => {
    expect(
      defineTool({ ...base, parameters: { properties: {} }, execute: () => 1 }).definition
        .parameters,
    ).toEqual({
      type: 'object',
      properties: {},
    })
    expect(
      codeOf(() => defineTool({ ...base, parameters: { type: 'array' }, execute: () => 1 })),
    ).toMatch(/^config: .*not "array"/)
    expect(
      codeOf(() => defineTool({ ...base, parameters: [] as never, execute: () => 1 })),
    ).toMatch(/^config: /)
    expect(
      codeOf(() =>
        defineTool({
          ...base,
          parameters: { properties: { a: { $dynamicRef: '#a' } } },
          execute: () => 1,
        }),
      ),
    ).toMatch(/^unsupported: tool "get_weather": parameters: "\$dynamicRef"/)
  })

  test('a tool from JSON Schema is read in its own dialect, which the model is not told', async () => {
    const tool = defineTool({
      ...base,
      parameters: {
        $schema: 'http://json-schema.org/draft-07/schema#',
        properties: { a: { items: [{ type: 'string' }] } },
      },
      execute: () => 1,
    })
    expect(tool.definition.parameters).toEqual({
      type: 'object',
      properties: { a: { items: [{ type: 'string' }] } },
    })
    expect(await tool.validate({ a: [1] })).toMatchObject({ ok: false })
    expect(await tool.validate({ a: ['x', 1] })).toMatchObject({ ok: true })
  })

  test.each<[string, JsonObject, JsonObject]>([
    [
      'a flat map',
      {
        location: { type: 'string', description: 'Where', required: true },
        days: { type: 'integer', required: false },
      },
      {
        type: 'object',
        properties: {
          location: { type: 'string', description: 'Where' },
          days: { type: 'integer' },
        },
        required: ['location'],
      },
    ],
    [
      'a flat map with the type names of Xaibo',
      {
        items: { type: 'list', description: 'Which', required: true },
        counts: { type: 'list', items: { type: 'integer' } },
        many: { type: 'int', default: 1 },
        where: { type: 'dict' },
      },
      {
        type: 'object',
        properties: {
          items: { type: 'array', items: { type: 'string' }, description: 'Which' },
          counts: { type: 'array', items: { type: 'integer' } },
          many: { type: 'integer', default: 1 },
          where: { type: 'object' },
        },
        required: ['items'],
      },
    ],
    [
      'a flat map with a parameter named "type"',
      { type: { type: 'string', enum: ['a', 'b'] } },
      { type: 'object', properties: { type: { type: 'string', enum: ['a', 'b'] } } },
    ],
    [
      'a flat map with required properties further down',
      {
        place: {
          type: 'object',
          properties: { city: { type: 'string', required: true } },
          required: true,
        },
        stops: {
          type: 'array',
          items: { type: 'object', properties: { at: { type: 'string', required: true } } },
        },
      },
      {
        type: 'object',
        properties: {
          place: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
          stops: {
            type: 'array',
            items: { type: 'object', properties: { at: { type: 'string' } }, required: ['at'] },
          },
        },
        required: ['place'],
      },
    ],
    [
      'a JSON Schema with "required: true" on a property',
      {
        type: 'object',
        properties: {
          city: { type: 'string', required: true },
          required: { type: 'boolean', required: false },
        },
        required: ['day'],
      },
      {
        type: 'object',
        properties: { city: { type: 'string' }, required: { type: 'boolean' } },
        required: ['day', 'city'],
      },
    ],
    [
      'a JSON Schema of a record',
      { additionalProperties: { type: 'string' } },
      { type: 'object', additionalProperties: { type: 'string' } },
    ],
    [
      'a JSON Schema with properties alone',
      { properties: { type: { type: 'string' } } },
      { type: 'object', properties: { type: { type: 'string' } } },
    ],
  ])('a tool from JSON Schema shows the model the schema of %s', (_name, parameters, expected) => {
    expect(defineTool({ ...base, parameters, execute: () => 1 }).definition.parameters).toEqual(
      expected,
    )
  })

  test('a tool from JSON Schema checks the arguments of a flat map', async () => {
    const parameters = { location: { type: 'string', required: true } }
    const tool = defineTool({ ...base, parameters, execute: () => 1 })
    expect(await tool.validate({})).toMatchObject({ ok: false })
    expect(await tool.validate({ location: 'Rome' })).toMatchObject({ ok: true })
  })

  test.each([
    { location: { type: 'text' } },
    { type: 'object', properties: { location: { type: 'list' } } },
    { type: 'object', properties: { location: { type: ['string', 'none'] } } },
  ])(
    'a tool from JSON Schema refuses %j, which has a type that JSON Schema does not have',
    (parameters) => {
      expect(codeOf(() => defineTool({ ...base, parameters, execute: () => 1 }))).toMatch(
        /^config: .*#\/properties\/location.* is not one of string, integer/,
      )
    },
  )

  test.each([{ location: 'string' }, { location: { description: 'no type' } }, { type: { a: 1 } }])(
    'a tool from JSON Schema refuses %j, which is neither a schema nor a flat map',
    (parameters) => {
      expect(codeOf(() => defineTool({ ...base, parameters, execute: () => 1 }))).toMatch(
        /^config: .*parameters/,
      )
    },
  )

  test('a tool without a schema has no arguments', async () => {
    const tool = defineTool({ ...base, execute: () => 1 })
    expect(tool.definition).toEqual(base)
    expect(await tool.validate({})).toEqual({ ok: true, value: {} })
    expect((await tool.validate({ a: 1 })).ok).toBe(false)
  })

  test('names and times are checked', () => {
    for (const name of ['', 'a b', 'x'.repeat(65), 'schön'])
      expect(codeOf(() => defineTool({ ...base, name, execute: () => 1 }))).toMatch(
        /^config: tool name/,
      )
    for (const timeoutMs of [0, -1, Number.NaN])
      expect(codeOf(() => defineTool({ ...base, timeoutMs, execute: () => 1 }))).toMatch(
        /^config: .*timeoutMs/,
      )
  })
})
