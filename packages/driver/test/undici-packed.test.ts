import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { createTransport, toByteSource } from '@modelport/driver'
import { afterEach, describe, expect, test } from 'vitest'
import { node } from '../../../test/support/platform.js'

/** The head of a packed text: nothing can be unpacked yet. */
const begun = gzipSync('unpacked').subarray(0, 10)

const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

async function serve(
  answer: RequestListener,
): Promise<{ readonly url: string; readonly sockets: Set<Socket> }> {
  const sockets = new Set<Socket>()
  const server = createServer(answer).on('connection', (socket) =>
    sockets.add(socket.on('close', () => sockets.delete(socket))),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  stops.push(() => {
    server.close()
    server.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, sockets }
}

describe.skipIf(!node)('a packed body', () => {
  const fetch = createTransport({})

  test('a packed body may name its packing in capitals', async () => {
    const { url } = await serve((_, response) =>
      response.setHeader('content-encoding', 'GZIP').end(gzipSync('unpacked')),
    )
    expect(await (await fetch(url)).text()).toBe('unpacked')
  })

  test('a packed body of a packing that was not asked for is refused by its name, and its connection dropped', async () => {
    const { url, sockets } = await serve((_, response) =>
      response.setHeader('content-encoding', 'zstd').write('x'),
    )
    await expect(fetch(url)).rejects.toMatchObject({
      code: 'protocol',
      message: 'the server sent the content encoding "zstd", which was not asked for',
    })
    await expect.poll(() => sockets.size).toBe(0)
  })

  test('a packed body whose connection is reset fails', async () => {
    const { url, sockets } = await serve((_, response) =>
      response.setHeader('content-encoding', 'gzip').write(begun),
    )
    const source = toByteSource(await fetch(url))
    const reading = source.read()
    for (const socket of sockets) socket.resetAndDestroy()
    await expect(reading).rejects.toThrow(Error)
  })

  test('a packed body that is dropped drops its connection', async () => {
    const { url, sockets } = await serve((_, response) =>
      response.setHeader('content-encoding', 'gzip').write(begun),
    )
    const source = toByteSource(await fetch(url))
    expect(sockets.size).toBe(1)
    source.cancel()
    await expect.poll(() => sockets.size).toBe(0)
    expect(await source.read()).toBeUndefined()
  })
})
