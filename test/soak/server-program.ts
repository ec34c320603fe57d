// A process that serves agents over HTTP and works on runs. Arguments: address of the store, lease,
// world, name, port.
import { createOpenAICompatible } from '@modelport/provider-openai-compatible'
import { createAgentClient } from '@modelport/serve'
import { serve } from '@modelport/serve/node'
import { openStore } from '../../packages/durable/test/kill/adapter/open-store.js'
import {
  agentsOf,
  definitionOf,
  type Effects,
} from '../../packages/durable/test/kill/adapter/script.js'
import { sampleProcess } from './sample.js'
import { modelOf } from './world.js'

const [, , address = '', lease = '', world = '', worker = '', port = '', leak] = process.argv

const kept: unknown[] = []
const effects: Effects = async (effect) => {
  if (leak === 'heap') kept.push(Array.from({ length: 20_000 }, () => Math.random()))
  return (
    await fetch(`${world}/effect`, { method: 'POST', body: JSON.stringify({ ...effect, worker }) })
  ).text()
}
const model = (end: string) =>
  createOpenAICompatible({
    model: modelOf[end] ?? '',
    baseUrl: `${world}/v1`,
    apiKey: 'key-of-the-soak',
  })
const onError = (error: unknown): void => {
  if (process.env['SOAK_VERBOSE']) console.error(`${worker}: ${String(error)}`)
}
const store = await openStore(address, Number(lease))
const clerk = createAgentClient(`http://127.0.0.1:${port}/a/clerk`, { reconnectMs: 50 })
const server = await serve(agentsOf(effects, 1, clerk, model), {
  port: Number(port),
  store,
  onError,
})
const runs = store.runs.work([definitionOf(effects, 1, model)], { concurrency: 8, onError })

let isClosing = false
process.on('message', (message) => {
  if (message === 'sample') void sampleProcess().then((sample) => process.send?.(sample))
  if (message === 'close') void close()
})
process.once('disconnect', () => {
  if (!isClosing) process.exit(1)
})
process.send?.('ready')

/** Closes everything: then nothing holds the process, and it ends. */
async function close(): Promise<void> {
  isClosing = true
  await runs.stop()
  await server.close()
  await store.close()
  process.disconnect()
}
