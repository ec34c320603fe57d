import {
  createMemoryServer,
  openaiChat,
  toReply,
  VirtualClock,
  type WireFormat,
} from '@modelport/conformance'
import { isLlmError, type Provider, type ToolCall } from '@modelport/core'
import { createAnthropic } from '@modelport/provider-anthropic'
import { createOpenAI } from '@modelport/provider-openai'
import { defineTool, executeBatch, type ToolOutcome } from '@modelport/runtime'
import { anthropicMessages, openaiResponses } from '@modelport/test-formats'
import { describe, expect, test } from 'vitest'
import { jsonTexts } from '../../../test/support/json-texts.js'

const executed: unknown[] = []
/**
 * Takes any object but an empty one: no arguments at all are an empty object, which is right and
 * not asked for here.
 */
const tool = defineTool({
  name: 'remember',
  description: 'Remembers anything',
  parameters: { type: 'object', minProperties: 1 },
  execute: (args) => executed.push(args),
})

async function execute(calls: readonly ToolCall[]): Promise<readonly ToolOutcome[]> {
  const outcomes: ToolOutcome[] = []
  await executeBatch(calls, {
    tools: [tool],
    step: 1,
    onResult: (_, __, outcome) => outcomes.push(outcome),
  })
  return outcomes
}

const wires: readonly {
  readonly name: string
  readonly format: WireFormat
  create(fetch: ReturnType<typeof createMemoryServer>['fetch']): Provider
}[] = [
  {
    name: 'chat',
    format: openaiChat,
    create: (fetch) =>
      createOpenAI({ model: 'gpt-4.1', api: 'chat', apiKey: 'key-0123456789', fetch }),
  },
  {
    name: 'responses',
    format: openaiResponses,
    create: (fetch) => createOpenAI({ model: 'gpt-5.4', apiKey: 'key-0123456789', fetch }),
  },
  {
    name: 'messages',
    format: anthropicMessages,
    create: (fetch) =>
      createAnthropic({ model: 'claude-sonnet-4-5', apiKey: 'key-0123456789', fetch }),
  },
]

/**
 * Lets a model call the tool with each text over the wire; the outcomes, or the code of the
 * stream's error.
 */
async function overTheWire(
  wire: (typeof wires)[number],
  texts: readonly string[],
): Promise<(readonly ToolOutcome[] | string)[]> {
  const usage = { inputTokens: 1, outputTokens: 1 }
  const server = createMemoryServer(
    () => (request, index) => {
      const toolCalls = [
        { id: `call_${index}`, name: 'remember', arguments: {}, argumentsText: texts[index] ?? '' },
      ]
      return toReply(wire.format.respond({ toolCalls, finish: 'tool-calls', usage }, request))
    },
    new VirtualClock(),
  )
  const provider = wire.create(server.fetch)
  const results: (readonly ToolOutcome[] | string)[] = []
  for (const _ of texts) {
    const calls: ToolCall[] = []
    try {
      const reader = await provider.streamWithTools(
        [{ role: 'user', content: 'Go' }],
        [tool.definition],
        {
          retry: { attempts: 1 },
        },
      )
      for await (const event of reader)
        if (event.type === 'tool-call-complete') calls.push(event.toolCall)
      results.push(await execute(calls))
    } catch (error) {
      results.push(isLlmError(error) ? error.code : String(error))
    }
  }
  return results
}

