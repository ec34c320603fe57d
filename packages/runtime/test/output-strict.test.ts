import { type CallOptions, LlmError } from '@modelport/core'
import { createMock } from '@modelport/provider-mock'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { defineTool, infer, inferStream } from '../src/index.js'

const city = z.object({ name: z.string(), country: z.string().optional() })
const empty = { type: 'object', properties: {} } as const
const tool = (name: string) => defineTool({ name, description: 'x', parameters: empty, execute: () => 'ok' })
const formatOf = (options: CallOptions | undefined) => options?.responseFormat

test('infer sends outputSchema in the strict form and drops the nulls that the form added', async () => {
  const provider = createMock({ responses: ['{"name":"Rome","country":null}'] })
  const result = await infer(provider, { query: 'A city.', outputSchema: city, mode: 'native' })
  expect(result).toMatchObject({ status: 'final', output: { name: 'Rome' } })
  expect(result.status === 'final' && result.output).not.toHaveProperty('country')
  expect(formatOf(provider.requests[0]?.options)).toMatchObject({
    strict: true,
    schema: { required: ['name', 'country'], additionalProperties: false },
  })
})

test('infer sends a schema that has no strict form unchanged and without strict', async () => {
  const provider = createMock({ responses: ['{"a":1}'] })
  const outputSchema = z.record(z.string(), z.number())
  await infer(provider, { query: 'Numbers.', outputSchema, mode: 'native' })
  expect(formatOf(provider.requests[0]?.options)).toMatchObject({ type: 'json-schema' })
  expect(formatOf(provider.requests[0]?.options)).not.toHaveProperty('strict')
})

test('infer asks for less only if the server refused the format', async () => {
  const run = async (message: string) => {
    const provider = createMock({ responses: [{ error: new LlmError('invalid-request', message) }, '{"name":"Rome"}'] })
    const result = await infer(provider, { query: 'A city.', outputSchema: city, mode: 'native' })
    return [result.status, provider.requests.length]
  }
  expect(await run('response_format is not supported')).toEqual(['final', 2])
  expect(await run('the image is too large')).toEqual(['failed', 1])
})

test('infer rejects two own tools of one name and maxCost without prices before any call', async () => {
  const provider = createMock({ responses: ['Hi'] })
  const tools = [tool('look'), tool('look')]
  await expect(infer(provider, { query: 'Hi', tools })).rejects.toThrow('two tools are named "look"')
  await expect(infer(provider, { query: 'Hi', budget: { maxCost: 1 } })).rejects.toThrow(/maxCost needs a profile/)
  expect(() => {
    const reader = inferStream(provider, { query: 'Hi', tools })
    void reader.result().catch(() => undefined)
  }).toThrow('two tools are named "look"')
  expect(provider.requests).toEqual([])
})
