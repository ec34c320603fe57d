import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer, Agent as HttpAgent, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAgent } from '@modelport/agent'
import { serve } from '@modelport/serve/node'
import { startOfficialServer } from '../../packages/serve/test/support/official-server.ts'

/**
 * `node src/agent-server.ts [rounds] [subscribers]`: CPU of a server of A2A per task with an
 * instant handler, sent and streamed, one and 64 at once, and memory per idle subscriber, against
 * the server of the official SDK. No ratio is printed if the middle half of the rounds of HTTP
 * alone spreads by more than 15 %. Each server is a process of its own; rounds are interleaved, and
 * each ratio is taken within its round.
 */
const [, , role = '12', subscribers = '2000'] = process.argv
const names = ['modelport', 'sdk', 'floor'] as const
type Name = (typeof names)[number]
const keepAlive = new HttpAgent({ keepAlive: true, maxSockets: 64 })

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? NaN

const quartile = (numbers: readonly number[], part: number): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor((numbers.length - 1) * part)] ?? NaN

async function serveOurs(): Promise<string> {
  const handler = ({ input }: { input: string }) =>
    input === 'ask' ? ({ state: 'input-required', message: 'What?' } as const) : 'done'
  const agent = createAgent({ card: { name: 'bench', description: 'Responds at once' }, handler })
  return (await serve([agent])).url
}

/** Its JSON-RPC endpoint is `/rpc`. */
async function serveSdk(): Promise<string> {
  return `${(await startOfficialServer({ answer: 'done' })).url}/rpc`
}

/**
 * What HTTP alone costs: reads the body as JSON, and sends a response of the size that ours has.
 */
async function serveFloor(): Promise<string> {
  const artifact = { artifactId: 'a', parts: [{ text: 'x'.repeat(1_100) }] }
  const server = createServer((incoming, outgoing) => {
    let text = ''
    incoming.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    incoming.on('end', () => {
      const { id } = JSON.parse(text) as { readonly id: number }
      const task = { status: { state: 'TASK_STATE_COMPLETED' }, artifacts: [artifact] }
      outgoing.writeHead(200, { 'content-type': 'application/json' })
      outgoing.end(JSON.stringify({ jsonrpc: '2.0', id, result: { task } }))
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A server in a process of its own. */
class Remote {
  readonly #process: ChildProcess
  readonly url: string

  private constructor(process: ChildProcess, url: string) {
    this.#process = process
    this.url = url
  }

  static async start(name: Name): Promise<Remote> {
    const process = fork(new URL(import.meta.url), [name], { execArgv: ['--expose-gc'] })
    const [url] = (await once(process, 'message')) as [string]
    return new Remote(process, url)
  }

  /** Microseconds of CPU that the process has used. */
  cpu(): Promise<number> {
    return this.#ask('cpu')
  }

  /**
   * Bytes of memory that the process uses after a collection, whose CPU no task should be charged
   * for.
   */
  memory(): Promise<number> {
    return this.#ask('memory')
  }

  async #ask(what: string): Promise<number> {
    this.#process.send(what)
    const [value] = (await once(this.#process, 'message')) as [number]
    return value
  }

  stop(): void {
    this.#process.kill()
  }
}

function post(
  url: string,
  method: string,
  text: string,
  agent?: HttpAgent,
): Promise<IncomingMessage> {
  const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }] }
  const params = method === 'SubscribeToTask' ? { id: text } : { message }
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'a2a-version': '1.0' }
    const outgoing = request(
      `${url}/`,
      { method: 'POST', headers, ...(agent ? { agent } : { agent: false }) },
      resolve,
    )
    outgoing.on('error', reject)
    outgoing.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
  })
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) text += String(chunk)
  return text
}

/** How tasks are asked for: whole or streamed, and how many at once. */
const kinds = (['SendMessage', 'SendStreamingMessage'] as const).flatMap((method) =>
  [1, 64].map((atOnce) => ({ method, atOnce })),
)
type Kind = (typeof kinds)[number]

/** Microseconds of CPU of the server per task. */
async function tasks(remote: Remote, { method, atOnce }: Kind, count: number): Promise<number> {
  const before = await remote.cpu()
  let left = count
  const worker = async (): Promise<void> => {
    while (left-- > 0) {
      const text = await textOf(await post(remote.url, method, 'hi', keepAlive))
      if (!text.includes('TASK_STATE_COMPLETED')) throw new Error(text)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return ((await remote.cpu()) - before) / count
}

async function memoryOf(remote: Remote, count: number): Promise<number> {
  const found = /"id":"([^"]{8,})"/.exec(await textOf(await post(remote.url, 'SendMessage', 'ask')))
  const before = await remote.memory()
  const open: IncomingMessage[] = []
  for (let index = 0; index < count; index += 100)
    open.push(
      ...(await Promise.all(
        Array.from({ length: 100 }, () => post(remote.url, 'SubscribeToTask', found?.[1] ?? '')),
      )),
    )
  await Promise.all(open.map((response) => once(response, 'data')))
  const memory = await remote.memory()
  for (const response of open) response.destroy()
  return (memory - before) / count
}

async function measure(): Promise<void> {
  const [modelport, sdk, floor] = await Promise.all(names.map((name) => Remote.start(name)))
  const remotes = { modelport, sdk, floor } as Record<Name, Remote>
  console.log(
    '| CPU per task | modelport | official SDK | ratio | HTTP alone | spread of HTTP alone |',
  )
  console.log('|---|--:|--:|--:|--:|--:|')
  for (const kind of kinds) {
    for (const name of names) await tasks(remotes[name], kind, 1_000)
    const costs: Record<Name, number[]> = { modelport: [], sdk: [], floor: [] }
    for (let round = 0; round < Number(role); round++)
      for (const name of round % 2 ? names : names.toReversed())
        costs[name].push(await tasks(remotes[name], kind, 400))
    const of = (name: Name): string => `${median(costs[name]).toFixed(0)} µs`
    const spread = (quartile(costs.floor, 0.75) - quartile(costs.floor, 0.25)) / median(costs.floor)
    const ratio = median(costs.modelport.map((cost, round) => cost / (costs.sdk[round] ?? NaN)))
    const shown = spread > 0.15 ? 'no result: too noisy' : ratio.toFixed(2)
    const what = `${kind.method}, ${kind.atOnce} at once`
    console.log(
      `| ${what} | ${of('modelport')} | ${of('sdk')} | ${shown} | ${of('floor')} | ${(spread * 100).toFixed(0)} % |`,
    )
  }
  const [own, other] = [
    await memoryOf(remotes.modelport, Number(subscribers)),
    await memoryOf(remotes.sdk, Number(subscribers)),
  ].map((bytes) => bytes / 1_024)
  const line = `${own?.toFixed(1)} kB | ${other?.toFixed(1)} kB | ${((own ?? 0) / (other ?? 1)).toFixed(2)}`
  console.log(`| memory per idle subscriber, of ${subscribers} | ${line} | | |`)
  for (const remote of Object.values(remotes)) remote.stop()
}

const servers: Readonly<Record<Name, () => Promise<string>>> = {
  modelport: serveOurs,
  sdk: serveSdk,
  floor: serveFloor,
}

const isName = (value: string): value is Name => names.some((name) => name === value)

if (isName(role)) {
  process.on('message', (what) => {
    if (what === 'memory') globalThis.gc?.()
    const { user, system } = process.cpuUsage()
    process.send?.(what === 'memory' ? process.memoryUsage().rss : user + system)
  })
  process.send?.(await servers[role]())
} else await measure()
process.once('disconnect', () => process.exit())
