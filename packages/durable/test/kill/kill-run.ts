// Kills and freezes worker processes while they work, and reports what became of every run. `npm run durable:kill` runs it at any size.
import type { ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findPostgres, startPostgres } from '../support/postgres-server.js'
import { bundleWorker, spawnWorker } from './worker-program.js'
import { definition, openStore, workerLeaseMs } from './worker.js'

export interface KillOptions {
  /** A file, or the address of a PostgreSQL database. */
  readonly address: string
  /** File that effects are noted in. */
  readonly ledger: string
  readonly workers: number
  /** Runs that are open at the same time; more are started until all kills have happened. */
  readonly runs: number
  /** How often a worker is killed or frozen; every fifth time it is frozen for longer than its lease, then continues. */
  readonly kills: number
  /** After so many minutes no more workers are killed. Default: no limit. */
  readonly minutes?: number
  /** How the clock of each worker jumps, as `moved-clock.mjs` reads it. Default: it does not. */
  readonly clocks?: readonly string[]
  /** Called after every seventh kill. */
  disturb?(): Promise<void>
  /** Called after each kill. */
  onKill?(kills: number): void
}

export interface KillReport {
  readonly started: number
  readonly finished: number
  readonly kills: number
  readonly freezes: number
  /** Calls whose outcome a person had to settle. */
  readonly uncertain: number
  /** Runs that stopped as a crash loop, and were opened again. */
  readonly reopened: number
  /** Effects of tools that may not be repeated, that happened twice. */
  readonly doubled: readonly string[]
  /** Effects that should have happened and did not. */
  readonly missing: readonly string[]
  readonly repeatedIdempotent: number
  /** Workers that ended although nobody had killed them. */
  readonly ended: number
}

interface Worker {
  readonly child: ChildProcess
  state: 'starting' | 'ready' | 'frozen'
}

/** Stops a process for longer than its lease: another one takes its runs over, and it must not harm them when it wakes up. */
function freeze(victim: Worker): void {
  victim.state = 'frozen'
  victim.child.kill('SIGSTOP')
  setTimeout(() => {
    victim.child.kill('SIGCONT')
    victim.state = 'ready'
  }, workerLeaseMs * 2).unref()
}

export async function killRun({
  address,
  ledger,
  workers,
  runs,
  kills,
  minutes = Infinity,
  clocks,
  disturb,
  onKill,
}: KillOptions): Promise<KillReport> {
  const store = await openStore(address)
  const ids: string[] = []
  const startUntil = async (count: number): Promise<void> => {
    while (ids.length < count) {
      const id = `run-${ids.length}`
      ids.push(id)
      await store.runs.start(id, definition(ledger))
    }
  }
  await startUntil(runs)
  const programs = mkdtempSync(join(tmpdir(), 'modelport-kill-'))
  const program = await bundleWorker(programs)
  const start = (index: number): Worker => {
    const child = spawnWorker(program, address, ledger, clocks?.[index])
    const made: Worker = { child, state: 'starting' }
    child.stdout?.once('data', () => (made.state = 'ready'))
    child.once('exit', (_code, signal) => {
      if (signal === 'SIGKILL') return
      ended++
      children[index] = start(index)
    })
    return made
  }
  let [killed, freezes, uncertain, reopened, ended] = [0, 0, 0, 0, 0]
  const children = Array.from({ length: workers }, (_, index) => start(index))
  const lines = (): string[] => (existsSync(ledger) ? readFileSync(ledger, 'utf8').split('\n').filter(Boolean) : [])
  /** Settles uncertain calls by looking into the ledger, as a person would; returns the number of open runs. */
  const settle = async (): Promise<number> => {
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
    // Killed five times in a row before it stored anything: an operator lets it continue.
    const stopped = await store.operations.list({ state: 'stopped' })
    for (const { id } of stopped) await store.operations.resume(id)
    reopened += stopped.length
    return open.length + stopped.length
  }
  const killUntil = performance.now() + minutes * 60_000
  const killsMore = (): boolean => killed < kills && performance.now() < killUntil
  try {
    for (;;) {
      const open = await settle()
      if (killsMore()) await startUntil(ids.length + runs - open)
      else if (open === 0) break
      await new Promise((resolve) => setTimeout(resolve, 200 + Math.random() * 200))
      if (!killsMore()) continue
      // A process that is still starting has nothing to lose.
      const ready = children.filter(({ state }) => state === 'ready')
      const victim = ready[Math.floor(Math.random() * ready.length)]
      if (!victim) continue
      killed++
      onKill?.(killed)
      if (killed % 5 === 0) {
        freezes++
        freeze(victim)
      } else {
        victim.child.kill('SIGKILL')
        const index = children.indexOf(victim)
        children[index] = start(index)
      }
      if (killed % 7 === 0) await disturb?.()
    }
  } finally {
    for (const { child } of children) child.kill('SIGKILL')
    rmSync(programs, { recursive: true })
  }
  const results = await Promise.all(ids.map((id) => store.runs.result(id)))
  await store.close()
  const counts = new Map<string, number>()
  for (const line of lines()) counts.set(line, (counts.get(line) ?? 0) + 1)
  const expected = ids.flatMap((id) =>
    Array.from({ length: 6 }, (_, step) => [`once ${id}/${step + 1}/0`, `again ${id}/${step + 1}/1`]).flat(),
  )
  return {
    started: ids.length,
    finished: results.filter(({ status }) => status === 'final').length,
    kills: killed,
    freezes,
    uncertain,
    reopened,
    doubled: [...counts].filter(([line, count]) => line.startsWith('once') && count > 1).map(([line]) => line),
    missing: expected.filter((line) => !counts.has(line)),
    repeatedIdempotent: [...counts].filter(([line, count]) => line.startsWith('again') && count > 1).length,
    ended,
  }
}

if (process.argv[2] === 'run') {
  const { parseArgs } = await import('node:util')
  const { values } = parseArgs({
    args: process.argv.slice(3),
    options: {
      // A file, the URL of a database, or `postgres`: then a server is started, and restarted after every seventh kill.
      address: { type: 'string', default: './kill.db' },
      ledger: { type: 'string', default: './kill.ledger' },
      kills: { type: 'string', default: '100' },
      minutes: { type: 'string' },
      runs: { type: 'string', default: '20' },
      workers: { type: 'string', default: '3' },
    },
  })
  const server = values.address === 'postgres' ? await startPostgres(findPostgres() ?? '') : undefined
  const beginsAt = performance.now()
  const report = await killRun({
    address: server?.url ?? values.address,
    ledger: values.ledger,
    workers: Number(values.workers),
    runs: Number(values.runs),
    kills: Number(values.kills),
    ...(values.minutes !== undefined && { minutes: Number(values.minutes) }),
    ...(server && { disturb: () => server.restart() }),
    onKill: (kills) => {
      if (kills % 50 === 0) console.log(`${kills} kills`)
    },
  })
  await server?.stop()
  console.log({ ...report, seconds: Math.round((performance.now() - beginsAt) / 1000) })
  process.exit(
    report.doubled.length + report.missing.length + report.ended === 0 && report.finished === report.started ? 0 : 1,
  )
}
