// An agent pays an invoice. Its process is killed after the bank took the order and before the
// receipt was stored. The next process does not pay again: it asks, a person looks at the bank's
// list, and the run continues.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqliteStore } from '@modelport/durable/sqlite'
import { infer } from '@modelport/runtime'
import { createOfflineModel, createPayTool } from './payer.ts'

const [, program = '', folder = mkdtempSync(join(tmpdir(), 'surviving-agent-'))] = process.argv
const isChild = process.argv[2] !== undefined
const bank = join(folder, 'bank.txt')

const store = await openSqliteStore(join(folder, 'agents.db'), { leaseMs: 3000 })
const payInvoice = () =>
  store.runs.run('invoice-17', (run) =>
    infer(
      createOfflineModel(),
      run.request({
        query: 'Pay invoice 17: 40 euros to Rossi.',
        tools: [createPayTool(bank, isChild)],
      }),
    ),
  )

if (isChild) await payInvoice()
else {
  const child = spawn(process.execPath, [...process.execArgv, program, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data') // the bank has the order
  child.kill('SIGKILL')
  await once(child, 'exit')
  console.log('killed while it paid')

  const waiting = await payInvoice()
  if (waiting.status !== 'suspended')
    throw new Error(`expected a run that waits, found ${waiting.status}`)
  for (const item of waiting.pending) {
    if (item.type !== 'uncertain') continue
    console.log(`unknown outcome: ${item.idempotencyKey}`)
    const order = readFileSync(bank, 'utf8')
      .split('\n')
      .find((line) => line.includes(item.idempotencyKey))
    console.log(`the bank says: ${order ?? 'no such order'}`)
    await store.runs.decide(
      'invoice-17',
      order === undefined
        ? { type: 'repeat', id: item.id }
        : { type: 'result', id: item.id, result: order },
    )
  }

  const done = await payInvoice()
  console.log(`agent: ${done.text}`)
  console.log(`orders at the bank: ${readFileSync(bank, 'utf8').trim().split('\n').length}`)
  await store.close()
  rmSync(folder, { recursive: true })
}
