import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * `node --import ../scripts/sources.mjs src/chat.ts [rounds]`: the first piece of a reply by
 * `chatRoutes` with a SQLite file, next to a plain `streamText` route of the AI SDK that stores
 * nothing; and memory of the server per idle reader, of 500 readers of 100 chats. The model and
 * the routes are processes of their own; rounds are interleaved, each with its ratio.
 */
const [, , role = '40', modelUrl = '', folder = ''] = process.argv
const names = ['chatRoutes', 'streamText'] as const
type Name = (typeof names)[number]
const chats = 100
const readersEach = 5

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? NaN

type Listener = (incoming: IncomingMessage, outgoing: ServerResponse) => unknown

async function listen(listener: Listener): Promise<string> {
  const server = createServer((incoming, outgoing) => void listener(incoming, outgoing))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A model that says one word; it ends its reply unless it is asked to hold it. */
async function serveModel(): Promise<string> {
  const chunk = (delta: object, reason: string | null) => {
    const choices = [{ index: 0, delta, finish_reason: reason }]
    return `data: ${JSON.stringify({ id: 'c', choices })}\n\n`
  }
  const url = await listen((incoming, outgoing) => {
    let body = ''
    incoming.setEncoding('utf8').on('data', (text: string) => (body += text))
    incoming.on('end', () => {
      outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
      outgoing.write(chunk({ content: 'It' }, null))
      if (!body.includes('HOLD')) outgoing.end(`${chunk({}, 'stop')}data: [DONE]\n\n`)
    })
  })
  return `${url}/v1`
}

async function serveChatRoutes(): Promise<string> {
  const { getRequestListener } = await import('@hono/node-server')
  const { chatRoutes } = await import('@modelport/durable/chat')
  const { openSqliteStore } = await import('@modelport/durable/sqlite')
  const { createOpenAICompatible } = await import('@modelport/provider-openai-compatible')
  const chat = chatRoutes({
    store: await openSqliteStore(join(folder, 'chat.db')),
    provider: createOpenAICompatible({ baseUrl: modelUrl, model: 'bench' }),
    authorize: () => ({ subject: 'ann' }),
  })
  return listen(getRequestListener(chat.fetch))
}

async function serveStreamText(): Promise<string> {
  const { getRequestListener } = await import('@hono/node-server')
  const { convertToModelMessages, createUIMessageStreamResponse, streamText, toUIMessageStream } =
    await import('ai')
  const { createOpenAI } = await import('@ai-sdk/openai')
  const model = createOpenAI({ apiKey: 'key-of-the-bench', baseURL: modelUrl }).chat('bench')
  return listen(
    getRequestListener(async (incoming) => {
      const { messages } = await incoming.json()
      const result = streamText({ model, messages: await convertToModelMessages(messages) })
      return createUIMessageStreamResponse({
        stream: toUIMessageStream({ stream: result.stream }),
      })
    }),
  )
}

/** A process of its own. */
class Remote {
  readonly #process: ChildProcess
  readonly url: string

  private constructor(process: ChildProcess, url: string) {
    this.#process = process
    this.url = url
  }

  static async start(name: string, ...args: readonly string[]): Promise<Remote> {
    const execArgv = [...process.execArgv, '--expose-gc']
    const child = fork(new URL(import.meta.url), [name, ...args], { execArgv })
    const [url] = (await once(child, 'message')) as [string]
    return new Remote(child, url)
  }

  /** Bytes of memory that the process uses after a collection. */
  async memory(): Promise<number> {
    this.#process.send('memory')
    const [value] = (await once(this.#process, 'message')) as [number]
    return value
  }

  stop(): void {
    this.#process.kill()
  }
}

/** Sends a message, or without one reads on; resolves with the first piece of text. */
function read(url: string, id: string, text?: string): Promise<IncomingMessage> {
  const message = { id: crypto.randomUUID(), role: 'user', parts: [{ type: 'text', text }] }
  const path = text === undefined ? `/api/chat/${id}/stream` : '/api/chat'
  return new Promise((resolve, reject) => {
    const outgoing = request(`${url}${path}`, {
      agent: false,
      method: text === undefined ? 'GET' : 'POST',
      headers: { 'content-type': 'application/json' },
    })
    outgoing.on('error', reject).on('response', (response: IncomingMessage) => {
      let body = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        body += chunk
        if (body.includes('"delta":"It"')) resolve(response)
      })
      response.on('end', () =>
        reject(new Error(`no piece: ${path} ${response.statusCode} ${body.slice(0, 500)}`)),
      )
    })
    outgoing.end(text === undefined ? '' : JSON.stringify({ id, messages: [message] }))
  })
}

/** Milliseconds to the first piece of a new chat. */
async function firstPiece({ url }: Remote): Promise<number> {
  const start = performance.now()
  const response = await read(url, crypto.randomUUID(), 'How warm?')
  const took = performance.now() - start
  if (!response.complete) await once(response, 'end')
  return took
}

/**
 * Bytes of the first server per reader that has the first piece and waits for the next. A process
 * makes 64 replies at a time, so two of them share the chats; the first one has all the readers.
 */
async function memoryPerReader(servers: readonly [Remote, Remote]): Promise<number> {
  const [first] = servers
  const ids = Array.from({ length: chats }, (_, index) => `held-${index}`)
  const open: IncomingMessage[] = []
  for (const [index, id] of ids.entries())
    open.push(await read((servers[index % 2] ?? first).url, id, 'HOLD'))

  const before = await first.memory()
  for (const id of ids) {
    const readers = Array.from({ length: readersEach }, () => read(first.url, id))
    open.push(...(await Promise.all(readers)))
  }
  const after = await first.memory()

  for (const response of open) response.destroy()
  return (after - before) / (chats * readersEach)
}

async function measure(): Promise<void> {
  const model = await Remote.start('model')
  const folder = mkdtempSync(join(tmpdir(), 'modelport-bench-chat-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const [ours, plain] = await Promise.all(
    names.map((name) => Remote.start(name, model.url, folder)),
  )
  const remotes = { chatRoutes: ours, streamText: plain } as Record<Name, Remote>
  const times: Record<Name, number[]> = { chatRoutes: [], streamText: [] }
  for (let round = -10; round < Number(role); round++)
    for (const name of round % 2 ? names : names.toReversed()) {
      const took = await firstPiece(remotes[name])
      if (round >= 0) times[name].push(took)
    }
  const ratio = median(
    times.chatRoutes.map((took, round) => took / (times.streamText[round] ?? NaN)),
  )
  const of = (name: Name): string => `${median(times[name]).toFixed(1)} ms`
  const second = await Remote.start('chatRoutes', model.url, folder)
  const bytes = await memoryPerReader([remotes.chatRoutes, second])
  console.log('| of a chat | chatRoutes | streamText | ratio |\n|---|--:|--:|--:|')
  console.log(
    `| first piece, median of ${role} | ${of('chatRoutes')} | ${of('streamText')} | ${ratio.toFixed(2)} |`,
  )
  console.log(
    `| memory per idle reader, ${chats * readersEach} of ${chats} chats | ${(bytes / 1024).toFixed(1)} kB | | |`,
  )
  for (const remote of [model, second, remotes.chatRoutes, remotes.streamText]) remote.stop()
}

const servers: Readonly<Record<string, () => Promise<string>>> = {
  model: serveModel,
  chatRoutes: serveChatRoutes,
  streamText: serveStreamText,
}
const server = servers[role]
if (server) {
  process.on('message', () => {
    for (let index = 0; index < 3; index++) globalThis.gc?.()
    process.send?.(process.memoryUsage().rss)
  })
  process.once('SIGTERM', () => process.exit())
  process.send?.(await server())
  process.once('disconnect', () => process.exit())
} else await measure()
