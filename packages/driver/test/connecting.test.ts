import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { createEndpointClient, toProviderError } from '@modelport/driver'
import { afterEach, describe, expect, test } from 'vitest'
import { node } from '../../../test/support/platform.js'
import { createTransport } from '../src/transport/transport.js'

const running: Server[] = []
const sockets = new Set<Socket>()
afterEach(() => {
  for (const server of running.splice(0)) server.close()
  for (const socket of sockets) socket.destroy()
})

/** Listens on the loopback address until the end of the test. */
async function listen(server: Server): Promise<number> {
  running.push(server)
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

/** A server that reads and never answers. */
const silent = (): Promise<number> => listen(createServer((socket) => socket.resume()))

describe.skipIf(!node)('a connection that does not come about', () => {
  test('a connection to a proxy that never confirms a tunnel ends at connectMs, and closes', async () => {
    const fetch = createTransport({
      proxy: `http://127.0.0.1:${await silent()}`,
      timeouts: { connectMs: 60 },
    })
    await expect(fetch('https://api.test/')).rejects.toMatchObject({
      cause: { code: 'UND_ERR_CONNECT_TIMEOUT' },
    })
    await expect.poll(() => sockets.size).toBe(0)
  })

  test('a TLS connection to a server of plain HTTP, which waits for more, ends at a tenth of connectMs and says so', async () => {
    const waits = createServer((socket) => {
      socket.on('data', (chunk) => {
        if (chunk.toString('latin1').endsWith('\r\n\r\n'))
          socket.end('HTTP/1.0 404 Not Found\r\n\r\n')
      })
    })
    const url = `https://127.0.0.1:${await listen(waits)}/`
    const settings = { model: '', cheapestModel: '', hosts: [], timeouts: { connectMs: 500 } }
    const client = createEndpointClient('p', (found) => toProviderError('p', found), settings)
    await expect(client.json({ url })).rejects.toMatchObject({
      code: 'network',
      reason: 'tls',
      attempts: 1,
      message: expect.stringMatching(
        /: the server speaks plain HTTP at this port; .*write http:\/\/ in the base URL/,
      ),
    })
    await expect.poll(() => sockets.size).toBe(0)
  })

  test('a TLS connection to a server that is silent in plain HTTP too ends at connectMs', async () => {
    const fetch = createTransport({ timeouts: { connectMs: 60 } })
    const call = fetch(`https://127.0.0.1:${await silent()}/`)
    await expect(call).rejects.toMatchObject({ code: 'UND_ERR_CONNECT_TIMEOUT' })
    await expect.poll(() => sockets.size).toBe(0)
  })

  test('a connection inside a tunnel, where the server never begins TLS, is dropped once its request is aborted', async () => {
    const confirms = createServer((socket) => {
      socket.once('data', () => socket.write('HTTP/1.1 200 Connection established\r\n\r\n'))
    })
    let hellos = 0
    confirms.on('connection', (socket: Socket) => socket.on('data', () => hellos++))
    const fetch = createTransport({ proxy: `http://127.0.0.1:${await listen(confirms)}` })
    const abort = new AbortController()
    const call = fetch('https://api.test/', { signal: abort.signal }).catch(
      (error: unknown) => error,
    )
    await expect.poll(() => hellos).toBe(2)
    abort.abort(new Error('no longer wanted'))
    await call
    await expect.poll(() => sockets.size).toBe(0)
  })

  test.each([
    ['to a proxy', 'https://api.test/', true],
    ['through a proxy to a server without TLS', 'http://api.test/', true],
    ['to a server', '', false],
  ])('%s is dropped once the last request for it is aborted', async (_, address, proxied) => {
    const port = await silent()
    const fetch = createTransport(proxied ? { proxy: `http://127.0.0.1:${port}` } : {})
    const [first, second] = [new AbortController(), new AbortController()]
    const url = address || `https://127.0.0.1:${port}/`
    const calls = [first, second].map(({ signal }) =>
      fetch(url, { signal }).catch((error: unknown) => error),
    )
    await expect.poll(() => sockets.size).toBeGreaterThan(0)
    first.abort(new Error('the first'))
    second.abort(new Error('the second'))
    await Promise.all(calls)
    await expect.poll(() => sockets.size).toBe(0)
  })
})

describe.skipIf(!node)('a connection that ends', () => {
  test('a connection that ends right after a compressed stream takes nothing of it away', async () => {
    const packed = gzipSync('x'.repeat(300_000) + 'the end')
    const server = createServer((socket) => {
      socket.once('data', () => {
        socket.write(
          `HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ntransfer-encoding: chunked\r\n\r\n${packed.length.toString(16)}\r\n`,
        )
        // The last chunk that says that the body is whole never comes.
        socket.write(packed, () => socket.resetAndDestroy())
      })
    })
    const fetch = createTransport({})
    const port = await listen(server)
    for (let run = 0; run < 20; run++) {
      const body = await (await fetch(`http://127.0.0.1:${port}/`)).text()
      expect(body.endsWith('the end')).toBe(true)
    }
  })

  test('a connection that ends while it is idle costs an attempt, and is tried again only if there is another one', async () => {
    let requests = 0
    const server = createHttpServer((_, response) => {
      if (++requests % 2) response.setHeader('content-type', 'application/json').end('{}')
      else response.socket?.destroy()
    })
    const url = `http://127.0.0.1:${await listen(server)}/`
    const settings = { model: '', cheapestModel: '', hosts: [] }
    const client = createEndpointClient('p', (found) => toProviderError('p', found), settings)
    await client.json({ url })
    const notices: number[] = []
    const onRetry = ({ attempt }: { readonly attempt: number }): void => {
      notices.push(attempt)
    }
    expect(await client.json({ url, body: {} }, { retry: { onRetry } })).toEqual({})
    expect([notices, requests]).toEqual([[1], 3])
    const once = client.json({ url, body: {} }, { retry: { attempts: 1, onRetry } })
    await expect(once).rejects.toMatchObject({ code: 'network', reason: 'reset', attempts: 1 })
    expect([notices, requests]).toEqual([[1], 4])
  })
})
