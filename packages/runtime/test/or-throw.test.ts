import { inspect } from 'node:util'
import type { LlmError } from '@modelport/core'
import { isLlmError, type JsonObject } from '@modelport/core'
import { createMock } from '@modelport/provider-mock'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { type InferRequest, infer, orThrow, RunError, type RunResult } from '../src/index.js'
import { calls, run, weather } from './weather-run.js'

describe('orThrow', () => {
  test('orThrow returns the result of a run that ended with its reply', async () => {
    const { result } = await run([calls('Rome'), 'Warm.'])
    expect(orThrow(result)).toBe(result)
    expect(orThrow(result).text).toBe('Warm.')
  })

  const aborted = AbortSignal.abort(new Error('the user left'))
  test.each<[RunError['status'], LlmError['code'], string, Parameters<typeof run>]>([
    ['failed', 'auth', 'the run ended as failed: mock: auth', [[{ error: 'auth' }]]],
    [
      'limit',
      'limit-exceeded',
      'without producing final response',
      [[calls('Rome')], { limits: { maxSteps: 1 } }],
    ],
    [
      'limit',
      'limit-exceeded',
      'that could not be used. The last one: Your reply was empty.',
      [['']],
    ],
    [
      'budget',
      'budget-exceeded',
      'maxCalls',
      [[calls('Rome')], { limits: { budget: { maxCalls: 1 } } }],
    ],
    ['cancelled', 'aborted', 'its signal aborted', [['x'], { signal: aborted }]],
    [
      'suspended',
      'aborted',
      'it waits for approval call_',
      [[calls('Rome')], { authorize: () => ({ effect: 'require-approval' }) }],
    ],
  ])(
    'orThrow throws for a run that is %s, with the code %s',
    async (status, code, message, [replies, request]) => {
      const { result } = await run(replies, request)
      let thrown: unknown
      try {
        orThrow(result)
      } catch (error) {
        thrown = error
      }
      if (!(thrown instanceof RunError)) throw new Error('nothing was thrown')
      expect(thrown).toMatchObject({ name: 'RunError', status, code, text: result.text, result })
      expect(thrown.message).toContain(message)
      expect(isLlmError(thrown, code)).toBe(true)
    },
  )
})

test('a failed run that is printed shows its error once', async () => {
  const { result } = await run([{ error: 'auth' }])
  let printed = ''
  try {
    orThrow(result)
  } catch (error) {
    printed = inspect(error)
  }
  expect(printed.match(/ProviderError: mock: auth/g)).toHaveLength(1)
  expect(printed).not.toContain('transcript')
})

describe('the output of a run, as a type', () => {
  const provider = createMock({ responses: ['{"city":"Rome","days":2}'] })

  test('the output of a run, as a type, is what a literal JSON Schema says', async () => {
    const { output } = orThrow(
      await infer(provider, {
        query: 'Where?',
        outputSchema: {
          type: 'object',
          properties: {
            city: { type: 'string' },
            days: { type: 'integer' },
            note: { type: 'string' },
          },
          required: ['city', 'days'],
        },
      }),
    )
    expectTypeOf(output).toEqualTypeOf<{
      readonly city: string
      readonly days: number
      readonly note?: string
    }>()
    expect(output).toEqual({ city: 'Rome', days: 2 })
  })

  test('the output of a run, as a type, is what the parser makes', async () => {
    const output = { parse: () => ({ ok: true as const, value: 42 }) }
    expectTypeOf(
      orThrow(await infer(provider, { query: 'x', output })).output,
    ).toEqualTypeOf<number>()
  })

  test('the output of a run, as a type, does not exist without a schema', async () => {
    const result = orThrow(await infer(provider, { query: 'x', tools: [weather()] }))
    // @ts-expect-error nothing asked for one
    expect(result.output).toBeUndefined()
    expectTypeOf(result).toExtend<RunResult>()
  })

  test('the output of a run, as a type, is optional if the request is not known', () => {
    const ask = async (request: InferRequest) => orThrow(await infer(provider, request)).output
    const schema: JsonObject = { type: 'object' }
    const known = async () =>
      orThrow(await infer(provider, { query: 'x', outputSchema: schema })).output
    expectTypeOf(ask).returns.resolves.toBeUnknown()
    expectTypeOf(known).returns.resolves.toEqualTypeOf<JsonObject>()
  })
})
