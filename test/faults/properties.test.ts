import { scripts } from '@modelport/conformance'
import {
  addUsage,
  type ChatMessage,
  fromJson,
  isLlmError,
  mergeGenerations,
  mergeOptions,
  parseBaseUrl,
  type StreamEvent,
  type TokenCounts,
  type ToolMessage,
  toJson,
  toUsage,
} from '@modelport/core'
import { describe, expect, test } from 'vitest'
import { normalizeHistory } from '../../packages/driver/src/turn/history.js'
import { fc } from '../support/fast-check.js'
import { atSize, reportFault } from '../support/faults.js'
import { answerTo, once, question, targets, tools } from './targets.js'

const runs = atSize(100, 3000)
/** Text with everything a string may hold, halves of surrogate pairs too. */
const text = fc.string({
  unit: fc.oneof(
    fc.constantFrom('a', '"', '\\', '\n', '\0', '\ud83d', '\ude00', '👩‍🚀', '__proto__', 'lc'),
    fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
  ),
  maxLength: 20,
})

const count = fc.nat({ max: 1e6 })
const counts: fc.Arbitrary<TokenCounts> = fc.record({
  inputTokens: count,
  outputTokens: count,
  cacheReadTokens: count,
  cacheCreationTokens: count,
  reasoningTokens: count,
})

/** How often a property is tried, noted for the table. */
function cases(name: string): { readonly numRuns: number } {
  reportFault('properties', { [`cases of ${name}`]: runs })
  return { numRuns: runs }
}

describe('usage', () => {
  const usage = fc.array(counts, { maxLength: 5 }).map((turns) => toUsage(turns))

  test('adding is associative, totals are the sum of the turns, and nothing is lost', () =>
    fc.assert(
      fc.property(usage, usage, usage, (a, b, c) => {
        const left = addUsage(addUsage(a, b), c)
        expect(left).toEqual(addUsage(a, addUsage(b, c)))
        expect(left.turns).toEqual([...a.turns, ...b.turns, ...c.turns])
        for (const name of [
          'inputTokens',
          'outputTokens',
          'cacheReadTokens',
          'cacheCreationTokens',
          'reasoningTokens',
        ] as const) {
          expect(left[name]).toBe(left.turns.reduce((sum, turn) => sum + turn[name], 0))
        }
      }),
      cases('usage'),
    ))

  test('generations merge into all their texts and all their costs', () =>
    fc.assert(
      fc.property(fc.array(fc.record({ text, usage }), { minLength: 1, maxLength: 4 }), (parts) => {
        const merged = mergeGenerations(
          ...parts.map((part) => ({
            ...part,
            toolCalls: [],
            finishReason: 'stop' as const,
            message: { role: 'assistant' as const, content: part.text },
          })),
        )
        expect(merged.usage.inputTokens).toBe(
          parts.reduce((sum, part) => sum + part.usage.inputTokens, 0),
        )
        for (const part of parts) expect(merged.text).toContain(part.text)
      }),
      cases('merge'),
    ))
})

test('options: the last defined value wins, in whatever groups they are merged', () => {
  const options = fc.record(
    {
      system: text,
      maxTokens: fc.nat(),
      temperature: fc.constantFrom(0, 1, undefined),
      stop: fc.array(text),
      vendor: fc.dictionary(text, fc.nat()),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<object>
  fc.assert(
    fc.property(fc.array(options, { maxLength: 5 }), fc.nat({ max: 5 }), (list, at) => {
      const merged = mergeOptions(...list)
      expect(
        mergeOptions(mergeOptions(...list.slice(0, at)), mergeOptions(...list.slice(at))),
      ).toEqual(merged)
      expect(mergeOptions(merged, {}, { temperature: undefined })).toEqual(merged)
      expect(Object.getPrototypeOf(merged)).toBe(Object.prototype)
    }),
    cases('merge'),
  )
})

describe('history', () => {
  const call = (id: string) => ({ id, name: 'get_weather', arguments: {}, argumentsText: '{}' })
  /** A conversation that keeps its rules, the results of each turn in any order. */
  const history: fc.Arbitrary<ChatMessage[]> = fc
    .array(
      fc.record({
        user: text,
        answer: text,
        calls: fc.nat({ max: 4 }),
        order: fc.array(fc.nat(), { minLength: 4, maxLength: 4 }),
        isError: fc.boolean(),
      }),
      { minLength: 1, maxLength: 6 },
    )
    .map((rounds) =>
      rounds.flatMap(({ user, answer, calls, order, isError }, round): ChatMessage[] => {
        const toolCalls = Array.from({ length: calls }, (_, index) => call(`${round}-${index}`))
        const results = toolCalls.map(({ id }, index): [number, ToolMessage] => [
          order[index] ?? 0,
          { role: 'tool', toolCallId: id, content: answer, isError },
        ])
        return [
          { role: 'user', content: user },
          { role: 'assistant', content: answer, ...(calls && { toolCalls }) },
          ...results.sort(([a], [b]) => a - b).map(([, message]) => message),
        ]
      }),
    )

  test('a valid history keeps every message, results right behind their calls and in their order, and normal stays normal', () =>
    fc.assert(
      fc.property(history, (messages) => {
        const normal = normalizeHistory(messages, undefined)
        expect(normal).toHaveLength(messages.length)
        for (const [index, message] of normal.entries()) {
          if (message.role !== 'assistant') continue
          const { toolCalls = [] } = message
          expect(
            normal
              .slice(index + 1, index + 1 + toolCalls.length)
              .map((answer) => (answer as ToolMessage).toolCallId),
          ).toEqual(toolCalls.map(({ id }) => id))
        }
        expect(normalizeHistory(normal, undefined)).toEqual(normal)
      }),
      cases('history'),
    ))

  test('any order of any messages is a normal history or a typed error', () =>
    fc.assert(
      fc.property(
        history,
        fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 4 }),
        (messages, swaps) => {
          const shuffled = [...messages]
          for (const [from, to] of swaps)
            shuffled.splice(to % shuffled.length, 0, ...shuffled.splice(from % shuffled.length, 1))
          try {
            const normal = normalizeHistory(shuffled, undefined)
            const calls = normal.flatMap((message) =>
              message.role === 'assistant' ? (message.toolCalls ?? []) : [],
            )
            expect(normal.filter(({ role }) => role === 'tool')).toHaveLength(calls.length)
          } catch (error) {
            expect(isLlmError(error, 'invalid-request')).toBe(true)
          }
        },
      ),
      cases('history'),
    ))

  test('a history that is stored and read back is the same, lone surrogates and foreign markers too', () => {
    fc.assert(
      fc.property(history, (messages) => {
        expect(fromJson(JSON.parse(JSON.stringify(toJson(messages))))).toEqual(messages)
        const plain = fromJson(JSON.parse(JSON.stringify(toJson(messages)))) as object[]
        for (const message of plain) expect(Object.getPrototypeOf(message)).toBe(Object.prototype)
      }),
      cases('history'),
    )
    reportFault('T8', { 'histories stored and read back': runs })
  })
})

