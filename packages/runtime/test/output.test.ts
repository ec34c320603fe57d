import { createMock } from '@modelport/provider-mock'
import { describe, expect, expectTypeOf, test } from 'vitest'
import {
  type FinishedCall,
  infer,
  inferStream,
  type OutputParser,
  type RunResult,
} from '../src/index.js'
import { calls, ended, run } from './weather-run.js'

/** Takes a number, and nothing else. */
const number: OutputParser<number> = {
  parse: ({ text }) => {
    const value = Number(text)
    return Number.isNaN(value)
      ? { ok: false, issues: [`"${text}" is not a number`, 'give one number'] }
      : { ok: true, value }
  },
}

describe('an own output parser', () => {
  test('an own output parser gives the result its type and its value', async () => {
    const result = await infer(createMock({ responses: ['42'] }), {
      query: 'How many?',
      output: number,
    })
    expectTypeOf(result).toEqualTypeOf<RunResult<number>>()
    expect(ended(result, 'final').output).toBe(42)
    const reader = inferStream(createMock({ responses: ['42'] }), {
      query: 'How many?',
      output: number,
    })
    expectTypeOf(reader.result()).resolves.toEqualTypeOf<RunResult<number>>()
    expect(await reader.result()).toMatchObject({ output: 42 })
  })

  test('an own output parser shows the model every issue at once, and asks again', async () => {
    const { result, of } = await run(['many', '42'], { output: number })
    expect(ended(result, 'final').output).toBe(42)
    expect(of('reply-rejected')).toMatchObject([
      { message: '"many" is not a number\ngive one number' },
    ])
    expect(result.transcript.at(-2)).toMatchObject({
      role: 'user',
      content: expect.stringContaining('"many" is not a number\ngive one number') as string,
    })
  })

  test('an own output parser may write the whole correction itself, and ends the run at the limit of parse failures', async () => {
    const output = {
      parse: () => ({ ok: false, issues: ['no'], correction: 'Try harder.' }) as const,
    }
    const { result } = await run(['a', 'b', 'c'], { output })
    expect(ended(result, 'limit').limit).toBe('parse-failures')
    expect(result.transcript.filter(({ content }) => content === 'Try harder.')).toHaveLength(2)
  })

  test('an own output parser that throws, or returns something else, ends the run as failed', async () => {
    const failing: unknown[] = [
      () => {
        throw new Error('broken')
      },
      () => undefined,
    ]
    for (const parse of failing) {
      const { result } = await run(['a'], { output: { parse } as OutputParser<unknown> })
      expect(ended(result, 'failed').error.message).toMatch(/broken|neither \{ ok: true/)
    }
  })

  test('an own output parser shows values before the reply is whole', async () => {
    const output: OutputParser<string> = {
      parse: ({ text }) => ({ ok: true, value: text }),
      partial: (text) => (text.length < 4 ? undefined : text.toUpperCase()),
    }
    const { of } = await run(['abcdefgh'], { output })
    expect(of('output-partial').map(({ value }) => value)).toEqual(['ABCDEF', 'ABCDEFGH'])
  })

  test('an own output parser may ask for a form of the API in the options of the call', async () => {
    const responseFormat = { type: 'json' } as const
    const { provider } = await run(['1'], {
      output: number,
      tools: [],
      options: { responseFormat },
    })
    expect(provider.requests[0]?.options.responseFormat).toEqual(responseFormat)
  })
})

describe('afterTools', () => {
  test('afterTools sees every call of a step with its result, and may say something after them', async () => {
    const seen: (readonly FinishedCall[])[] = []
    const { result } = await run([calls('Paris', 3), 'Warm.'], {
      afterTools: (results) => {
        seen.push(results)
        return 'Mind the weather.'
      },
    })
    ended(result, 'final')
    expect(seen).toMatchObject([
      [
        {
          callId: 'call_1',
          name: 'get_weather',
          arguments: { city: 'Paris' },
          content: '18 degrees in Paris',
          isError: false,
        },
        { callId: 'call_2', isError: expect.any(Boolean) as boolean },
      ],
    ])
    expect(result.transcript.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'tool',
      'user',
      'assistant',
    ])
  })
})

test('prose in place of JSON is corrected without an offer of plain text, also where tools may be called', async () => {
  const outputSchema = { type: 'object', properties: { degrees: { type: 'number' } } }
  const { result } = await run(['It is warm.', '{"degrees": 28}'], { outputSchema })
  expect(ended(result, 'final').output).toEqual({ degrees: 28 })
  const correction = JSON.stringify(result.transcript.at(-2))
  expect(correction).toContain(
    'Give the whole answer again, as JSON that fits the schema, or call a tool.',
  )
  expect(correction).not.toContain('plain text')
})
