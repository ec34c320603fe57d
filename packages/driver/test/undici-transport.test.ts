import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { deno, node } from '../../../test/support/platform.js'
import { holdRefusedPort } from '../../../test/support/refused-port.js'
import { refuseUnknownNames } from '../../../test/support/unknown-names.js'
import {
  body,
  codeOf,
  type Handler,
  lines,
  provider,
  read,
  serve,
  stops,
  whole,
} from './loopback-wire.js'

describe('bodies', () => {
  test('a chunked stream arrives as it is sent', async () => {
    const { url } = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' })
      const bytes = Buffer.from(body)
      let sent = 0
      const step = (): void => {
        if (sent === bytes.length) response.end()
        else response.write(bytes.subarray(sent, ++sent), () => setImmediate(step))
      }
      step()
    })
    expect(await read(provider(url))).toBe('zwölf 👩‍🚀')
  })

  const everywhere = [
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['identity', (bytes: Buffer) => bytes],
  ] as const
  const onNode = [
    ['x-gzip', gzipSync],
    ['deflate', deflateSync],
  ] as const
  test.each([...everywhere, ...(node ? onNode : [])])(
    'bodies with the content encoding %s arrive as they were',
    async (encoding, compress) => {
      const { url } = await serve((request, response) => {
        const answer = compress(Buffer.from(request.url === '/chat' ? body : whole))
        response.writeHead(200, { 'content-encoding': encoding })
        response.write(answer.subarray(0, 5))
        setTimeout(() => response.end(answer.subarray(5)), 5)
      })
      expect(await read(provider(url))).toBe('zwölf 👩‍🚀')
    },
  )

  test.skipIf(!node)(
    'an unknown or stacked encoding is refused, and its connection dropped',
    async () => {
      for (const encoding of ['zstd', 'gzip, gzip', 'gzip,br']) {
        const { url, sockets } = await serve((_, response) => {
          response.writeHead(200, { 'content-encoding': encoding })
          response.write('x')
        })
        expect(await codeOf(read(provider(url)))).toBe('protocol')
        await expect.poll(() => sockets.size).toBe(0)
      }
    },
  )

  test('a compressed stream cut short is truncated, whole or in the middle', async () => {
    const packed = gzipSync(Buffer.from(body.repeat(1)))
    for (const end of [0, 5, 12, packed.length - 9, packed.length - 1]) {
      const { url } = await serve((_, response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' })
        response.end(packed.subarray(0, end))
      })
      const outcome = await codeOf(read(provider(url)))
      // The trailer may be missing after the terminal event.
      if (end >= packed.length - 9 && Array.isArray(outcome))
        expect(outcome).toEqual(['no failure', 'zwölf 👩‍🚀'])
      else expect(outcome).toBe('truncated')
    }
  })

  test('a gzip bomb is refused in a reply and in an error', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, 'x'))
    for (const status of [200, 500]) {
      const { url, sockets } = await serve((_, response) => {
        response.writeHead(status, { 'content-encoding': 'gzip', 'content-type': 'text/plain' })
        // A file of gzip may be many, one after the other: on Node, which unpacks here, it has no
        // end, and is over only because it is left.
        const more = (): void => {
          if (!response.destroyed) response.write(bomb, () => setImmediate(more))
        }
        if (node) more()
        else response.end(bomb)
      })
      const error = await provider(url, { limits: { maxBodyBytes: 1024 * 1024 } })
        .complete('Hi')
        .then(
          () => undefined,
          (thrown: unknown) => thrown as { code: string; body?: string },
        )
      expect(error?.code).toBe(status === 200 ? 'limit-exceeded' : 'server')
      expect((error?.body ?? '').length).toBeLessThanOrEqual(64 * 1024)
      if (node) await expect.poll(() => sockets.size).toBe(0)
    }
  })
})

