import { expect, test } from 'vitest'
import { line, play, type Step, settle, streamOf } from './scripted-driver.js'

const text: Step = ['text', 'x']
const stop: Step = ['finish', 'stop']

test('an abort is an abort until the body has ended, even if the reply is whole already', async () => {
  const { provider } = play([() => new Response(streamOf([line(text), line(stop)], 'open'))])
  const controller = new AbortController()
  const answer = provider
    .complete('Hi', { signal: controller.signal })
    .catch((error: unknown) => error)
  await settle()
  controller.abort(new Error('enough'))
  expect(await answer).toBe(controller.signal.reason)
})

test('the request of a reply that was read to its end is not aborted, but that of a failed reply is', async () => {
  const { provider, ios } = play([[text, stop], [text, stop], [text]], {
    defaults: { retry: { attempts: 1 } },
  })
  expect(await provider.complete('Hi')).toBe('x')
  for await (const piece of await provider.stream('Hi')) expect(piece).toBe('x')
  await expect(provider.complete('Hi')).rejects.toMatchObject({ code: 'protocol' })
  expect(ios.map(({ signal }) => signal.aborted)).toEqual([false, false, true])
})

test('an abort between two chunks of a whole reply ends the reply', async () => {
  const reason = new Error('enough')
  for (let turns = 0; turns < 12; turns++) {
    const controller = new AbortController()
    let pulls = 0
    const body = new ReadableStream<Uint8Array>(
      {
        pull: async (chunks) => {
          if (pulls++ > 9) {
            chunks.close()
            return
          }
          chunks.enqueue(new TextEncoder().encode(line(text)))
          for (let turn = 0; turn < turns; turn++) await Promise.resolve()
          controller.abort(reason)
        },
      },
      { highWaterMark: 0 },
    )
    const answer = play([() => new Response(body)]).provider.complete('Hi', {
      signal: controller.signal,
    })
    await expect(answer).rejects.toBe(reason)
  }
})
