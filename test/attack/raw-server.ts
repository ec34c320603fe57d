import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterEach } from 'vitest'

/**
 * What the server writes to one request: bytes in the pieces in which they are sent, then how the
 * connection ends.
 */
export interface RawReply {
  readonly pieces: readonly (string | Uint8Array)[]
  /** Default `end`: a clean FIN. `keep` leaves the connection open. */
  readonly then?: 'end' | 'reset' | 'keep'
}

/**
 * A TCP server that knows no HTTP but the end of a request's head and its content length (RFC 9112,
 * section 6).
 */
export interface RawServer {
  readonly url: string
  /** Every request as text, head and body. */
  readonly requests: string[]
  /** Connections that are open now. */
  readonly open: ReadonlySet<Socket>
  /** What the next requests get. */
  reply: (request: string) => RawReply
}

const running: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of running.splice(0)) await stop()
})

/** Starts a server on loopback that is stopped after the test. */
export async function startRawServer(reply: RawServer['reply']): Promise<RawServer> {
  const open = new Set<Socket>()
  const requests: string[] = []
  const state = { reply }
  const server = createServer((socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket)).on('error', () => undefined)
    let received = Buffer.alloc(0)
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk])
      const head = received.indexOf('\r\n\r\n')
      if (head < 0) return
      const length = Number(
        /content-length: (\d+)/i.exec(received.toString('latin1', 0, head))?.[1] ?? 0,
      )
      if (received.length < head + 4 + length) return
      const request = received.toString('utf8', 0, head + 4 + length)
      received = received.subarray(head + 4 + length)
      requests.push(request)
      const { pieces, then = 'end' } = state.reply(request)
      const write = async (): Promise<void> => {
        for (const piece of pieces) {
          if (socket.destroyed) return
          if (!socket.write(piece))
            await new Promise((resolve) => socket.once('drain', resolve).once('close', resolve))
        }
        if (then === 'end') socket.end()
        if (then === 'reset') socket.resetAndDestroy()
      }
      void write()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  running.push(
    () =>
      new Promise((resolve) => {
        for (const socket of open) socket.destroy()
        server.close(() => resolve())
      }),
  )
  const { port } = server.address() as AddressInfo
  return Object.assign(state, { url: `http://127.0.0.1:${port}`, requests, open })
}

/** A response as bytes, its body chunked in these pieces (RFC 9112, section 7.1). */
export function chunked(
  status: number,
  type: string,
  body: readonly (string | Uint8Array)[],
  extra = '',
): Buffer[] {
  const head = `HTTP/1.1 ${status} X\r\ncontent-type: ${type}\r\ntransfer-encoding: chunked\r\n${extra}\r\n`
  return [
    Buffer.from(head),
    ...body.flatMap((piece) => {
      const bytes = Buffer.from(piece as Uint8Array)
      return bytes.length === 0
        ? []
        : [Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]
    }),
    Buffer.from('0\r\n\r\n'),
  ]
}
