import { createServer as createNetServer } from 'node:net'
import { isLlmError, type ProviderError } from '@modelport/core'
import { describe, expect, test } from 'vitest'
import { atMostWhereQuiet, atSize, fullSize, reportFault } from '../support/faults.js'
import {
  answerTo,
  bytesOf,
  listen,
  once,
  question,
  read,
  richTurn,
  serve,
  type Target,
  targets,
  textTurn,
  tools,
} from './targets.js'

/** What came of a call: the text, or the code of a typed failure. Anything else is thrown. */
async function outcome(
  call: Promise<{ readonly text: string; readonly calls: number }>,
): Promise<string> {
  try {
    const { text, calls } = await call
    return `whole: ${text} ${calls} calls`
  } catch (error) {
    if (!isLlmError(error)) throw error
    return error.code
  }
}

/**
 * The place behind the terminal event: from there on a cut in memory, byte by byte, takes nothing
 * away.
 */
async function wholeFrom(
  target: Target,
  bytes: Uint8Array<ArrayBuffer>,
  headers: Record<string, string>,
): Promise<number> {
  for (let at = bytes.length; at > 0; at--) {
    const cut = new ReadableStream({
      start: (controller) => controller.enqueue(bytes.subarray(0, at)),
      pull: (controller) => controller.error(new TypeError('terminated')),
    })
    const provider = target.create('http://cut.test', {
      fetch: () => Promise.resolve(new Response(cut, { headers })),
    })
    if (!(await outcome(read(provider))).startsWith('whole')) return at + 1
  }
  return 0
}

describe.each(targets)('$name over a real socket', (target) => {
  test.each(['FIN', 'wrong content-length', 'reset'])(
    'a reply that is cut by %s is a typed error, and a success behind the terminal event',
    async (how) => {
      const { bytes, headers } = await answerTo(target, richTurn)
      const terminal = await wholeFrom(target, bytes, headers)
      let at = 0
      const { url } = await serve((_, response) => {
        response.writeHead(200, {
          ...headers,
          connection: 'close',
          ...(how === 'wrong content-length' && { 'content-length': String(bytes.length + 7) }),
        })
        response.write(bytes.subarray(0, at), () => {
          // Bytes that were not read when a reset comes are lost with it; a turn of the loop reads
          // what has come to this process.
          if (how === 'reset')
            setImmediate(() =>
              setImmediate(() => setImmediate(() => response.socket?.resetAndDestroy())),
            )
          else response.socket?.end()
        })
      })
      const provider = target.create(url)
      const whole = `whole: ${(richTurn.text ?? []).join('')} 2 calls`
      // Everywhere, and on both sides of the terminal event, which is where the outcome changes.
      const count = fullSize ? bytes.length : 16
      const spread = Array.from({ length: count }, (_, index) =>
        Math.max(1, Math.round(((index + 1) * bytes.length) / count)),
      )
      const offsets = [...spread, terminal - 1, terminal]
      for (at of offsets) {
        const found = await outcome(read(provider))
        expect(found, `cut at ${at} of ${bytes.length}, terminal at ${terminal}`).toBe(
          at >= terminal ? whole : 'truncated',
        )
      }
      reportFault('S2', { 'cuts over real sockets': offsets.length })
    },
  )

  test("an abort at any turn of the event loop rejects at once with the signal's reason, and no socket stays", async () => {
    const { headers, pieces } = await answerTo(target, textTurn)
    const { port, sockets } = await serve((_, response) => {
      response.writeHead(200, headers)
      // Everything but the end, an event a turn.
      const queue = pieces.slice(0, -1)
      const step = (): void => {
        const piece = queue.shift()
        if (piece !== undefined) response.write(bytesOf(target, piece), () => setImmediate(step))
      }
      step()
    })
    // A name, so that it is looked up; a connection of its own for each call, since an abort drops
    // it.
    const provider = target.create(`http://localhost:${port}`)
    const points = atSize(16, 400)
    const waits: number[] = []
    let slowest = 0
    for (let turns = 0; turns < points; turns++) {
      const controller = new AbortController()
      const running = read(provider, controller.signal).then(
        () => 'ended',
        (error: unknown) => error,
      )
      for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve))
      const reason = new Error('enough')
      const start = performance.now()
      controller.abort(reason)
      expect(await running).toBe(reason)
      waits.push(performance.now() - start)
      const closing = performance.now()
      await expect.poll(() => sockets.size, { interval: 1 }).toBe(0)
      slowest = Math.max(slowest, performance.now() - closing)
    }
    waits.sort((a, b) => a - b)
    const p99 = waits[Math.floor(waits.length * 0.99) - 1] ?? 0
    reportFault('S5', {
      'aborts over real sockets': points,
      'p99 in ms at most': p99,
      'socket closed after ms at most': slowest,
    })
    atMostWhereQuiet(p99, 50)
    atMostWhereQuiet(slowest, 100)
  })
})

