// Kills worker processes while they work, and says what came of every run. Used by the test at a small size, and by `npm run durable:kill`.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { definition, openStore } from './worker.js'

export interface KillOptions {
  /** A file, or the address of a PostgreSQL database. */
  readonly address: string
  /** File that effects are noted in. */
  readonly ledger: string
  readonly workers: number
  readonly runs: number
  readonly kills: number
  /** Called now and then while workers are killed. */
  disturb?(): Promise<void>
}

export interface KillReport {
  readonly finished: number
  readonly kills: number
  readonly freezes: number
  /** Calls whose outcome a person had to settle. */
  readonly uncertain: number
  /** Effects of tools that may not be repeated, that happened twice. */
  readonly doubled: readonly string[]
  /** Effects that should have happened and did not. */
  readonly missing: readonly string[]
  readonly repeatedIdempotent: number
}

const hooks = fileURLToPath(new URL('../support/typescript-hooks.mjs', import.meta.url))
const worker = fileURLToPath(new URL('./worker.ts', import.meta.url))

export async function killRun({ address, ledger, workers, runs, kills, disturb }: KillOptions): Promise<KillReport> {
  const store = await openStore(address)
  const ids = Array.from({ length: runs }, (_, index) => `run-${index}`)
  for (const id of ids) await store.runs.start(id, definition(ledger))
  const spawnWorker = (): ChildProcess =>
    spawn(process.execPath, ['--import', hooks, worker, 'work', address, ledger], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  const children = Array.from({ length: workers }, spawnWorker)
  let [killed, freezes, uncertain] = [0, 0, 0]
  const lines = (): string[] => (existsSync(ledger) ? readFileSync(ledger, 'utf8').split('\n').filter(Boolean) : [])
  /** The person that settles what nobody knows: they look into the ledger. */
  const settle = async (): Promise<boolean> => {
    const open = await store.runs.open()
    for (const run of open.filter(({ status }) => status === 'suspended'))
      for (const item of run.checkpoint?.pending ?? []) {
        if (item.type !== 'uncertain') continue
        const happened = lines().includes(`once ${item.idempotencyKey}`)
        const decision = happened
          ? ({ type: 'result', id: item.id, result: 'done' } as const)
          : ({ type: 'repeat', id: item.id } as const)
        await store.runs.decide(run.id, decision).then(
          () => uncertain++,
          () => undefined,
        )
      }
    return open.length === 0
  }
  try {
    while (!(await settle())) {
      await new Promise((resolve) => setTimeout(resolve, 200 + Math.random() * 200))
      if (killed >= kills) continue
      const index = Math.floor(Math.random() * children.length)
      const child = children[index]
      // A process that is still starting has nothing to lose.
      if (!child || lines().length === 0) continue
      if (killed % 5 === 4) {
        freezes++
        child.kill('SIGSTOP')
        setTimeout(() => child.kill('SIGCONT'), 2500)
      }
      child.kill('SIGKILL')
      killed++
      children[index] = spawnWorker()
      if (killed % 7 === 0) await disturb?.()
    }
  } finally {
    for (const child of children) child.kill('SIGKILL')
  }
  const results = await Promise.all(ids.map((id) => store.runs.result(id)))
  await store.close()
  const counts = new Map<string, number>()
  for (const line of lines()) counts.set(line, (counts.get(line) ?? 0) + 1)
  const expected = ids.flatMap((id) =>
    Array.from({ length: 6 }, (_, step) => [`once ${id}/${step + 1}/0`, `again ${id}/${step + 1}/1`]).flat(),
  )
  return {
    finished: results.filter(({ status }) => status === 'final').length,
    kills: killed,
    freezes,
    uncertain,
    doubled: [...counts].filter(([line, count]) => line.startsWith('once') && count > 1).map(([line]) => line),
    missing: expected.filter((line) => !counts.has(line)),
    repeatedIdempotent: [...counts].filter(([line, count]) => line.startsWith('again') && count > 1).length,
  }
}

if (process.argv[2] === 'run') {
  const { parseArgs } = await import('node:util')
  const { values } = parseArgs({
    args: process.argv.slice(3),
    options: {
      address: { type: 'string' },
      ledger: { type: 'string' },
      kills: { type: 'string' },
      runs: { type: 'string' },
    },
  })
  const report = await killRun({
    address: values.address ?? './kill.db',
    ledger: values.ledger ?? './kill.ledger',
    workers: 3,
    runs: Number(values.runs ?? 200),
    kills: Number(values.kills ?? 100),
  })
  console.log(report)
  process.exit(
    report.doubled.length + report.missing.length === 0 && report.finished === Number(values.runs ?? 200) ? 0 : 1,
  )
}