test('base URLs: any text is a host of the one form, read back as itself, or a typed error', () => {
  const piece = fc.constantFrom(
    'http',
    'https',
    'HTTPS',
    '://',
    ':',
    '/',
    '\\',
    '//',
    '@',
    'user',
    '[::1]',
    '[',
    ']',
    '127.0.0.1',
    '0x7f',
    '2130706433',
    'host',
    'Host.example',
    '.',
    '..',
    '%2e',
    '%00',
    '\0',
    '\t',
    ' ',
    'ｅ',
    '。',
    'ü',
    '?',
    '#',
    ':0',
    ':080',
    ':443',
    ':65536',
    'v1',
    'xn--',
    '-',
    '_',
  )
  fc.assert(
    fc.property(
      fc.oneof(
        fc.array(piece, { maxLength: 8 }).map((parts) => parts.join('')),
        fc.array(piece, { maxLength: 6 }).map((parts) => `https://${parts.join('')}`),
        text,
        fc.webUrl(),
      ),
      (input) => {
        try {
          const { href, host } = parseBaseUrl(input)
          expect(host).toMatch(/^(\[[0-9a-f:]+\]|[a-z0-9.-]+):[1-9][0-9]{0,4}$/)
          expect(parseBaseUrl(href)).toEqual({ href, host })
          // What a socket is opened to is what the platform reads out of what we hand on.
          const url = new URL(`${href}/chat/completions`)
          expect(`${url.hostname}:${url.port || (url.protocol === 'https:' ? '443' : '80')}`).toBe(
            host,
          )
        } catch (error) {
          if (!isLlmError(error, 'invalid-base-url')) throw error
        }
      },
    ),
    cases('URL'),
  )
})

test.each(targets)('$name: the same bytes in any chunks give the same events', async (target) => {
  const turns = ['unicode', 'parallel calls', 'reasoning and calls', 'usage tail'].flatMap(
    (name) => scripts.find((script) => script.name === name)?.turns ?? [],
  )
  const splits = atSize(40, 1000)
  for (const turn of turns) {
    const { bytes, headers } = await answerTo(target, turn)
    const eventsOf = async (chunks: readonly Uint8Array<ArrayBuffer>[]): Promise<StreamEvent[]> => {
      const left = [...chunks]
      const body = new ReadableStream(
        {
          pull: (controller) => {
            const chunk = left.shift()
            if (chunk) controller.enqueue(chunk)
            else controller.close()
          },
        },
        { highWaterMark: 0 },
      )
      const events: StreamEvent[] = []
      for await (const event of await target
        .create('https://split.test', {
          fetch: () => Promise.resolve(new Response(body, { headers })),
        })
        .streamWithTools(question, tools, once))
        events.push(event)
      return events
    }
    const whole = await eventsOf([bytes])
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.integer({ min: 1, max: bytes.length - 1 }), { maxLength: 60 }),
        async (places) => {
          const ends = [...places.sort((a, b) => a - b), bytes.length]
          expect(
            await eventsOf(ends.map((end, index) => bytes.slice(ends[index - 1] ?? 0, end))),
          ).toEqual(whole)
        },
      ),
      { numRuns: splits },
    )
    reportFault('S3', { 'random splits': splits })
  }
})
