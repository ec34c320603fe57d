import http from 'node:http'
import { type Api, contentType, streamPieces, toolPieces } from './bodies.ts'

/**
 * The server of the measurements, in a process of its own. The path says what it answers:
 * `/API/fast/DELTAS/…` as fast as it can, about 64 KiB at once, `/API/paced/DELTAS/…` one event a write at 50 a second,
 * `/openai-chat/tool/BYTES/…` one tool call.
 */
const cache = new Map<string, string[]>()

function piecesOf(api: Api, regime: string, size: number): string[] {
  const key = `${api} ${regime === 'tool' ? 'tool' : 'text'} ${size}`
  let pieces = cache.get(key)
  if (!pieces) {
    pieces = regime === 'tool' ? toolPieces(size) : streamPieces(api, size)
    cache.set(key, pieces)
  }
  return pieces
}

const server = http.createServer((request, response) => {
  const [, api, regime, size] = (request.url ?? '').split('/')
  request.resume()
  request.on('end', () => {
    response.writeHead(200, { 'content-type': contentType(api as Api) })
    response.flushHeaders()
    if (regime === 'paced') pace(response, piecesOf(api as Api, regime, Number(size)))
    else void flood(response, piecesOf(api as Api, regime ?? '', Number(size)))
  })
})

/** Every event is an HTTP chunk of its own, as servers write them; Node sends those of one turn of its loop together. */
async function flood(response: http.ServerResponse, pieces: readonly string[]): Promise<void> {
  for (const piece of pieces) {
    if (!response.write(piece)) await new Promise((resolve) => response.once('drain', resolve))
  }
  response.end()
}

function pace(response: http.ServerResponse, pieces: readonly string[]): void {
  let index = 0
  response.socket?.setNoDelay(true)
  const start = setTimeout(() => {
    const timer = setInterval(() => {
      const piece = pieces[index++]
      if (piece !== undefined) response.write(piece)
      if (index < pieces.length) return
      clearInterval(timer)
      response.end()
    }, 20)
  }, Math.random() * 20)
  response.on('close', () => {
    clearTimeout(start)
  })
}

server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object' && address) process.send?.(address.port)
})
process.on('disconnect', () => {
  process.exit()
})
