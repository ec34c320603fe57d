import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * `node src/idle.ts [streams] [rounds]`: memory per stream that has given its first delta and waits
 * for the next. The floor is `undici.request`. Each sample is a process of its own, which collects
 * before and after; the server is another process.
 */
const [, , role = '500', second = '3'] = process.argv

type Open = () => Promise<unknown>

/**
 * Makes a function that opens a stream and reads its first delta; it returns what keeps the stream
 * open.
 */
const rows: Readonly<Record<string, (baseUrl: string) => Promise<Open>>> = {
  floor: async (url) => {
    const { Agent, request } = await import('undici')
    const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0 })
    return async () => {
      const { body } = await request(`${url}/chat/completions`, {
        method: 'POST',
        dispatcher,
        body: '{}',
      })
      const reader = body[Symbol.asyncIterator]()
      await reader.next()
      return reader
    }
  },
  stream: async (baseUrl) => {
    const { createOpenAICompatible } = await import('@modelport/provider-openai-compatible')
    const provider = createOpenAICompatible({ model: 'bench', apiKey: 'key-of-the-bench', baseUrl })
    return async () => firstOf((await provider.stream('How warm?'))[Symbol.asyncIterator]())
  },
  'AI SDK streamText': async (baseURL) => {
    const { streamText } = await import('ai')
    const { createOpenAI } = await import('@ai-sdk/openai')
    const model = createOpenAI({ apiKey: 'key-of-the-bench', baseURL }).chat('bench')
    return () =>
      firstOf(
        streamText({ model, prompt: 'How warm?', maxRetries: 0 }).textStream[
          Symbol.asyncIterator
        ](),
      )
  },
}

/** Reads one delta, and waits for the next. */
async function firstOf(reader: AsyncIterator<string>): Promise<unknown> {
  const { value } = await reader.next()
  if (value !== 'It') throw new Error(`the first delta is ${JSON.stringify(value)}`)
  return [reader, reader.next()]
}

async function serveHeld(): Promise<string> {
  const delta = JSON.stringify({
    id: 'c',
    choices: [{ index: 0, delta: { content: 'It' }, finish_reason: null }],
  })
  const server = createServer((incoming, outgoing) => {
    incoming
      .resume()
      .on('end', () =>
        outgoing
          .writeHead(200, { 'content-type': 'text/event-stream' })
          .write(`data: ${delta}\n\n`),
      )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

/** Bytes per stream, of the heap and of the process. */
async function sample(open: Open, count: number): Promise<readonly [heap: number, rss: number]> {
  const kept = [await open()]
  const before = collected()
  while (kept.length <= count)
    kept.push(...(await Promise.all(Array.from({ length: 50 }, () => open()))))
  const after = collected()
  return [
    (after.heapUsed - before.heapUsed) / (kept.length - 1),
    (after.rss - before.rss) / (kept.length - 1),
  ]
}

function collected(): NodeJS.MemoryUsage {
  for (let index = 0; index < 3; index++) globalThis.gc?.()
  return process.memoryUsage()
}

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? NaN

async function measure(): Promise<void> {
  const server = fork(new URL(import.meta.url), ['server'])
  const [url] = (await once(server, 'message')) as [string]
  const found: Record<string, (readonly [number, number])[]> = {}
  for (let round = 0; round < Number(second); round++)
    for (const name of Object.keys(rows)) {
      const child: ChildProcess = fork(new URL(import.meta.url), [name, url, role], {
        execArgv: ['--expose-gc'],
      })
      const [result] = (await once(child, 'message')) as [readonly [number, number]]
      ;(found[name] ??= []).push(result)
      child.kill()
    }
  server.kill()
  console.log(`| ${role} idle streams | heap each | process each |\n|---|--:|--:|`)
  for (const [name, samples] of Object.entries(found)) {
    const [heap, rss] = ([0, 1] as const).map((at) =>
      (median(samples.map((one) => one[at])) / 1024).toFixed(1),
    )
    console.log(`| ${name} | ${heap} kB | ${rss} kB |`)
  }
}

const row = rows[role]
if (role === 'server') process.send?.(await serveHeld())
else if (row) process.send?.(await sample(await row(second), Number(process.argv[4])))
else await measure()
process.once('disconnect', () => process.exit())
