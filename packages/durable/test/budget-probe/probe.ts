// Processes that spend one budget at once and are killed at random, and a vendor that counts.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BudgetDecision } from '@modelport/runtime'
import { bundlePrograms } from '../../../../test/support/bundle.js'
import { openPostgresStore } from '../../src/postgres/postgres.js'
import { openSqliteStore } from '../../src/sqlite/sqlite.js'
import { findPostgres, startPostgres } from '../support/postgres-server.js'

/** What a probe does. */
export interface ProbeOptions {
  readonly database: 'SQLite' | 'PostgreSQL'
  readonly processes: number
  /** Calls that the budget has about room for. */
  readonly calls: number
  readonly kills: number
}

/** What a probe saw. */
export interface ProbeReport {
  /** Requests that reached the vendor. */
  readonly calls: number
  readonly kills: number
  /** What the vendor charged, what the store counts, and the limit, in US dollars. */
  readonly charged: number
  readonly used: number
  readonly limit: number
  /** What was not as it must be. */
  readonly wrong: readonly string[]
}

const owner = 'everybody'
/** What a call costs on average, in millionths of a dollar: its tokens, at a dollar a million. */
const meanCost = 80
const billion = 1e9

export async function probeBudget(options: ProbeOptions): Promise<ProbeReport> {
  const folder = mkdtempSync(join(tmpdir(), 'modelport-budget-'))
  const programs = findPostgres()
  const server =
    options.database === 'PostgreSQL' && programs !== undefined
      ? await startPostgres(programs)
      : undefined
  const vendor = await openVendor((options.calls * meanCost) / 1e6)
  const address = server?.url ?? join(folder, 'store.db')
  try {
    const { worker } = await bundlePrograms(folder, {
      worker: fileURLToPath(new URL('./worker.ts', import.meta.url)),
      'sqlite-thread': fileURLToPath(new URL('../../src/sqlite/sqlite-thread.ts', import.meta.url)),
    })
    const args = [worker, address, vendor.url, owner, String(vendor.limit)]
    const kills = await runWorkers(args, options, vendor)
    return { ...(await judge(address, vendor)), kills }
  } finally {
    vendor.close()
    await server?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Vendor {
  readonly url: string
  readonly limit: number
  readonly calls: number
  readonly charged: number
  readonly ends: readonly { readonly status: string; readonly decision?: BudgetDecision }[]
  readonly wrong: string[]
  close(): void
}

/** Counts each request when it comes: at no moment may more be charged than the limit. */
async function openVendor(limit: number): Promise<Vendor> {
  let calls = 0
  let charged = 0
  const ends: Vendor['ends'][number][] = []
  const wrong: string[] = []
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://vendor')
    if (url.pathname === '/end') {
      let text = ''
      request.on('data', (chunk: Buffer) => (text += chunk.toString()))
      request.on('end', () => {
        ends.push(JSON.parse(text) as Vendor['ends'][number])
        response.end()
      })
      return
    }
    const outputTokens = 1 + Math.floor(Math.random() * Number(url.searchParams.get('max')))
    const inputTokens = 1
    calls++
    charged += inputTokens + outputTokens
    if (charged > limit * 1e6) wrong.push(`${charged} of ${limit * 1e6} after ${calls} calls`)
    setTimeout(() => {
      response.end(JSON.stringify({ inputTokens, outputTokens }))
    }, Math.random() * 5)
  }).listen(0, '127.0.0.1')
  // A connection that is closed while a call takes it again would be a call that fails.
  server.keepAliveTimeout = 3_600_000
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    limit,
    get calls() {
      return calls
    },
    get charged() {
      return charged / 1e6
    },
    ends,
    wrong,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Runs the workers until each was refused, and kills some on the way. Resolves to the kills. */
async function runWorkers(
  args: readonly string[],
  { processes, kills, calls }: ProbeOptions,
  vendor: Vendor,
): Promise<number> {
  let killed = 0
  const running = new Set<ChildProcess>()
  const start = async (): Promise<void> => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] })
    running.add(child)
    let errors = ''
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
    running.delete(child)
    if (signal === 'SIGKILL') await start()
    else if (code !== 0) vendor.wrong.push(`a worker ended with ${code}: ${errors.slice(-2000)}`)
  }
  // Each kill comes after its share of the calls, so that all of them hit work.
  const killer = setInterval(() => {
    const due = Math.floor((vendor.calls / (calls * 0.8)) * kills)
    const [child] = [...running].sort(() => Math.random() - 0.5)
    if (killed >= Math.min(due, kills) || !child) return
    killed++
    child.kill('SIGKILL')
  }, 20)
  try {
    await Promise.all(Array.from({ length: processes }, start))
  } finally {
    clearInterval(killer)
    for (const child of running) child.kill('SIGKILL')
  }
  return killed
}

/** Compares the vendor's count with that of the store, and takes what is left of the limit. */
async function judge(address: string, vendor: Vendor): Promise<Omit<ProbeReport, 'kills'>> {
  const store = address.startsWith('postgres')
    ? await openPostgresStore(address)
    : await openSqliteStore(address)
  const wrong = [...vendor.wrong]
  const [state] = await store.budgets.list(owner)
  const used = state?.used.cost ?? 0
  if (used > vendor.limit) wrong.push(`the store counts ${used} of ${vendor.limit}`)
  if (vendor.charged > used) wrong.push(`${vendor.charged} were charged, ${used} are counted`)
  for (const { status, decision } of vendor.ends) {
    if (status !== 'budget') wrong.push(`a call ended as ${status}`)
    else if (decision && decision.observed <= decision.maximum)
      wrong.push(`a call was refused that fits: ${JSON.stringify(decision)}`)
  }
  // What is left fits, whatever died before.
  const rest = Math.round((vendor.limit - used) * billion)
  const limits = [{ maxCost: vendor.limit }]
  const amounts = { cost: rest, tokens: 0, calls: 0 }
  await store.budgets
    .reserve({ id: 'rest', owners: [{ owner, limits }], amounts, waitMs: 0 })
    .catch((error: unknown) => wrong.push(`the rest was refused: ${String(error)}`))
  await store.close()
  return { calls: vendor.calls, charged: vendor.charged, used, limit: vendor.limit, wrong }
}
