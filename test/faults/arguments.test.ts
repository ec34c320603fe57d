import type { WireRequest, WireResponse } from '@modelport/conformance'
import { isLlmError, type StreamEvent, type ToolCall } from '@modelport/core'
import { describe, expect, test } from 'vitest'
import { atSize, reportFault } from '../support/faults.js'
import { jsonTexts } from '../support/json-texts.js'
import { bytesOf, once, question, requestOf, type Target, targets, tools } from './targets.js'

/** The same reply with a call of these arguments, however wrong they are. */
function answer({ format }: Target, request: WireRequest, text: string): WireResponse {
  const call = { id: 'call_1', name: 'get_weather' }
  const turn = { finish: 'tool-calls', usage: {} } as const
  if (format.supports.argumentsText)
    return format.respond(
      { ...turn, toolCalls: [{ ...call, arguments: {}, argumentsText: text }] },
      request,
    )
  // Arguments travel as an object: the text stands in the wire's own JSON.
  const wire = format.respond(
    { ...turn, toolCalls: [{ ...call, arguments: { marker: 'here' } }] },
    request,
  )
  return {
    ...wire,
    pieces: wire.pieces.map((piece) => piece.replaceAll('{"marker":"here"}', () => text)),
  }
}

/** The one call of the reply, or the code of its failure. */
async function callOf(
  target: Target,
  request: WireRequest,
  text: string,
): Promise<ToolCall | string | undefined> {
  const { headers, pieces } = answer(target, request, text)
  const provider = target.create('https://arguments.test', {
    fetch: () => Promise.resolve(new Response(bytesOf(target, pieces.join('')), { headers })),
  })
  const events: StreamEvent[] = []
  try {
    for await (const event of await provider.streamWithTools(question, tools, once))
      events.push(event)
  } catch (error) {
    if (!isLlmError(error)) throw error
    return error.code
  }
  return events.flatMap((event) => (event.type === 'tool-call-complete' ? [event.toolCall] : []))[0]
}

/** Targets whose calls carry arguments as text, and as an object of the wire's own JSON. */
const wholly = ['openai-compatible', 'google']

const executed = (call: ToolCall | string | undefined): call is ToolCall =>
  typeof call === 'object' && call.error === undefined

describe.each(targets)('$name', (target) => {
  const polluting = [
    '{"__proto__":{"isAdmin":true}}',
    '{"a":{"__proto__":{"isAdmin":true}}}',
    '{"a":[{"__proto__":1}]}',
    '{"\\u005f_proto__":{"isAdmin":true}}',
    '{"__\\u0070roto__":{"x":1}}',
    '{"constructor":{"prototype":{"isAdmin":true}}}',
    '{"constructor":{"\\u0070rototype":{"isAdmin":true}}}',
    '{"a":{"constructor":{"prototype":{}}}}',
  ]
  test('keys that would pollute a prototype are an error, and nothing is polluted', async () => {
    const request = await requestOf(target)
    const snapshot = () =>
      JSON.stringify(
        [Object.prototype, Array.prototype, Function.prototype].map((object) =>
          Reflect.ownKeys(object).map(String),
        ),
      )
    const before = snapshot()
    for (const text of polluting) {
      const call = await callOf(target, request, text)
      expect(executed(call), text).toBe(false)
      if (typeof call === 'object') {
        const copied: Record<string, unknown> = Object.assign({}, call.arguments)
        for (const key in call.arguments) copied[key] = call.arguments[key]
        expect(copied['isAdmin']).toBeUndefined()
      }
      expect(snapshot()).toBe(before)
    }
    reportFault('T1', { 'polluting arguments': polluting.length, executed: 0 })
  })

  test('arguments that are too deep, too many or too long are refused', async () => {
    const request = await requestOf(target)
    const attacks: Record<string, string> = {
      'depth 129': `${'{"a":'.repeat(129)}1${'}'.repeat(129)}`,
      'depth 10^6, open': '{"a":'.repeat(1_000_000),
      'many keys': `{${Array.from({ length: atSize(120_000, 1_000_000) }, (_, index) => `"k${index}":1`).join(',')}}`,
      '10 MB of text': JSON.stringify({ text: 'x'.repeat(10_000_000) }),
      'depth 10^5, whole': `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
    }
    for (const [name, text] of Object.entries(attacks)) {
      const start = performance.now()
      const call = await callOf(target, request, text)
      reportFault('T3', { 'ms with its wire at most': performance.now() - start })
      expect(executed(call), name).toBe(false)
      if (typeof call === 'string') expect(['limit-exceeded', 'protocol'], name).toContain(call)
    }
    reportFault('T3', { attacks: Object.keys(attacks).length, executed: 0 })
  })

  test('every start of a call is refused until it is whole', async () => {
    const request = await requestOf(target)
    const text = '{"city":"Łódź","list":[1,{"a":null}],"b":false}'
    let starts = 0
    for (let end = 1; end < text.length; end++, starts++)
      expect(executed(await callOf(target, request, text.slice(0, end))), text.slice(0, end)).toBe(
        false,
      )
    expect(executed(await callOf(target, request, text))).toBe(true)
    reportFault('T2', { 'starts of a call': starts })
  })

  test('JSONTestSuite: malformed arguments are never executed, well-formed ones arrive as they are', async () => {
    const request = await requestOf(target)
    const before = Reflect.ownKeys(Object.prototype).length
    let malformed = 0
    let wellFormed = 0
    // The driver parses for all of them: one that sends text and one that sends objects meet all.
    const every = wholly.includes(target.name) ? 1 : atSize(12, 1)
    const met = jsonTexts.filter((_, index) => index % every === 0)
    for (const { name, text, isJson } of met) {
      // Empty text stands for no arguments.
      if (text.trim() === '') continue
      // Where an object travels, text of several lines or none of JSON breaks the wire itself.
      if (!target.format.supports.argumentsText && /[\r\n]/.test(text)) continue
      for (const given of [text, `{"a":${text}}`]) {
        const call = await callOf(target, request, given)
        if (isJson === false) {
          expect(executed(call), `${name}: ${given.slice(0, 100)}`).toBe(false)
          malformed++
        } else if (isJson && given !== text) {
          expect(JSON.stringify((call as ToolCall).arguments), name).toBe(
            JSON.stringify(JSON.parse(given)),
          )
          wellFormed++
        }
      }
    }
    expect(malformed).toBeGreaterThan(250 / every)
    expect(wellFormed).toBeGreaterThan(80 / every)
    expect(Reflect.ownKeys(Object.prototype).length).toBe(before)
    reportFault('T2', {
      'malformed arguments': malformed,
      executed: 0,
      'well-formed arguments': wellFormed,
    })
    reportFault('S8', { 'JSON texts in data fields': malformed + wellFormed })
  })
})
