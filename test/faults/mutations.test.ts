import { scripts } from '@modelport/conformance'
import { isLlmError, type StreamEvent } from '@modelport/core'
import { describe, expect, test } from 'vitest'
import { atSize, reportFault } from '../support/faults.js'
import { random, seed } from '../support/seed.js'
import { answerTo, once, question, targets, tools } from './targets.js'

type Random = () => number
const below = (next: Random, count: number): number => Math.floor(next() * count)

/** What a value of the wire may be instead of what it should. */
const odd = [
  'null',
  'true',
  '-1',
  '0.5',
  '2147483648',
  '4294967296',
  '1e308',
  '1e999',
  '9007199254740993',
  '""',
  '"\\ud800"',
  '"\\u0000"',
  '"__proto__"',
  '[]',
  '{}',
  '[[]]',
  '{"__proto__":{"x":1}}',
  '{"constructor":{"prototype":{"x":1}}}',
  'NaN',
]

/**
 * Changes of the text of a stream that leave it a stream: a value of its JSON, a record, the order.
 */
const onText: readonly ((text: string, next: Random) => string)[] = [
  (text, next) => {
    const values = [
      ...text.matchAll(
        /(?<=[:,[{]\s*)(?:"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null)(?=\s*[,\]}:])/g,
      ),
    ]
    const found = values[below(next, values.length)]
    return found === undefined
      ? text
      : `${text.slice(0, found.index)}${odd[below(next, odd.length)] ?? ''}` +
          text.slice(found.index + found[0].length)
  },
  (text, next) => {
    const records = text.split(/(?<=\n\n)|(?<=\}\n)/)
    const at = below(next, records.length)
    const to = below(next, records.length)
    const kind = below(next, 4)
    const record = records[at] ?? ''
    if (kind === 0) records.splice(at, 1)
    else if (kind === 1) records.splice(to, 0, record)
    else if (kind === 2) records.splice(to, 0, ...records.splice(at, 1))
    else records.push(record)
    return records.join('')
  },
  (text, next) =>
    text.replace(/"index":\d+/g, (found) =>
      next() < 0.5 ? `"index":${String([2 ** 31, -1, 7, 1e15][below(next, 4)])}` : found,
    ),
]

/** Changes of bytes, whatever they mean. */
const onBytes: readonly ((bytes: Uint8Array, next: Random, other: Uint8Array) => Uint8Array)[] = [
  (bytes, next) => {
    const copy = bytes.slice()
    for (let count = 1 + below(next, 4); count > 0; count--) {
      const at = below(next, copy.length)
      copy[at] = (copy[at] ?? 0) ^ (1 << below(next, 8))
    }
    return copy
  },
  (bytes, next) => {
    const at = below(next, bytes.length)
    return join(bytes.subarray(0, at), bytes.subarray(at + 1 + below(next, 40)))
  },
  (bytes, next) => {
    const at = below(next, bytes.length)
    const piece = bytes.subarray(at, at + 1 + below(next, 60))
    return join(bytes.subarray(0, at), piece, piece, bytes.subarray(at))
  },
  (bytes, next, other) =>
    join(bytes.subarray(0, below(next, bytes.length)), other.subarray(below(next, other.length))),
]

const join = (...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(Buffer.concat(parts))

function mutate(bytes: Uint8Array, other: Uint8Array, next: Random): Uint8Array<ArrayBuffer> {
  const which = below(next, onText.length + onBytes.length)
  const change = onText[which]
  if (change) return new TextEncoder().encode(change(new TextDecoder().decode(bytes), next))
  return Uint8Array.from(onBytes[which - onText.length]?.(bytes, next, other) ?? bytes)
}

/** What must hold of the events of any stream, however broken its wire is. */
function check(events: readonly StreamEvent[], failed: boolean): void {
  const started = new Set<string>()
  for (const [index, event] of events.entries()) {
    if (
      event.type === 'text-delta' ||
      event.type === 'reasoning-delta' ||
      event.type === 'tool-call-delta'
    )
      expect(event.text, event.type).toBeTypeOf('string')
    if (event.type === 'tool-call-start')
      expect([typeof event.toolCall.id, typeof event.toolCall.name]).toEqual(['string', 'string'])
    if (event.type === 'tool-call-start') {
      expect(started.has(event.toolCall.id)).toBe(false)
      started.add(event.toolCall.id)
    }
    if (event.type === 'tool-call-delta') expect(started.has(event.id)).toBe(true)
    if (event.type === 'tool-call-complete') {
      const { arguments: values, argumentsText, error } = event.toolCall
      expect(Object.prototype.toString.call(values)).toBe('[object Object]')
      if (error === undefined && argumentsText.trim() !== '')
        expect(JSON.parse(argumentsText)).toBeTypeOf('object')
      if (error !== undefined) expect(values).toEqual({})
    }
    if (event.type === 'turn-end' || event.type === 'done') {
      const { turns: _, reported: __, ...counts } = event.usage
      for (const count of Object.values(counts).filter((value) => typeof value !== 'object'))
        expect(Number.isFinite(count) && count >= 0).toBe(true)
      expect(event.usage.cacheReadTokens + event.usage.cacheCreationTokens).toBeLessThanOrEqual(
        event.usage.inputTokens,
      )
      expect(event.usage.reasoningTokens).toBeLessThanOrEqual(event.usage.outputTokens)
    }
    if (event.type === 'done') expect(index).toBe(events.length - 1)
  }
  expect(events.at(-1)?.type === 'done').toBe(!failed)
}

async function notHanging<T>(promise: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const hang = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('hangs')), 30_000)
  })
  return Promise.race([promise, hang]).finally(() => clearTimeout(timer))
}

describe.each(targets)('$name', (target) => {
  test('a broken wire gives typed errors and whole events, and nothing else', async () => {
    const before = Object.getOwnPropertyNames(Object.prototype)
    const turns = scripts.flatMap((script) => script.turns)
    const streams = await Promise.all(turns.map((turn) => answerTo(target, turn)))
    const count = Math.ceil(atSize(2400, 100_000) / targets.length)
    let failures = 0
    for (let index = 0; index < count; index++) {
      const next = random(seed + index)
      const stream = streams[below(next, streams.length)]!
      let bytes = stream.bytes
      for (let times = 1 + below(next, 3); times > 0; times--)
        bytes = mutate(bytes, streams[below(next, streams.length)]!.bytes, next)
      const provider = target.create('https://api.mutations.test', {
        fetch: () => Promise.resolve(new Response(bytes, { headers: stream.headers })),
      })
      const events: StreamEvent[] = []
      const run = async (): Promise<unknown> => {
        try {
          for await (const event of await provider.streamWithTools(question, tools, once))
            events.push(event)
          return undefined
        } catch (error) {
          return error
        }
      }
      try {
        const error = await notHanging(run())
        if (error !== undefined) {
          failures++
          if (!isLlmError(error)) throw error as Error
          // A program's own error that came of data, dressed up.
          expect(error.code, error.message).not.toBe('unknown')
          expect(JSON.stringify(error)).toBeTypeOf('string')
        }
        check(events, error !== undefined)
      } catch (error) {
        throw new Error(`seed ${seed}, mutation ${index}:\n${new TextDecoder().decode(bytes)}`, {
          cause: error,
        })
      }
    }
    expect(failures).toBeGreaterThan(count / 10)
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before)
    expect(({} as { x?: unknown }).x).toBeUndefined()
    reportFault('S9', {
      mutations: count,
      'typed failures': failures,
      'untyped, hanging or with broken events': 0,
    })
  })
})
