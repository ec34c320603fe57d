import type { StreamEvent, ToolCall } from '@modelport/core'
import { expect, test } from 'vitest'
import { createGoogle } from '../src/index.js'
import { chunk, recordingFetch, sse } from './support.js'

const begun = { functionCall: { name: 'book', willContinue: true } }
const half = {
  functionCall: {
    partialArgs: [{ jsonPath: '$.city', stringValue: 'San', willContinue: true }],
    willContinue: true,
  },
}
const whole = {
  functionCall: { partialArgs: [{ jsonPath: '$.city', stringValue: 'Oslo' }], willContinue: true },
}

/** The complete calls of a stream, and what it rejected with. */
async function read(...chunks: readonly unknown[]): Promise<{ calls: ToolCall[]; error: unknown }> {
  const fetch = recordingFetch(() => sse(...chunks))
  const provider = createGoogle({ apiKey: 'key-of-tests', model: 'm', fetch })
  const reader = await provider.streamWithTools([{ role: 'user', content: '?' }], [], {
    retry: { attempts: 1 },
  })
  const events: StreamEvent[] = []
  const readAll = async (): Promise<void> => {
    for await (const event of reader) events.push(event)
  }
  const error = await readAll().catch((thrown: unknown) => thrown)
  return {
    calls: events.flatMap((event) => (event.type === 'tool-call-complete' ? [event.toolCall] : [])),
    error,
  }
}

test.each([
  ['a text', [chunk([begun, half]), chunk([{ text: 'Hi' }], { finishReason: 'STOP' })]],
  [
    'another call',
    [chunk([begun, half, { functionCall: { name: 'b', args: {} } }], { finishReason: 'STOP' })],
  ],
  ['the finish reason STOP', [chunk([begun, half]), chunk([], { finishReason: 'STOP' })]],
])('a call is unfinished if %s follows a string that is not whole', async (_, chunks) => {
  const { calls } = await read(...chunks)
  expect(calls[0]).toMatchObject({
    name: 'book',
    arguments: {},
    error: expect.any(String) as string,
  })
})

test('a call with half a string in a stream that is cut is not complete', async () => {
  const { calls, error } = await read(chunk([begun, half]), chunk([{ text: 'Hi' }]))
  expect(calls).toEqual([])
  expect(error).toMatchObject({
    code: 'truncated',
    partial: { toolCalls: [{ error: expect.any(String) as string }] },
  })
})

test('a call whose strings are whole is complete when the reply continues with a text', async () => {
  const { calls } = await read(
    chunk([begun, whole]),
    chunk([{ text: 'Hi' }], { finishReason: 'STOP' }),
  )
  expect(calls).toMatchObject([{ name: 'book', arguments: { city: 'Oslo' } }])
  expect(calls[0]?.error).toBeUndefined()
})

test('arguments that come whole are kept next to those that come value by value', async () => {
  const { calls } = await read(
    chunk([{ functionCall: { name: 'book', args: { days: 2 }, willContinue: true } }, whole]),
    chunk([{ functionCall: { args: { beds: 1 } } }], { finishReason: 'STOP' }),
  )
  expect(calls.map((call) => call.arguments)).toEqual([{ days: 2, city: 'Oslo', beds: 1 }])
})
