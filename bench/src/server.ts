import http from 'node:http'
import { answerBody } from './answers.ts'
import { type Api, contentType, deltaEvent, frameOf, streamPieces, toolPieces } from './bodies.ts'
import { stamp } from './stamp.ts'

/**
 * The server of the measurements, in a process of its own. The path says what it answers:
 * `/API/WIRE/SIZE/…`, where WIRE is `fast` (SIZE deltas as fast as it can, about 64 KiB at once),
 * `tool` (the same with one tool call of SIZE argument bytes), `paced` (one event a write, 50 a
 * second), `many` (10 a second, the text of a delta is the time it was sent), `first` (one delta at
 * once, the end 2 ms later) or `answer` (a short reply, not streamed).
 */
const cache = new Map<string, string[]>()

function piecesOf(api: Api, wire: string, size: number): string[] {
  const key = `${api} ${wire === 'tool' ? 'tool' : 'text'} ${size}`
  let pieces = cache.get(key)
  if (!pieces) {
    pieces = wire === 'tool' ? toolPieces(api, size) : streamPieces(api, size)
    cache.set(key, pieces)
  }
  return pieces
}

type Answer = (response: http.ServerResponse, api: Api, size: number) => void

const flooded =
  (wire: string): Answer =>
  (response, api, size) =>
    void flood(response, piecesOf(api, wire, size))

const answers: Readonly<Record<string, Answer>> = {
  fast: flooded('fast'),
  tool: flooded('tool'),
  paced: (response, api, size) => {
    const pieces = piecesOf(api, 'paced', size)
    pace(response, 20, (index) => pieces[index])
  },
  many: (response, api, size) => {
    const { head, tail } = frameOf(api)
    if (head) response.write(head)
    pace(response, 100, (index) =>
      index < size ? deltaEvent(api, stamp()) : index === size ? tail : undefined,
    )
  },
  first: (response, api) => {
    const { head, tail } = frameOf(api)
    response.write(head + deltaEvent(api, 'Hello'))
    setTimeout(() => response.end(tail), 2)
  },
  answer: (response, api) => response.end(answerBody(api)),
}

/**
 * Every event is an HTTP chunk of its own, as servers write them; Node sends those of one turn of
 * its loop together.
 */
async function flood(response: http.ServerResponse, pieces: readonly string[]): Promise<void> {
  let goOn = (): void => undefined
  response.on('drain', () => goOn()).on('close', () => goOn())
  for (const piece of pieces) {
    if (response.destroyed) return
    if (!response.write(piece)) await new Promise<void>((resolve) => (goOn = resolve))
  }
  response.end()
}

/** One piece each so many milliseconds, from a moment within the first of them. */
function pace(
  response: http.ServerResponse,
  everyMs: number,
  piece: (index: number) => string | undefined,
): void {
  let index = 0
  let timer: NodeJS.Timeout | undefined
  response.socket?.setNoDelay(true)
  const send = (): void => {
    const next = piece(index++)
    if (next !== undefined) return void response.write(next)
    clearInterval(timer)
    response.end()
  }
  const start = setTimeout(() => (timer = setInterval(send, everyMs)), Math.random() * everyMs)
  response.on('close', () => {
    clearTimeout(start)
    clearInterval(timer)
  })
}

const server = http.createServer((request, response) => {
  const [, api, wire, size] = (request.url ?? '').split('/')
  request.resume()
  request.on('end', () => {
    response.writeHead(200, {
      'content-type': wire === 'answer' ? 'application/json' : contentType(api as Api),
    })
    if (wire !== 'answer') response.flushHeaders()
    answers[wire ?? '']?.(response, api as Api, Number(size))
  })
})

server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', 4096, () => {
  const address = server.address()
  if (typeof address === 'object' && address) process.send?.(address.port)
})
process.on('disconnect', () => {
  process.exit()
})
