import type { JsonObject } from '@modelport/core'
import { createMock } from '@modelport/provider-mock'
import { expect, expectTypeOf, test } from 'vitest'
import * as z from 'zod'
import { infer, inferStream, orThrow, type RunResult, streamObject } from '../src/index.js'
import { action, calls, ended, run } from './weather-run.js'

const city = z.object({
  name: z.string(),
  country: z.string().optional(),
  tags: z.array(z.string()),
})
const reply = '{"name":"Rome","country":null,"tags":["old","warm"]}'

test('infer shows the object of outputSchema while it is written, without the nulls of the strict form', async () => {
  const { result, of } = await run([`Here it is: ${reply}`], { outputSchema: city, tools: [] })
  const values = of('output-partial').map(({ value }) => value)
  expect(values).toContainEqual({ name: 'Rome', tags: ['old'] })
  expect(values.at(-1)).toEqual({ name: 'Rome', tags: ['old', 'warm'] })
  expect(values).not.toContainEqual(expect.objectContaining({ country: null }))
  expect(ended(result, 'final').output).toEqual(values.at(-1))
})

test('infer shows the content of the final action in JSON mode, and nothing of a call', async () => {
  const responses = [
    action({ type: 'tool_call', tool: 'get_weather', args: { city: 'Rome' } }),
    action({ type: 'final', content: { name: 'Rome', tags: ['old'] } }),
  ]
  const { of } = await run(responses, { outputSchema: city, mode: 'json' })
  const partial = of('output-partial')
  expect(partial.at(-1)?.value).toEqual({ name: 'Rome', tags: ['old'] })
  expect(partial.every(({ step }) => step === 2)).toBe(true)
})

test('infer shows nothing of a call that the model prints, and nothing without outputSchema', async () => {
  const printed = JSON.stringify({ name: 'get_weather', arguments: { city: 'Rome' } })
  const schema = z.object({ answer: z.string() })
  const { of } = await run([printed, '{"answer":"warm"}'], { outputSchema: schema })
  expect(of('output-partial').map(({ step }) => step)).not.toContain(1)
  expect(of('output-partial').at(-1)?.value).toEqual({ answer: 'warm' })
  expect((await run([calls('Rome'), reply])).of('output-partial')).toEqual([])
})

test('the number of partial objects grows with the logarithm of a long reply', async () => {
  const tags = Array.from({ length: 20_000 }, (_, index) => `tag ${index}`)
  const { result, of } = await run([JSON.stringify({ name: 'Rome', tags })], {
    outputSchema: city,
    tools: [],
  })
  expect(ended(result, 'final').output).toEqual({ name: 'Rome', tags })
  expect(of('output-partial').length).toBeLessThan(1000)
  expect(of('output-partial').at(-1)?.value).toEqual({ name: 'Rome', tags })
})

test('streamObject leaves out the nulls of the strict form, and shows nothing for text after the object', async () => {
  const reader = await streamObject(
    createMock({ responses: [`${reply}${' and so on'.repeat(100)}`] }),
    {
      schema: city,
      prompt: 'A city.',
    },
  )
  const shown: unknown[] = []
  for await (const value of reader) shown.push(value)
  expect(shown).not.toContainEqual(expect.objectContaining({ country: null }))
  // The last brackets may arrive one by one.
  const complete = shown.filter((value) => JSON.stringify(value) === JSON.stringify(shown.at(-1)))
  expect(complete.length).toBeLessThan(4)
})

test('the output of a run has the type of its schema', async () => {
  const result = await infer(createMock({ responses: [reply] }), {
    query: 'A city.',
    outputSchema: city,
  })
  expectTypeOf(result).toEqualTypeOf<RunResult<z.output<typeof city>>>()
  if (result.status === 'final') expectTypeOf(result.output.name).toEqualTypeOf<string>()
  expectTypeOf(orThrow(result).output.name).toEqualTypeOf<string>()
  const untyped = inferStream(createMock({ responses: ['{}'] }), {
    query: 'x',
    outputSchema: { type: 'object' },
  })
  expectTypeOf(untyped.result()).resolves.toEqualTypeOf<RunResult<JsonObject>>()
  expect(await untyped.result()).toMatchObject({ status: 'final', output: {} })
})

test('the parser of a request reads a long text so seldom that all its readings are linear in the length', async () => {
  const readFor = async (length: number): Promise<number> => {
    let read = 0
    const provider = createMock({
      responses: [{ text: Array.from({ length: length / 4 }, () => 'word') }],
    })
    const partial = (text: string): undefined => void (read += text.length)
    await infer(provider, {
      query: 'Hi',
      output: { parse: ({ text }) => ({ ok: true, value: text }), partial },
    })
    return read
  }
  const [small, large] = [await readFor(4096), await readFor(16_384)]
  expect(large).toBeLessThan(small * 5)
})
