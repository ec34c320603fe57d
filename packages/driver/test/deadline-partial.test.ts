import { expect, test } from 'vitest'
import { line, play, settle, streamOf } from './scripted-driver.js'

const key = 'sk-0123456789abcdef'
const open =
  (...texts: string[]) =>
  () =>
    new Response(
      streamOf(
        texts.map((text) => line(['text', text])),
        'open',
      ),
    )

test.each(['stream', 'complete', 'second turn'] as const)(
  'a deadline that passes in mid-reply keeps the text so far: %s',
  async (how) => {
    const call = { role: 'user' as const, content: 'Hi' }
    const turn = [
      ['toolCall', 0, { id: 'a', name: 'f', text: '{}' }],
      ['finish', 'tool-calls'],
    ] as const
    const { provider, clock } = play(
      how === 'second turn' ? [turn, open('so ', key)] : [open('so ', key)],
      {
        secrets: [key],
      },
    )
    const read = async (): Promise<unknown> => {
      if (how === 'complete') return provider.complete('Hi', { deadlineMs: 1000 })
      const reader = await provider.streamWithTools(
        [call],
        [{ name: 'f', description: '', parameters: {} }],
        {
          deadlineMs: 1000,
        },
      )
      for await (const event of reader)
        if (event.type === 'tool-call-complete')
          await reader.sendToolResults([{ callId: 'a', content: '' }])
      return undefined
    }
    const failure = read().catch((error: unknown) => error)
    await settle()
    clock.advance(1000)
    const error = await failure
    expect(error).toMatchObject({
      code: 'timeout',
      reason: 'deadline',
      retryable: false,
      message: 'p: timeout (deadline): 1000 ms have passed',
      attempts: 1,
    })
    if (how !== 'complete')
      expect(error).toMatchObject({ partial: { text: 'so [redacted]', toolCalls: [] } })
    expect(error).toMatchObject({ partial: { bytes: expect.any(Number) as number } })
  },
)

test("before anything came there is nothing to keep; a signal's own reason stays itself", async () => {
  const { provider, clock } = play([() => new Promise<Response>(() => undefined)])
  const failure = provider.complete('Hi', { deadlineMs: 1000 }).catch((error: unknown) => error)
  await settle()
  clock.advance(1000)
  expect(await failure).not.toHaveProperty('partial')
  const controller = new AbortController()
  const aborted = play([open('so')])
    .provider.complete('Hi', { signal: controller.signal, deadlineMs: 1000 })
    .catch((error: unknown) => error)
  await settle()
  controller.abort()
  expect(await aborted).toBe(controller.signal.reason)
})

test('between turns there is nothing to keep: the last one is whole, and told', async () => {
  const { provider, clock } = play([
    [
      ['text', 'so'],
      ['toolCall', 0, { id: 'a', name: 'f', text: '{}' }],
      ['finish', 'tool-calls'],
    ],
  ])
  const reader = await provider.streamWithTools([{ role: 'user', content: 'Hi' }], [], {
    deadlineMs: 1000,
  })
  for await (const { type } of { [Symbol.asyncIterator]: () => ({ next: () => reader.next() }) })
    if (type === 'turn-end') break
  clock.advance(1000)
  const error: unknown = await reader.next().catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code: 'timeout', reason: 'deadline' })
  expect(error).not.toHaveProperty('partial')
})
