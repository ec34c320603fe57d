// A process that uses agents over HTTP, streams and batches. Arguments: world, milliseconds between
// jobs, name of the place, addresses of the agents.
import { type AgentClient, answerOf, createMessage, isTerminal, type Task } from '@modelport/agent'
import { isLlmError } from '@modelport/core'
import { createAnthropicBatches } from '@modelport/provider-anthropic'
import { createOpenAICompatible } from '@modelport/provider-openai-compatible'
import { createAgentClient } from '@modelport/serve'
import { promptOf } from '../../packages/durable/test/kill/adapter/script.js'
import { jobOf } from '../../packages/durable/test/kill/storm.js'
import { sampleProcess } from './sample.js'
import { poem } from './world.js'

/** What the client says to the conductor. */
export type ClientReport =
  | { readonly type: 'begun'; readonly job: number }
  | { readonly type: 'task'; readonly job: number; readonly task: string }
  | { readonly type: 'over'; readonly job: number; readonly text: string }
  | { readonly type: 'wrong'; readonly text: string }
  | { readonly type: 'sample'; readonly counts: Counts }

/** What it did. */
export interface Counts {
  readonly tasks: number
  readonly streams: number
  readonly batches: number
  /** Streams of tasks that it left in the middle, and subscribed to again. */
  readonly reconnects: number
}

const [, , world = '', everyText = '', place = '', ...urls] = process.argv
const every = Number(everyText)
const counts = { tasks: 0, streams: 0, batches: 0, reconnects: 0 }
const report = (message: ClientReport): unknown => process.send?.(message)
const wrong = (text: string): unknown => report({ type: 'wrong', text })
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const clients = urls.map((url) =>
  createAgentClient(`${url}/a/worker`, { maxReconnects: 2, reconnectMs: 100 }),
)
const anyClient = (): AgentClient => clients[Math.floor(Math.random() * clients.length)]!

/**
 * Begins a task and reads it to its end, whatever breaks: a message that is sent again gives the
 * same task.
 */
async function work(index: number): Promise<void> {
  const message = createMessage('user', promptOf({ ...jobOf(index), id: `${place}-${index}` }))
  let id: string | undefined
  for (;;) {
    const client = anyClient()
    try {
      if (id === undefined) {
        ;({ id } = await client.send(message, {
          returnImmediately: true,
          signal: AbortSignal.timeout(10_000),
        }))
        report({ type: 'task', job: index, task: id })
      }
      const task = await follow(client, id, index % 4 === 0 ? 3 : undefined)
      if (!isTerminal(task.state))
        await pause(300) // somebody decides
      else
        return void report({
          type: 'over',
          job: index,
          text: task.state === 'completed' ? answerOf(task) : task.state,
        })
    } catch (error) {
      if (process.env['SOAK_VERBOSE']) console.error(`client: ${String(error)}`)
      await pause(200)
    }
  }
}

/** Reads a task. @param leaveAfter leaves the stream after so many events, and subscribes again */
async function follow(client: AgentClient, id: string, leaveAfter?: number): Promise<Task> {
  let seen = 0
  for await (const event of client.subscribe(id, AbortSignal.timeout(60_000))) {
    if (event.type === 'task' && isTerminal(event.task.state)) return event.task
    if (++seen === leaveAfter) {
      counts.reconnects++
      return follow(client, id)
    }
  }
  return client.get(id, { signal: AbortSignal.timeout(10_000) })
}

const shared = new AbortController()
const providerOf = (model: string) =>
  createOpenAICompatible({
    model,
    baseUrl: `${world}/v1`,
    apiKey: 'key-of-the-soak',
    defaults: { retry: { attempts: 1 } },
  })
const providers = { whole: providerOf('stream'), cut: providerOf('cut') }

/**
 * One stream: read to its end, left early, aborted, or cut off by the server, in turn. All share a
 * signal.
 */
async function stream(index: number): Promise<void> {
  const way = index % 4
  const abort = new AbortController()
  const signal = way === 2 ? AbortSignal.any([shared.signal, abort.signal]) : shared.signal
  let text = ''
  try {
    const reader = await (way === 3 ? providers.cut : providers.whole).stream('Recite.', { signal })
    for await (const delta of reader) {
      text += delta
      if (text.length < poem.length / 4) continue
      if (way === 1) break
      if (way === 2) abort.abort()
    }
    if (way !== 1 && text !== poem)
      wrong(`stream ${index} ended with ${text.length} of ${poem.length} characters`)
    if (way > 1)
      wrong(`stream ${index} ended, although it was ${way === 2 ? 'aborted' : 'cut off'}`)
  } catch (error) {
    if (!(way === 2 && abort.signal.aborted) && !(way === 3 && isLlmError(error, 'truncated')))
      wrong(`stream ${index} failed: ${String(error)}`)
  }
  if (!poem.startsWith(text)) wrong(`stream ${index} has another text: ${text}`)
  counts.streams++
}

const runner = createAnthropicBatches({ model: 'batch', apiKey: 'key-of-the-soak', baseUrl: world })

async function batch(index: number): Promise<void> {
  const size = 1 + (index % 20)
  const { id } = await runner.createBatch(
    Array.from({ length: size }, () => ({
      messages: [{ role: 'user' as const, content: 'The capital of Italy?' }],
    })),
  )
  while ((await runner.getBatch(id)).status === 'running') await pause(100)
  const texts = (await runner.batchResults(id)).map(({ generation }) => generation?.text)
  if (texts.length !== size || texts.some((text) => text !== 'Rome'))
    wrong(`batch ${index} has ${texts.join()}`)
  counts.batches++
}

const state = { isPaused: false, active: 0 }
const kept: unknown[] = []
process.on('message', (message) => {
  if (message === 'pause') state.isPaused = true
  if (message === 'leak') setInterval(() => kept.push(setInterval(() => undefined, 60_000)), 200)
  if (message === 'close') process.exit()
  if (message === 'sample')
    void sampleProcess().then((sample) => {
      report({ type: 'sample', counts })
      process.send?.(sample)
    })
})
process.once('disconnect', () => process.exit())
process.send?.('ready')

/**
 * On a machine that is busy with other things fewer tasks are begun, not more kept open: that would
 * be a slope.
 */
const most = 5

for (let index = 0; !state.isPaused; ) {
  if (state.active >= most) {
    await pause(100)
    continue
  }
  report({ type: 'begun', job: index })
  counts.tasks++
  state.active++
  void work(index).finally(() => state.active--)
  void stream(index / 2)
  if (index % 8 === 0)
    void batch(index / 8).catch((error: unknown) =>
      wrong(`batch ${index / 8} failed: ${String(error)}`),
    )
  await pause(every * (0.5 + Math.random()))
  index += 2
}