describe('failures', () => {
  test.each([301, 302, 303, 307, 308])(
    'a redirect with status %i is refused, and its target gets nothing',
    async (status) => {
      const target = await serve((_, response) => response.end(body))
      const { url, paths } = await serve((_, response) => {
        response.writeHead(status, { location: `${target.url}/chat` })
        response.end()
      })
      expect(await codeOf(provider(url).complete('Hi'))).toBe('redirect-refused')
      expect([paths.length, target.paths.length]).toEqual([1, 0])
    },
  )

  test('failures name the address of a connection that is refused', async () => {
    const { port, release } = await holdRefusedPort()
    stops.push(release)
    await expect(provider(`http://127.0.0.1:${port}`).complete('Hi')).rejects.toMatchObject({
      code: 'network',
      host: `127.0.0.1:${port}`,
      attempts: 1,
      ...(!deno && { reason: 'refused' }),
    })
  })

  test('failures name a host that does not resolve', async () => {
    stops.push(refuseUnknownNames())
    await expect(provider('http://no-such-host.invalid').complete('Hi')).rejects.toMatchObject({
      code: 'network',
      ...(!deno && { reason: 'dns', retryable: false }),
    })
  })

  test('a reset before the headers is tried again, after the first text it is truncated', async () => {
    let count = 0
    const { url } = await serve((request, response) => {
      if (count++ === 0) request.socket.resetAndDestroy()
      else response.end(body)
    })
    expect(await read(provider(url, { defaults: { retry: { attempts: 2 } } }))).toBe('zwölf 👩‍🚀')
    const cut = await serve((_, response) => response.write(lines[0]))
    const reader = await provider(cut.url, { defaults: {} }).stream('Hi')
    expect(await reader.next()).toEqual({ done: false, value: 'zwölf ' })
    for (const socket of cut.sockets) socket.resetAndDestroy()
    await expect(reader.next()).rejects.toMatchObject({
      code: 'truncated',
      partial: { text: 'zwölf ' },
      attempts: 1,
    })
  })

  test('a body that is cut at any byte over real sockets is the right text, or truncated', async () => {
    const bytes = Buffer.from(body)
    let at = 0
    let reset = false
    const { url } = await serve((_, response) => {
      response.writeHead(200, { 'content-length': String(bytes.length), connection: 'close' })
      response.write(bytes.subarray(0, at), () => {
        if (reset) response.socket?.resetAndDestroy()
        else response.socket?.end()
      })
    })
    for (reset of [false, true]) {
      for (at = 1; at <= bytes.length; at++) {
        const outcome = await codeOf(read(provider(url)))
        if (Array.isArray(outcome)) expect(outcome).toEqual(['no failure', 'zwölf 👩‍🚀'])
        else expect(['truncated', 'network']).toContain(outcome)
        if (at < bytes.length - 2 && !reset) expect(outcome).toBe('truncated')
      }
    }
  })

  test('failures include a server that sends no headers, or half of them', async () => {
    const silent = await serve(() => undefined)
    await expect(
      provider(silent.url, { timeouts: { headersMs: 50 } }).complete('Hi'),
    ).rejects.toMatchObject({
      code: 'timeout',
      reason: 'headers',
    })
    await expect.poll(() => silent.sockets.size).toBe(0)
    const half = createTcpServer((socket) =>
      socket.on('error', () => undefined).write('HTTP/1.1 200 OK\r\ncontent-type: '),
    ).listen(0, '127.0.0.1')
    await new Promise((resolve) => half.once('listening', resolve))
    stops.push(() => half.close())
    await expect(
      provider(`http://127.0.0.1:${(half.address() as AddressInfo).port}`, {
        timeouts: { headersMs: 50 },
      }).complete('Hi'),
    ).rejects.toMatchObject({ code: 'timeout' })
  })

  test('failures include a server that falls silent', async () => {
    const { url, sockets } = await serve((_, response) => response.write(lines[0]))
    await expect(read(provider(url, { timeouts: { idleMs: 250 } }))).rejects.toMatchObject({
      code: 'timeout',
      reason: 'idle',
      partial: { text: 'zwölf ' },
    })
    await expect.poll(() => sockets.size).toBe(0)
  })

  test('failures include a server whose response is not HTTP', async () => {
    // Who gets no HTTP may reset the connection.
    const server = createTcpServer((socket) =>
      socket.on('error', () => undefined).end('SSH-2.0-OpenSSH_9.6\r\n'),
    ).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    stops.push(() => server.close())
    expect(
      await codeOf(
        provider(`http://127.0.0.1:${(server.address() as AddressInfo).port}`).complete('Hi'),
      ),
    ).toBe(node ? 'protocol' : 'network')
  })
})

