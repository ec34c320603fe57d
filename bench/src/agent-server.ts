import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { request, Agent as HttpAgent, type IncomingMessage } from 'node:http'
import { type AgentExecutor, DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server'
import { jsonRpcHandler, UserBuilder } from '@a2a-js/sdk/server/express'
import { createAgent } from '@modelport/agent'
import { serve } from '@modelport/agent/node'
import express from 'express'

/**
 * `node src/agent-server.ts [rounds] [subscribers]`: CPU of a server of A2A per task with an instant handler, and memory per idle subscriber, against the
 * server of the official SDK. Each server is a process of its own; rounds are interleaved, and each ratio is taken within its round.
 */
const [, , role = '12', subscribers = '2000'] = process.argv
const names = ['modelport', 'sdk'] as const
type Name = (typeof names)[number]
const keepAlive = new HttpAgent({ keepAlive: true, maxSockets: 16 })

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? NaN

async function serveOurs(): Promise<string> {
  const handler = ({ input }: { input: string }) =>
    input === 'ask' ? ({ state: 'input-required', message: 'What?' } as const) : 'done'
  const agent = createAgent({ card: { name: 'bench', description: 'Responds at once' }, handler })
  return (await serve([agent], { push: false })).url
}

async function serveSdk(): Promise<string> {
  const executor: AgentExecutor = {
    execute: async ({ taskId, contextId, userMessage }, bus) => {
      const ids = { taskId, contextId, metadata: undefined }
      const status = (state: number) => ({ state, message: undefined, timestamp: new Date().toISOString() })
      const [part] = userMessage.parts
      const isQuestion = part?.content?.$case === 'text' && part.content.value === 'ask'
      const task = {
        id: taskId,
        contextId,
        status: status(1),
        artifacts: [],
        history: [userMessage],
        metadata: undefined,
      }
      bus.publish({ kind: 'task', data: task } as never)
      bus.publish({ kind: 'statusUpdate', data: { ...ids, status: status(2) } } as never)
      if (!isQuestion) {
        const text = { content: { $case: 'text', value: 'done' }, metadata: undefined, filename: '', mediaType: '' }
        const artifact = {
          artifactId: 'a',
          name: '',
          description: '',
          extensions: [],
          metadata: undefined,
          parts: [text],
        }
        bus.publish({ kind: 'artifactUpdate', data: { ...ids, append: false, lastChunk: true, artifact } } as never)
      }
      bus.publish({ kind: 'statusUpdate', data: { ...ids, status: status(isQuestion ? 6 : 3) } } as never)
      if (!isQuestion) bus.finished()
    },
    cancelTask: async () => undefined,
  }
  const app = express()
  const listener = app.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const address = listener.address()
  const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
  const card = {
    name: 'bench',
    description: 'Responds at once',
    version: '1.0.0',
    provider: undefined,
    documentationUrl: undefined,
    iconUrl: undefined,
    supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0', tenant: '' }],
    capabilities: { streaming: true, pushNotifications: false, extensions: [], extendedAgentCard: false },
    securitySchemes: {},
    securityRequirements: [],
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [],
    signatures: [],
  }
  const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), executor)
  app.use('/', jsonRpcHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication }))
  return url
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

  /** Microseconds of CPU and bytes of memory that the process has used. */
  async usage(): Promise<{ readonly cpu: number; readonly memory: number }> {
    this.#process.send('usage')
    const [usage] = (await once(this.#process, 'message')) as [{ cpu: number; memory: number }]
    return usage
  }

  stop(): void {
    this.#process.kill()
  }
}

function post(url: string, method: string, text: string, agent?: HttpAgent): Promise<IncomingMessage> {
  const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }] }
  const params = method === 'SubscribeToTask' ? { id: text } : { message }
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'a2a-version': '1.0' }
    const outgoing = request(`${url}/`, { method: 'POST', headers, ...(agent ? { agent } : { agent: false }) }, resolve)
    outgoing.on('error', reject)
    outgoing.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
  })
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) text += String(chunk)
  return text
}

async function tasks(remote: Remote, count: number): Promise<{ readonly cpu: number; readonly perSecond: number }> {
  const before = await remote.usage()
  const start = performance.now()
  let left = count
  const worker = async (): Promise<void> => {
    while (left-- > 0) {
      const text = await textOf(await post(remote.url, 'SendMessage', 'hi', keepAlive))
      if (!text.includes('TASK_STATE_COMPLETED')) throw new Error(text)
    }
  }
  await Promise.all(Array.from({ length: 16 }, worker))
  const seconds = (performance.now() - start) / 1_000
  return { cpu: ((await remote.usage()).cpu - before.cpu) / count, perSecond: count / seconds }
}

async function memoryOf(remote: Remote, count: number): Promise<number> {
  const found = /"id":"([^"]{8,})"/.exec(await textOf(await post(remote.url, 'SendMessage', 'ask')))
  const before = await remote.usage()
  const open: IncomingMessage[] = []
  for (let index = 0; index < count; index += 100)
    open.push(
      ...(await Promise.all(Array.from({ length: 100 }, () => post(remote.url, 'SubscribeToTask', found?.[1] ?? '')))),
    )
  await Promise.all(open.map((response) => once(response, 'data')))
  const { memory } = await remote.usage()
  for (const response of open) response.destroy()
  return (memory - before.memory) / count
}

async function measure(): Promise<void> {
  const remotes = { modelport: await Remote.start('modelport'), sdk: await Remote.start('sdk') }
  for (const name of names) await tasks(remotes[name], 2_000)
  const results: Record<Name, { cpu: number; perSecond: number }>[] = []
  for (let round = 0; round < Number(role); round++) {
    const order = round % 2 ? names : names.toReversed()
    const result: Partial<Record<Name, { cpu: number; perSecond: number }>> = {}
    for (const name of order) result[name] = await tasks(remotes[name], 500)
    results.push(result as Record<Name, { cpu: number; perSecond: number }>)
  }
  const cpu = (name: Name) => median(results.map((result) => result[name].cpu))
  const rate = (name: Name) => median(results.map((result) => result[name].perSecond))
  console.log('| what | modelport | official SDK | ratio |\n|---|---|---|---|')
  const ratio = median(results.map(({ modelport, sdk }) => modelport.cpu / sdk.cpu))
  console.log(
    `| CPU per task | ${cpu('modelport').toFixed(0)} µs | ${cpu('sdk').toFixed(0)} µs | ${ratio.toFixed(2)} |`,
  )
  const faster = rate('modelport') / rate('sdk')
  console.log(
    `| tasks per second | ${rate('modelport').toFixed(0)} | ${rate('sdk').toFixed(0)} | ${faster.toFixed(2)} |`,
  )
  const [own, other] = [
    await memoryOf(remotes.modelport, Number(subscribers)),
    await memoryOf(remotes.sdk, Number(subscribers)),
  ].map((bytes) => bytes / 1_024)
  const line = `${own?.toFixed(1)} kB | ${other?.toFixed(1)} kB | ${((own ?? 0) / (other ?? 1)).toFixed(2)}`
  console.log(`| memory per idle subscriber, of ${subscribers} | ${line} |`)
  for (const remote of Object.values(remotes)) remote.stop()
}

if (role === 'modelport' || role === 'sdk') {
  process.on('message', () => {
    globalThis.gc?.()
    const { user, system } = process.cpuUsage()
    process.send?.({ cpu: user + system, memory: process.memoryUsage().rss })
  })
  process.send?.(await (role === 'modelport' ? serveOurs() : serveSdk()))
} else await measure()
process.once('disconnect', () => process.exit())
