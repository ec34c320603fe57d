// What the page about engines promises, with the real server of Restate.
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { openSqliteStore } from '@modelport/durable/sqlite'
import type { RestatePending } from '@modelport/runtime/engines'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { type Engine, findServer, startEngine } from '../src/engine.js'

const server = findServer()
const sources = pathToFileURL(
  fileURLToPath(new URL('../../../scripts/sources.mjs', import.meta.url)),
).href
const programOf = (file: string) => [
  '--import',
  sources,
  fileURLToPath(new URL(file, import.meta.url)),
]

async function start(file = '../src/service.ts') {
  const folder = temporaryFolder('restate')
  const store = await openSqliteStore(join(folder, 'runs.db'), { leaseMs: 2000 })
  const engine: Engine = await startEngine(server ?? '', folder, programOf(file))
  onTestFinished(async () => {
    await engine.close()
    await store.close()
  })
  const bank = () =>
    existsSync(join(folder, 'bank.txt')) ? readFileSync(join(folder, 'bank.txt'), 'utf8') : ''
  const orders = () => bank().trim().split('\n').filter(Boolean)
  return { folder, store, engine, orders, slow: join(folder, 'slow-bank') }
}
const until = async (what: () => boolean | Promise<boolean>) => {
  while (!(await what())) await new Promise((resolve) => setTimeout(resolve, 20))
}

test.skipIf(!server)(
  'however often a run is woken, at once or later, it is executed once',
  async () => {
    const { engine, orders, store } = await start()
    await engine.startService()
    const woken = await Promise.all(
      Array.from({ length: 5 }, () => engine.wake('invoice-1', 'call')),
    )
    expect([...woken, await engine.wake('invoice-1', 'call')]).toEqual(
      Array.from({ length: 6 }, () => 'final'),
    )
    expect(orders()).toEqual(['invoice-1, order invoice-1/pay/54b90d70f936329d/0'])
    expect(await store.runs.get('invoice-1')).toMatchObject({ status: 'finished', epoch: 1 })
  },
)

test.skipIf(!server)(
  'a run that waits until a time is woken by Restate, also if its process is gone meanwhile',
  async () => {
    const { engine, orders, store } = await start('./waiting-service.ts')
    const first = await engine.startService()
    await engine.wake('invoice-1', 'send')
    await until(async () => (await store.runs.open()).some(({ status }) => status === 'suspended'))
    first.kill('SIGKILL')
    await once(first, 'exit')
    await engine.startService()
    await until(async () => (await store.runs.get('invoice-1')).status === 'finished')
    expect((await store.runs.result('invoice-1')).text).toBe('invoice-1 is paid.')
    expect(orders()).toEqual([])
  },
)

test.skipIf(!server)(
  'no kill of the service loses a run, pays twice or decides anything',
  async () => {
    const { engine, orders, store, slow } = await start()
    const ids = Array.from({ length: 6 }, (_, index) => `invoice-${index}`)
    let service = await engine.startService()
    let kills = 0
    for (const id of ids) {
      // Every other process dies while the bank holds its order, the others somewhere.
      const held = kills % 2 === 0
      if (held) writeFileSync(slow, '')
      const before = orders().length
      await engine.wake(id, 'send')
      if (held) await until(() => orders().length > before)
      service.kill('SIGKILL')
      await once(service, 'exit')
      kills++
      rmSync(slow, { force: true })
      service = await engine.startService()
    }
    let decided = 0
    await until(async () => {
      for (const id of ids) {
        const run = await store.runs.get(id).catch(() => undefined)
        if (run?.status !== 'suspended') continue
        for (const item of run.checkpoint?.pending ?? []) {
          if (item.type !== 'uncertain') continue
          const order = orders().find((line) => line.endsWith(item.idempotencyKey))
          const { id: call } = item
          const decision =
            order === undefined
              ? { type: 'repeat' as const, id: call }
              : { type: 'result' as const, id: call, result: order }
          // The engine may be about to continue it: then it does not wait any more.
          await store.runs.decide(id, decision).then(
            () => decided++,
            () => undefined,
          )
          await engine.wake(id, 'send')
        }
      }
      const states = await Promise.all(ids.map((id) => store.runs.get(id).catch(() => undefined)))
      return states.every((run) => run?.status === 'finished')
    })
    expect([kills, decided >= 3]).toEqual([6, true])
    expect(orders().map((line) => line.split(',')[0])).toEqual(expect.arrayContaining(ids))
    expect(orders()).toHaveLength(ids.length)
    for (const id of ids) expect((await store.runs.result(id)).text).toBe(`${id} is paid.`)
  },
  180_000,
)

test.skipIf(!server)(
  'a run that Restate performs itself does not pay twice when its process dies in the payment',
  async () => {
    const { engine, orders, slow } = await start('./workflow-service.ts')
    writeFileSync(slow, '')
    const first = await engine.startService()
    await engine.call('payments/invoice-9/run/send')
    await until(() => orders().length > 0)
    first.kill('SIGKILL')
    await once(first, 'exit')
    rmSync(slow)
    await engine.startService()
    let waiting: RestatePending | null = null
    await until(async () => {
      waiting = (await engine.call('payments/invoice-9/pending')) as RestatePending | null
      return waiting !== null
    })
    const { pending } = waiting as unknown as RestatePending
    expect(pending).toMatchObject([{ type: 'uncertain', action: { tool: 'pay' } }])
    const id = pending[0]?.id ?? ''
    await engine.call('payments/invoice-9/decide', { type: 'result', id, result: orders()[0] })
    expect(await engine.attach('payments', 'invoice-9')).toEqual({
      status: 'final',
      text: 'invoice-9 is paid.',
    })
    expect(orders()).toHaveLength(1)
  },
  180_000,
)