describe('leaving', () => {
  const endless: Handler = (_, response) => {
    response.write(lines[0])
  }

  test('abort closes the socket, at each point', async () => {
    for (const handler of [endless, () => undefined] as Handler[]) {
      const { url, sockets } = await serve(handler)
      const controller = new AbortController()
      const running = (async () => {
        for await (const _ of await provider(url).stream('Hi', { signal: controller.signal }))
          continue
      })()
      running.catch(() => undefined)
      await expect.poll(() => sockets.size).toBe(1)
      await new Promise((resolve) => setTimeout(resolve, 30))
      controller.abort(new Error('enough'))
      await expect(running).rejects.toBe(controller.signal.reason)
      await expect.poll(() => sockets.size).toBe(0)
    }
  })

  test.runIf(node)(
    'calls to a silent host over https end together, not one after the other',
    async () => {
      const sockets = new Set<Socket>()
      const server = createTcpServer((socket) => {
        sockets.add(socket.resume())
        socket.on('close', () => sockets.delete(socket)).on('error', () => undefined)
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      stops.push(() => server.close())
      const silent = provider(`https://127.0.0.1:${(server.address() as AddressInfo).port}`, {
        timeouts: { connectMs: 1000 },
      })
      const controller = new AbortController()
      const calls = Array.from({ length: 6 }, () =>
        silent.complete('Hi', { signal: controller.signal }),
      )
      await expect.poll(() => sockets.size, { interval: 2 }).toBe(6)
      controller.abort()
      expect(
        new Set(
          (await Promise.allSettled(calls)).map((one) =>
            one.status === 'rejected' ? (one.reason as unknown) : one,
          ),
        ),
      ).toEqual(new Set([controller.signal.reason]))
      await expect.poll(() => sockets.size).toBe(0)
    },
  )

  test('close and break close the socket', async () => {
    const { url, sockets } = await serve(endless)
    const reader = await provider(url).stream('Hi')
    await reader.next()
    const parked = reader.next()
    await reader.close()
    expect(await parked).toEqual({ done: true, value: undefined })
    await expect.poll(() => sockets.size).toBe(0)
    for await (const _ of await provider(url).stream('Hi')) break
    await expect.poll(() => sockets.size).toBe(0)
  })

  test('a paused consumer stops the network', async () => {
    const mib = 1024 * 1024
    const most = 1024 * mib
    let sent = 0
    const { url } = await serve((_, response) => {
      const line = `${JSON.stringify({ text: 'x'.repeat(64 * 1024) })}\n`
      const fill = (): void => {
        while (!response.destroyed && sent < most) {
          sent += line.length
          if (!response.write(line)) {
            response.once('drain', fill)
            return
          }
        }
      }
      fill()
    })
    const reader = await provider(url).stream('Hi')
    await reader.next()
    // A transport that reads on ends at the last byte. A server that is only slow stands still for
    // one look or two, not for ten in a row.
    let last = -1
    let still = 0
    await expect
      .poll(
        () => {
          still = sent === last ? still + 1 : 0
          last = sent
          return sent >= most ? Infinity : still
        },
        { interval: 50 },
      )
      .toBeGreaterThanOrEqual(10)
    // How much the system's buffers of the two sockets take is its own affair, but no gigabyte.
    expect(sent).toBeLessThan(most)
    await reader.close()
  })

  test('a connection is used again after a response was read to its end', async () => {
    const ports = new Set<number | undefined>()
    const { url } = await serve((request, response) => {
      ports.add(request.socket.remotePort)
      response.end(body)
    })
    const made = provider(url)
    for (let call = 0; call < 10; call++) expect(await read(made)).toBe('zwölf 👩‍🚀')
    expect(ports.size).toBeLessThan(5)
  })
})
