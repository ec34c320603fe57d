import { fork } from 'node:child_process'
import { getEventListeners, once } from 'node:events'
import { parseArgs } from 'node:util'
import { createOpenAICompatible } from '@modelport/provider-openai-compatible'

/**
 * `node --expose-gc src/leaks.ts [--streams N] [--at-once N]`: many short streams on one abort
 * signal, read to their end, left early, and aborted in turn; then what is left of them: listeners,
 * heap, sockets.
 */
const { values } = parseArgs({
  options: { streams: { type: 'string' }, 'at-once': { type: 'string' } },
})
const total = Number(values.streams ?? 100_000)
const atOnce = Number(values['at-once'] ?? 50)
const collect = globalThis.gc
if (!collect) throw new Error('run node with --expose-gc')

const server = fork(new URL('server.ts', import.meta.url))
const [port] = (await once(server, 'message')) as [number]
const provider = createOpenAICompatible({
  model: 'bench',
  baseUrl: `http://127.0.0.1:${port}/openai-chat/fast/3/v1`,
})
const shared = new AbortController()

async function one(index: number): Promise<void> {
  const reader = await provider.stream('bench', { signal: shared.signal })
  // Every fourth is left after its first piece, as a user who has seen enough does.
  for await (const text of reader) if (index % 4 === 0 && text) break
}

const heap = async (): Promise<number> => {
  for (let round = 0; round < 5; round++) {
    collect()
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return process.memoryUsage().heapUsed
}

async function run(streams: number): Promise<void> {
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < streams) await one(next++)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}

await run(Math.min(5_000, total))
const before = await heap()
const start = performance.now()
await run(total)
const seconds = (performance.now() - start) / 1000
const after = await heap()
const listeners = getEventListeners(shared.signal, 'abort').length
const growth = (after - before) / 1e6
await new Promise((resolve) => setTimeout(resolve, 5_000))
const sockets = process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length
console.log(
  `${total} streams in ${seconds.toFixed(1)} s: heap ${growth >= 0 ? '+' : ''}${growth.toFixed(2)} MB, ${listeners} listeners on the shared signal, ${sockets} sockets open 5 s later`,
)
server.disconnect()
const flat = listeners === 0 && growth < 5
if (!flat) console.log('not flat: at most +5 MB and 0 listeners are allowed')
process.exit(flat ? 0 : 1)
