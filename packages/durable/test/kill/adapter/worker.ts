// A worker process of the killing test: it serves agents over HTTP, and works on runs. Arguments:
// address, lease, ledger, name, version.

import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { createAgentClient } from '@modelport/serve'
import { serve } from '@modelport/serve/node'
import { openStore } from './open-store.js'
import { agentsOf, definitionOf, type Effects } from './script.js'

const [, , address = '', lease = '', ledger = '', worker = '', version = '1'] = process.argv

const effects: Effects = async (effect) =>
  (await fetch(ledger, { method: 'POST', body: JSON.stringify({ ...effect, worker }) })).text()

/** A port that is free: an agent has to know its own address before it is made. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

const onError = (error: unknown): void => {
  if (process.env['KILL_VERBOSE']) console.error(`${worker}: ${String(error)}`)
}
const store = await openStore(address, Number(lease))
const port = await freePort()
const clerk = createAgentClient(`http://127.0.0.1:${port}/a/clerk`, { reconnectMs: 50 })
const agents = agentsOf(effects, Number(version), clerk)
const server = await serve(agents, { port, store, onError })
store.runs.work([definitionOf(effects, Number(version))], { concurrency: 8, onError })
process.stdout.write(`${server.url}\n`)
