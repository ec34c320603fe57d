import type { JsonObject } from '@modelport/core'
import { createMock } from '@modelport/provider-mock'
import { describe, expect, expectTypeOf, test } from 'vitest'
import {
  ConversationHistory,
  callAction,
  compact,
  defineTool,
  infer,
  type Tool,
} from '../src/index.js'

const base = { name: 'book', description: 'Books a seat' }

describe('the settings of defineTool', () => {
  test('the settings of defineTool say how a call may be repeated', async () => {
    const context = {
      run: { runId: 'r', idempotencyKey: 'r/1/0' },
      signal: new AbortController().signal,
    }
    const tool = defineTool({
      ...base,
      parameters: { seat: { type: 'string', required: true } },
      execute: ({ seat }) => `booked ${seat}`,
      idempotent: false,
      readOnly: true,
      reconcile: ({ seat }, { run }) => ({
        outcome: 'executed',
        result: `${seat} for ${run.runId}`,
      }),
    })
    expect(tool).toMatchObject({ idempotent: false, readOnly: true })
    expect(await tool.reconcile?.({ seat: '1A' }, context)).toEqual({
      outcome: 'executed',
      result: '1A for r',
    })
    expect(Object.keys(defineTool({ ...base, execute: () => 1 }))).toEqual([
      'definition',
      'validate',
      'execute',
    ])
  })

  test.each<[object, string]>([
    [{ idempotend: true }, 'defineTool: unknown setting "idempotend"; did you mean "idempotent"?'],
    [{ timeout: 5 }, 'defineTool: unknown setting "timeout"; did you mean "timeoutMs"?'],
    [{ inputSchema: {} }, 'defineTool: unknown setting "inputSchema"; did you mean "parameters"?'],
    [
      { colour: 'red' },
      'defineTool: unknown setting "colour"; known: name, description, parameters, execute',
    ],
  ])('the settings of defineTool are refused if nothing reads them: %j', (more, message) => {
    expect(() => defineTool({ ...base, execute: () => 1, ...more })).toThrow(TypeError)
    expect(() => defineTool({ ...base, execute: () => 1, ...more })).toThrow(message)
  })

  test('the settings of defineTool may be added to a ready tool, with fields of the application', async () => {
    const tool: Tool & { icon: string } = {
      ...defineTool({ ...base, execute: () => 1 }),
      idempotent: true,
      icon: 'x',
    }
    const provider = createMock({
      responses: [{ toolCalls: [{ name: 'book', arguments: {} }] }, 'Done.'],
    })
    expect(await infer(provider, { query: 'Book.', tools: [tool] })).toMatchObject({
      status: 'final',
      text: 'Done.',
    })
  })
})

describe('the arguments of execute', () => {
  test('the arguments of execute have the types of a literal JSON Schema', () => {
    defineTool({
      ...base,
      parameters: {
        type: 'object',
        properties: {
          city: { type: 'string' },
          unit: { enum: ['c', 'f'] },
          days: { type: ['integer', 'null'] },
          tags: { type: 'array', items: { type: 'string' } },
          place: { type: 'object', properties: { zip: { type: 'integer', required: true } } },
          size: { anyOf: [{ type: 'number' }, { const: 'auto' }] },
          more: { $ref: '#/properties/city' },
        },
        required: ['city', 'unit'],
      },
      execute: (args) => {
        expectTypeOf(args).toEqualTypeOf<{
          readonly city: string
          readonly unit: 'c' | 'f'
          readonly days?: number | null
          readonly tags?: string[]
          readonly place?: { readonly zip: number }
          readonly size?: number | 'auto'
          readonly more?: unknown
        }>()
        return args.city
      },
    })
  })

  test('the arguments of execute have the types of a flat map', () => {
    defineTool({
      ...base,
      parameters: {
        city: { type: 'str', required: true },
        days: { type: 'int' },
        tags: { type: 'list' },
      },
      execute: (args) => {
        expectTypeOf(args).toEqualTypeOf<{
          readonly city: string
          readonly days?: number
          readonly tags?: string[]
        }>()
        return args.city
      },
    })
  })

  test('the arguments of execute are any JSON object if the schema is not a literal, or there is none', () => {
    const parameters: JsonObject = { type: 'object' }
    defineTool({
      ...base,
      parameters,
      execute: (args) => expectTypeOf(args).toEqualTypeOf<JsonObject>(),
    })
    defineTool({
      ...base,
      parameters: { type: 'object' },
      execute: (a) => expectTypeOf(a).toEqualTypeOf<JsonObject>(),
    })
    defineTool({ ...base, execute: (args) => expectTypeOf(args).toEqualTypeOf<JsonObject>() })
  })
})

describe('a request', () => {
  const provider = createMock({ responses: ['Hi.'] })

  test.each<[object, string]>([
    [{ maxTokens: 5 }, 'infer: unknown setting "maxTokens"; set options.maxTokens'],
    [{ maxOutputTokens: 5 }, 'infer: unknown setting "maxOutputTokens"; set options.maxTokens'],
    [{ maxSteps: 5 }, 'infer: unknown setting "maxSteps"; set limits.maxSteps'],
    [{ message: [] }, 'infer: unknown setting "message"; did you mean "messages"?'],
  ])('a request is refused if nothing reads a field of it: %j', async (more, message) => {
    await expect(infer(provider, { query: 'Hi', ...more })).rejects.toThrow(new TypeError(message))
  })

  test('a request is refused by callAction too', async () => {
    const request = { messages: [{ role: 'user', content: 'Hi' }], tool: [] } as const
    await expect(callAction(provider, request)).rejects.toThrow(
      'callAction: unknown setting "tool"; did you mean "tools"?',
    )
  })
})

test('compact needs no estimate', async () => {
  const history = new ConversationHistory()
  for (const content of ['a', 'b', 'c']) history.add({ role: 'user', content })
  expect(await compact(history, { strategy: 'recent', maxMessages: 2 })).toMatchObject({
    removedMessages: 1,
  })
  expect(history.toList().map(({ content }) => content)).toEqual(['b', 'c'])
})