describe.each(wires)('arguments over the wire of $name', (wire) => {
  test('a run never executes a call whose arguments are not JSON', async () => {
    const malformed = jsonTexts.filter(({ isJson, text }) => isJson === false && text.trim() !== '')
    expect(malformed.length).toBeGreaterThan(170)
    executed.length = 0
    const results = await overTheWire(
      wire,
      malformed.map(({ text }) => text),
    )
    expect(executed).toEqual([])
    for (const [index, result] of results.entries()) {
      const what = typeof result === 'string' ? result : result.map(({ status }) => status).join()
      expect(what, malformed[index]?.name).toMatch(/^(invalid-arguments|limit-exceeded)$/)
    }
  })

  test('every text that is a JSON object is executed as it stands', async () => {
    const texts = jsonTexts
      .filter(
        ({ name, text }) => name.startsWith('y_object') && Object.keys(JSON.parse(text)).length,
      )
      .map(({ text }) => text)
    executed.length = 0
    await overTheWire(wire, texts)
    expect(executed).toEqual(texts.map((text) => JSON.parse(text) as unknown))
    expect(executed.length).toBeGreaterThan(5)
  })

  test('a text cut at any place is never executed', async () => {
    const text = '{"path":"a\\"b","list":[1,-2.5e3,{"x":"é😀"},null,true]}'
    executed.length = 0
    await overTheWire(
      wire,
      Array.from({ length: text.length }, (_, length) => text.slice(0, length)),
    )
    expect(executed).toEqual([])
    await overTheWire(wire, [text])
    expect(executed).toEqual([JSON.parse(text)])
  })
})

describe('arguments that reach the executor all the same', () => {
  const nested = (depth: number): Record<string, unknown> => {
    let value: Record<string, unknown> = { end: 1 }
    for (let level = 1; level < depth; level++) value = level % 2 ? { a: value } : { a: [value][0] }
    return value
  }
  const circle: Record<string, unknown> = {}
  circle['self'] = circle
  const parse = (text: string) => JSON.parse(text) as Record<string, unknown>
  const deepList = `${'['.repeat(200_000)}${']'.repeat(200_000)}`

  test.each<[string, Record<string, unknown>]>([
    ['__proto__', parse('{"__proto__":{"polluted":1}}')],
    ['__proto__ deep inside', parse('{"a":[{"b":{"__proto__":1}}]}')],
    ['__proto__ by an escape', parse('{"\\u005f_proto__":{"polluted":1}}')],
    ['constructor.prototype', parse('{"a":{"constructor":{"prototype":{"polluted":1}}}}')],
    ['nested 129 deep', nested(129)],
    ['nested 1,000,000 deep', nested(1_000_000)],
    ['a list 200,000 deep', { a: JSON.parse(deepList) as unknown }],
    [
      '1,000,000 keys',
      Object.fromEntries(Array.from({ length: 1_000_000 }, (_, index) => [`k${index}`, 1])),
    ],
    ['1,048,577 items', { a: new Array(1_048_577).fill(0) }],
    ['a text of 100 MB', { a: 'x'.repeat(100_000_000) }],
    ['a circle', circle],
    ['no object', ['a'] as unknown as Record<string, unknown>],
    ['nothing', null as unknown as Record<string, unknown>],
    ['a function', { a: () => 1 }],
  ])('arguments that reach the executor all the same are refused: %s', async (_, args) => {
    executed.length = 0
    // Only what never was a text has none.
    const argumentsText =
      typeof args === 'object' && Object.keys(Object(args)).length > 1 ? JSON.stringify(args) : ''
    const outcomes = await execute([{ id: 'a', name: 'remember', arguments: args, argumentsText }])
    expect(outcomes.map(({ status }) => status)).toEqual(['invalid-arguments'])
    expect(executed).toEqual([])
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })

  test('a text larger than 1 MiB is refused, whatever was made of it', async () => {
    executed.length = 0
    await execute([
      {
        id: 'a',
        name: 'remember',
        arguments: { a: 1 },
        argumentsText: ' '.repeat(1024 * 1024 + 1),
      },
    ])
    expect(executed).toEqual([])
  })

  test('what is just within the limits is executed', async () => {
    executed.length = 0
    const cases = [
      nested(128),
      { a: 'x'.repeat(1_048_000) },
      { a: new Array(50_000).fill(0) },
      { constructor: 'x', prototype: 1 },
      { toString: 1, hasOwnProperty: null },
    ]
    for (const args of cases)
      await execute([{ id: 'a', name: 'remember', arguments: args, argumentsText: '' }])
    expect(executed).toEqual(cases)
    expect(Object.assign({}, executed[3])).toEqual({ constructor: 'x', prototype: 1 })
  })
})
