import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createTransport, toByteSource } from '@modelport/driver'
import { afterEach, describe, expect, test } from 'vitest'
import { node } from '../../../test/support/platform.js'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

/** A server that says what the test says, once a request is there. */
async function serve(answer: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => answer(socket))
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ntransfer-encoding: chunked\r\n\r\n'
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`
const decoder = new TextDecoder()
const text = (bytes: Uint8Array | undefined): string | undefined => bytes && decoder.decode(bytes)

describe.skipIf(!node)('the body of the transport of Node', () => {
  const fetch = createTransport({})

  test('chunks that nobody waited for are given as one, then the end, as often as it is asked for', async () => {
    const source = toByteSource(
      await fetch(
        await serve((socket) => socket.end(`${head}${chunk('one')}${chunk('two')}0\r\n\r\n`)),
      ),
    )
    await new Promise((resolve) => setImmediate(resolve))
    expect([text(await source.read()), await source.read(), await source.read()]).toEqual([
      'onetwo',
      undefined,
      undefined,
    ])
    source.cancel()
  })

  test('what came before a cut is given before the failure', async () => {
    let cut = false
    const source = toByteSource(
      await fetch(
        await serve((socket) => {
          socket
            .on('close', () => (cut = true))
            .write(`${head}${chunk('one')}`, () => socket.destroy())
        }),
      ),
    )
    await expect.poll(() => cut).toBe(true)
    expect(text(await source.read())).toBe('one')
    await expect(source.read()).rejects.toThrow(/closed|terminated|ECONNRESET/)
    await expect(source.read()).rejects.toThrow()
  })

  test('a response that is announced is waited for', async () => {
    const response = await fetch(
      await serve((socket) =>
        socket.end(`HTTP/1.1 103 Early Hints\r\n\r\n${head}${chunk('one')}0\r\n\r\n`),
      ),
    )
    expect([response.status, await response.text()]).toEqual([200, 'one'])
  })

  test('a dropped body ends the connection, and the read that waits', async () => {
    let closed = false
    const source = toByteSource(
      await fetch(
        await serve((socket) => {
          socket.on('close', () => (closed = true)).write(head)
        }),
      ),
    )
    const read = source.read()
    source.cancel()
    await expect(
      read.then(
        () => 'ended',
        () => 'failed',
      ),
    ).resolves.toMatch(/ended|failed/)
    await expect.poll(() => closed).toBe(true)
    source.cancel()
  })

  test('a signal ends a request before its response, an aborted one sends nothing', async () => {
    const controller = new AbortController()
    let asked = 0
    const url = await serve(() => asked++)
    const sent = fetch(url, { signal: controller.signal })
    await expect.poll(() => asked).toBe(1)
    controller.abort(new Error('enough'))
    await expect(sent).rejects.toThrow('enough')
    await expect(fetch(url, { signal: controller.signal })).rejects.toThrow('enough')
    expect(asked).toBe(1)
  })

  test('a connection that does not come about in its time is given up', async () => {
    const silent = createServer((socket) => socket.on('error', () => undefined))
    servers.push(silent)
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    // The server accepts and then says nothing of TLS.
    const waiting = createTransport({ timeouts: { connectMs: 40 } })(
      `https://127.0.0.1:${(silent.address() as AddressInfo).port}/`,
    )
    await expect(waiting).rejects.toMatchObject({
      code: 'UND_ERR_CONNECT_TIMEOUT',
      message: expect.stringContaining('within 40 ms') as string,
    })
  })

  test('a request that cannot be sent rejects', async () => {
    await expect(fetch('http://127.0.0.1:1/', { headers: { 'a b': '1' } })).rejects.toThrow(
      /header/,
    )
    await expect(fetch('ftp://127.0.0.1/')).rejects.toThrow()
  })
})
