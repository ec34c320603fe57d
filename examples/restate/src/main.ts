// Restate wakes a run that pays an invoice. The process of the service is killed after the bank
// took the order; Restate calls the next one by itself, which does not pay again. A person looks at
// the bank's list, and the next wake finishes the run.
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqliteStore } from '@modelport/durable/sqlite'
import { findServer, serviceProgram, startEngine } from './engine.ts'

const server = findServer()
if (server === undefined) throw new Error('there is no server of Restate for this processor')
const folder = mkdtempSync(join(tmpdir(), 'restate-example-'))
const bank = join(folder, 'bank.txt')
const slow = join(folder, 'slow-bank')
const store = await openSqliteStore(join(folder, 'runs.db'), { leaseMs: 2000 })
const engine = await startEngine(server, folder, serviceProgram)

writeFileSync(slow, '')
const first = await engine.startService()
await engine.wake('invoice-17', 'send')
const hasOrder = (): boolean => existsSync(bank) && readFileSync(bank, 'utf8').endsWith('\n')
while (!hasOrder()) await new Promise((resolve) => setTimeout(resolve, 20))
first.kill('SIGKILL')
await once(first, 'exit')
console.log('killed while it paid')

rmSync(slow)
await engine.startService() // Restate tries again until it answers
const waiting = await store.runs.result('invoice-17')
if (waiting.status !== 'suspended')
  throw new Error(`expected a run that waits, found ${waiting.status}`)
for (const item of waiting.pending) {
  if (item.type !== 'uncertain') continue
  const order = readFileSync(bank, 'utf8').trim()
  console.log(`unknown outcome: ${item.idempotencyKey}; the bank says: ${order}`)
  await store.runs.decide('invoice-17', { type: 'result', id: item.id, result: order })
}
console.log(`the handler returns: ${String(await engine.wake('invoice-17', 'call'))}`)
console.log(`model: ${(await store.runs.result('invoice-17')).text}`)
console.log(`orders at the bank: ${readFileSync(bank, 'utf8').trim().split('\n').length}`)
await engine.close()
await store.close()
rmSync(folder, { recursive: true })