test('an abort ends a connection to a peer that accepts and never shakes hands', async () => {
  const all = await Promise.all(
    targets.map(async (target) => {
      const controller = new AbortController()
      let start = 0
      const { port, sockets } = await listen(
        createNetServer((socket) => {
          socket.resume()
          start = performance.now()
          controller.abort()
        }),
      )
      const running = read(
        target.create(`https://127.0.0.1:${port}`, { timeouts: { connectMs: 1000 } }),
        controller.signal,
      ).catch((error: unknown) => error)
      expect(await running).toBe(controller.signal.reason)
      atMostWhereQuiet(performance.now() - start, 50)
      reportFault('S5', { 'aborts over real sockets': 1 })
      return sockets
    }),
  )
  // A connection is the pool's, not the call's: one that is being made ends at the limit of
  // connecting.
  for (const sockets of all) await expect.poll(() => sockets.size).toBe(0)
})

test('a peer that is gone without a word: the idle limit ends it, and the connection', async () => {
  for (const target of targets) {
    const { headers, pieces } = await answerTo(target, textTurn)
    const { url, sockets } = await serve((_, response) =>
      response
        .writeHead(200, headers)
        .write(bytesOf(target, pieces.slice(0, Math.ceil(pieces.length / 2)).join(''))),
    )
    const start = performance.now()
    const error = await read(target.create(url, { timeouts: { idleMs: 100 } })).catch(
      (thrown: unknown) => thrown as ProviderError,
    )
    const late = performance.now() - start - 100
    expect(error).toMatchObject({ code: 'timeout', reason: 'idle' })
    atMostWhereQuiet(late, 250)
    await expect.poll(() => sockets.size).toBe(0)
    reportFault('S4', { 'real silences': 1, 'late by ms at most': late })
  }
})

test('a server may restart in mid-stream, and between calls on kept connections', async () => {
  const target = targets.find(({ name }) => name === 'openai-compatible')!
  const { headers, pieces } = await answerTo(target, textTurn)
  let half = false
  const handler = (_: unknown, response: Parameters<Parameters<typeof serve>[0]>[1]): void => {
    response.writeHead(200, headers)
    if (half) response.write(pieces.slice(0, 3).join(''))
    else response.end(pieces.join(''))
  }
  const first = await serve(handler)
  const provider = target.create(first.url)
  const restarts = atSize(20, 200)
  for (let round = 0; round < restarts; round++) {
    half = false
    expect((await read(provider)).text).toBe('Hello, wörld 👩‍🚀')
    half = true
    const reader = await provider.streamWithTools(question, tools, once)
    await reader.next()
    for (const socket of first.sockets) socket.destroy()
    const error = await (async () => {
      for await (const _ of reader) continue
    })().catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      code: 'truncated',
      retryable: true,
      partial: { text: expect.stringMatching(/^Hel/) as string },
    })
    half = false
    // The restart closed kept connections; the next call does not fail for that.
    expect((await read(provider)).text).toBe('Hello, wörld 👩‍🚀')
    for (const socket of first.sockets) socket.destroy()
    expect((await read(provider)).text).toBe('Hello, wörld 👩‍🚀')
  }
  reportFault('restart', { restarts })
})

test('1,000 streams at once each have their own reply', async () => {
  const target = targets.find(({ name }) => name === 'openai-compatible')!
  const { headers, pieces } = await answerTo(target, textTurn)
  let most = 0
  let open = 0
  const { url } = await serve((request, response) => {
    most = Math.max(most, ++open)
    response.on('close', () => open--)
    const id = String(request.headers['x-stream'])
    response.writeHead(200, headers)
    const step = (index: number): void => {
      const piece = pieces[index]
      if (piece === undefined) response.end()
      // Nobody is answered before all are there.
      else if (index === 1 && most < 1000) setTimeout(() => step(1), 20)
      else response.write(piece.replaceAll('wörld', id), () => setTimeout(() => step(index + 1), 1))
    }
    step(0)
  })
  const provider = target.create(url)
  const one = async (id: number): Promise<void> => {
    const reader = await provider.streamWithTools(question, tools, {
      ...once,
      vendor: { headers: { 'x-stream': `<${id}>` } },
    })
    for await (const _ of reader) continue
    expect(reader.fullText()).toBe(`Hello, <${id}> 👩‍🚀`)
  }
  await Promise.all(Array.from({ length: 1000 }, (_, id) => one(id)))
  expect(most).toBe(1000)
  reportFault('crowd', { 'streams at once': most })
})
