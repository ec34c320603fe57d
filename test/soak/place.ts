// One database with its processes: a server that lives, one that is killed again and again, and a
// client.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import type { Database } from '../../packages/durable/src/database/database.js'
import { type DurableStore, isDurableError } from '../../packages/durable/src/index.js'
import { openPostgresDatabase } from '../../packages/durable/src/postgres/open-database.js'
import { openSqliteDatabase } from '../../packages/durable/src/sqlite/open-database.js'
import { createDurableStore } from '../../packages/durable/src/store/durable-store.js'
import {
  questionOf,
  reportOfRun,
  reportOfTask,
} from '../../packages/durable/test/kill/adapter/report.js'
import { definitionOf, promptOf } from '../../packages/durable/test/kill/adapter/script.js'
import type { Answer, Effect } from '../../packages/durable/test/kill/ledger.js'
import { answer, type Decided, isRefusal, judge } from '../../packages/durable/test/kill/oracle.js'
import { jobOf } from '../../packages/durable/test/kill/storm.js'
import type { Job } from '../../packages/durable/test/kill/subject.js'
import type { ClientReport, Counts } from './client-program.js'
import { cpuOf, type ProcessSample } from './sample.js'
import type { World } from './world.js'

export interface PlaceOptions {
  readonly name: 'SQLite' | 'PostgreSQL'
  /** A file, or the address of a PostgreSQL database. */
  readonly address: string
  readonly programs: { readonly server: string; readonly client: string }
  readonly world: World
  readonly worldUrl: string
  /** Milliseconds between two tasks; as many runs are started. */
  readonly jobMs: number
  readonly killMs: number
  /** How long ended work stays, in milliseconds. */
  readonly keepMs: number
  readonly leak: string | undefined
}

interface Open {
  readonly job: Job
  readonly decided: Decided[]
  /** When it was begun, by the clock of the store. */
  readonly since: number
  task?: string
  /** What its reader read of its end; a run has no reader. */
  read?: string
}

const leaseMs = 5000
const mostFailedStarts = 50
/** Runs that are open at the same time. */
const mostRuns = 5
const principal = 'anonymous'
const tables = [
  'logs',
  'entries',
  'runs',
  'inbox',
  'outbox',
  'tasks',
  'sessions',
  'documents',
  'workers',
]
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
const definition = definitionOf(() => Promise.resolve(''), 1)

/**
 * Ports that are free. A process that takes the place of another one keeps its port, so that
 * clients reconnect to it.
 */
async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map((server) => once(server, 'listening')))
  const ports = servers.map((server) => (server.address() as AddressInfo).port)
  for (const server of servers) server.close()
  await Promise.all(servers.map((server) => once(server, 'close')))
  return ports
}

export class Place {
  readonly name: string
  readonly wrong: string[] = []
  readonly counts = {
    jobs: 0,
    kills: 0,
    inEffect: 0,
    decisions: 0,
    uncertain: 0,
    resumed: 0,
    pruned: 0,
    effects: 0,
    failedStarts: 0,
    unavailable: 0,
  }
  readonly #options: PlaceOptions
  readonly #database: Database
  readonly #store: DurableStore
  readonly #ports: readonly number[]
  readonly #open = new Map<string, Open>()
  #server!: ChildProcess
  #worker!: ChildProcess
  #client!: ChildProcess
  #clientCounts: Counts = { tasks: 0, streams: 0, batches: 0, reconnects: 0 }
  #generation = 0
  #isPaused = false
  #isClosing = false
  /** Every job is over: nothing is settled or removed any more. */
  #isEnding = false
  #armed: Answer | undefined
  #nextRun = 1
  #orphans = new Set<string>()
  #pruning: Promise<void> = Promise.resolve()
  #replacing: Promise<void> = Promise.resolve()
  /** Tasks and runs that must have been made: each job, and the task of each child. */
  #expected = 0
  /** Processor time of processes that were killed. */
  #spent = 0

  private constructor(options: PlaceOptions, database: Database, ports: readonly number[]) {
    this.#options = options
    this.name = options.name
    this.#database = database
    this.#store = createDurableStore(database, { leaseMs })
    this.#ports = ports
  }

  static async open(options: PlaceOptions): Promise<Place> {
    const { name, address } = options
    const database = await (name === 'SQLite'
      ? openSqliteDatabase(address)
      : openPostgresDatabase(address))
    const place = new Place(options, database, await freePorts(2))
    await place.#begin()
    return place
  }

  async #begin(): Promise<void> {
    const { programs, worldUrl, jobMs, leak } = this.#options
    this.#server = await this.#start(0)
    this.#worker = await this.#start(1)
    const urls = this.#ports.map((port) => `http://127.0.0.1:${port}`)
    this.#client = await ready(
      fork(programs.client, [worldUrl, String(jobMs), this.name, ...urls], {
        execArgv: ['--expose-gc'],
      }),
    )
    this.#client.on('message', (message) => this.#onReport(message as ClientReport))
    if (leak === 'handles') this.#client.send('leak')
    void this.#loop('runs', jobMs, () => this.#startRun())
    void this.#loop('settling', 500, () => this.#settle())
    void this.#loop('pruning', this.#options.keepMs / 3, () => (this.#pruning = this.#prune()))
    void this.#loop('killing', this.#options.killMs, () => this.#kill())
  }

  /**
   * Starts a process, again if it ends before it is ready, as a supervisor does: on a busy machine
   * the file may stay locked for long.
   */
  async #start(place: 0 | 1): Promise<ChildProcess> {
    const { programs, address, worldUrl, leak = '' } = this.#options
    const name = place === 0 ? `${this.name}-lives` : `${this.name}-${++this.#generation}`
    const given = [
      address,
      String(leaseMs),
      worldUrl,
      name,
      String(this.#ports[place]),
      place === 0 ? leak : '',
    ]
    for (;;) {
      const child = fork(programs.server, given, { execArgv: ['--expose-gc'] })
      try {
        await ready(child)
      } catch (error) {
        if (++this.counts.failedStarts > mostFailedStarts) throw error
        continue
      }
      child.once('exit', (code, signal) => {
        if (!this.#isClosing && signal !== 'SIGKILL')
          this.wrong.push(`${name} ended by itself with ${code ?? signal}`)
      })
      return child
    }
  }

  async #loop(what: string, everyMs: number, act: () => Promise<void>): Promise<void> {
    const isOver = (): boolean => this.#isClosing || this.#isEnding
    for (;;) {
      await pause(everyMs * (0.75 + Math.random() / 2))
      if (isOver()) return
      try {
        await act()
      } catch (error) {
        if (!isOver()) this.#onUnavailable(error, what)
      }
    }
  }

  /** A database that is busy for long is tried again, and counted; anything else is wrong. */
  #onUnavailable(error: unknown, what: string): void {
    if (isDurableError(error, 'unavailable')) this.counts.unavailable++
    else this.wrong.push(`${what}: ${String(error)}`)
  }

  #onReport(message: ClientReport): void {
    if (message.type === 'begun') this.#add(message.job)
    if (message.type === 'wrong') this.wrong.push(message.text)
    if (message.type === 'sample') this.#clientCounts = message.counts
    if (!('job' in message)) return
    const open = this.#open.get(this.#idOf(message.job))
    if (!open) return
    if (message.type === 'task') {
      if (open.task !== undefined && open.task !== message.task)
        this.wrong.push(`${open.job.id} has two tasks`)
      open.task = message.task
    }
    if (message.type === 'over') open.read = message.text
  }

  #idOf = (index: number): string => `${this.name}-${index}`

  #add(index: number): Open {
    const open: Open = {
      job: { ...jobOf(index), id: this.#idOf(index) },
      decided: [],
      since: this.#database.now(),
    }
    this.#open.set(open.job.id, open)
    this.counts.jobs++
    const children = open.job.steps.flat().filter(({ effect }) => effect === 'child').length
    this.#expected += 1 + (open.job.kind === 'task' ? children : 0)
    return open
  }

  async #startRun(): Promise<void> {
    const runs = [...this.#open.values()].filter(({ job }) => job.kind === 'run').length
    if (this.#isPaused || runs >= mostRuns) return
    const job = { ...jobOf(this.#nextRun), id: this.#idOf(this.#nextRun) }
    // A busy database is asked again with the same number: the same id is the same run.
    await this.#store.runs.start(job.id, definition, promptOf(job))
    this.#add(this.#nextRun)
    this.#nextRun += 2
  }

  /** What becomes of an effect: that of an armed kill is the last of its process. */
  onEffect(effect: Effect): Answer {
    this.counts.effects++
    const armed = this.#armed
    if (armed === undefined || effect.worker !== `${this.name}-${this.#generation}`) return 'done'
    this.#armed = undefined
    this.counts.inEffect++
    this.#replacing = this.#replace()
    return armed
  }

  async #kill(): Promise<void> {
    if (this.#isPaused) return
    if (this.#armed === undefined && Math.random() < 0.5)
      this.#armed = Math.random() < 0.5 ? 'lost' : 'unseen'
    else await (this.#replacing = this.#replace())
  }

  async #replace(): Promise<void> {
    const killed = this.#worker
    if (killed.signalCode !== null || killed.killed) return
    this.#spent += cpuOf(killed.pid)
    this.counts.kills++
    const isOver = once(killed, 'exit')
    killed.kill('SIGKILL')
    await isOver
    if (!this.#isClosing) this.#worker = await this.#start(1)
  }

  /** What the person and the operator do, and the verdict on every job that is over. */
  async #settle(): Promise<void> {
    const byTask = new Map([...this.#open.values()].map((open) => [open.task ?? open.job.id, open]))
    for (const { id, state, waitsFor } of await this.#store.operations.list({ limit: 10_000 })) {
      const open = byTask.get(id)
      if (!open) continue
      if (state === 'stopped') {
        await this.#store.operations.resume(id)
        this.counts.resumed++
      }
      for (const call of waitsFor) await this.#decide(open, id, questionOf(open.job.id, call))
    }
    for (const open of [...this.#open.values()]) await this.#look(open)
  }

  async #decide(open: Open, id: string, question: ReturnType<typeof questionOf>): Promise<void> {
    if (!question) return
    const effects = this.#options.world.effectsOf(open.job.id)
    const decision = answer(question, {
      has: (key) => effects.some((effect) => effect.key === key),
    })
    if (decision.type === 'answer') return // no job of the soak asks
    const at = performance.now()
    try {
      await this.#store.operations.decide(id, decision, question.id)
      open.decided.push({ question, decision, isSure: true, at })
      this.counts[question.kind === 'uncertain' ? 'uncertain' : 'decisions']++
    } catch (error) {
      if (!isRefusal(error)) throw error
    }
  }

  async #look(open: Open): Promise<void> {
    const { job, task, read } = open
    if (job.kind === 'task' && (task === undefined || read === undefined)) return
    if (job.kind === 'run' && (await this.#store.runs.get(job.id)).status !== 'finished') return
    const report = await (task === undefined
      ? reportOfRun(this.#store, job.id)
      : reportOfTask(this.#store, { principal, id: task }))
    const { world } = this.#options
    this.wrong.push(
      ...judge({ job, report, effects: world.effectsOf(job.id), decided: open.decided }),
    )
    if (read !== undefined && read !== report.text)
      this.wrong.push(`the reader of ${job.id} read ${JSON.stringify(read)}`)
    world.forget(job.id)
    this.#open.delete(job.id)
  }

  async #prune(): Promise<void> {
    if (this.#options.leak === 'rows') return
    // What is not judged yet stays, however slow the machine is.
    const before = Math.min(
      this.#database.now() - this.#options.keepMs,
      ...[...this.#open.values()].map((open) => open.since),
    )
    const { tasks, runs } = await this.#store.operations.prune({ before })
    this.counts.pruned += tasks + runs
    // Conversations stay until they are deleted: those whose tasks were removed twice in a row.
    const rows = await this.#database.read(
      'SELECT name, principal, agent, id FROM sessions WHERE id NOT IN (SELECT session FROM tasks)',
    )
    for (const { name, principal, agent, id } of rows)
      if (this.#orphans.has(String(name)))
        await this.#store.sessions.delete({
          principal: String(principal),
          agent: String(agent),
          id: String(id),
        })
    this.#orphans = new Set(rows.map(({ name }) => String(name)))
  }

  async sample(): Promise<Readonly<Record<string, number>>> {
    const [server, client] = await Promise.all([sampleOf(this.#server), sampleOf(this.#client)])
    const of = (name: string, sample: ProcessSample): Record<string, number> =>
      Object.fromEntries(
        Object.entries(sample).map(([key, value]) => [
          `${this.name} ${name} ${key}`,
          Number(value),
        ]),
      )
    return {
      ...of('server', server),
      ...of('client', client),
      [`${this.name} database bytes`]: await this.#bytes(),
      [`${this.name} database rows`]: await this.#rows(),
      [`${this.name} killed cpu`]: this.#spent + cpuOf(this.#worker.pid),
      [`${this.name} open jobs`]: this.#open.size,
    }
  }

  async #rows(): Promise<number> {
    const counts = tables.map((table) => `(SELECT count(*) FROM ${table})`).join(' + ')
    return Number((await this.#database.read(`SELECT ${counts} AS n`))[0]?.['n'])
  }

  async #bytes(): Promise<number> {
    const { name, address } = this.#options
    if (name === 'SQLite')
      return ['', '-wal'].reduce(
        (sum, end) => sum + (existsSync(address + end) ? statSync(address + end).size : 0),
        0,
      )
    const sql = `SELECT sum(pg_total_relation_size(c.oid)) AS n FROM pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace
      WHERE s.nspname = 'modelport' AND c.relkind = 'r'`
    return Number((await this.#database.read(sql))[0]?.['n'])
  }

  /** Ends the load, waits for every job, closes everything. @returns what was done */
  async finish(patienceMs: number): Promise<Readonly<Record<string, number>>> {
    this.#isPaused = true
    this.#armed = undefined
    this.#client.send('pause')
    await pause(100) // what it said before
    for (
      const until = performance.now() + patienceMs;
      this.#open.size > 0 && performance.now() < until;
    )
      await pause(200)
    for (const { job, task, read } of this.#open.values())
      this.wrong.push(
        `${job.kind} ${job.id} is lost: ${task === undefined && job.kind === 'task' ? 'never accepted' : `not over (${read ?? 'no end was read'})`}`,
      )
    this.#isEnding = true
    await Promise.all([this.#pruning, this.#replacing])
    if (this.#open.size === 0) await this.#countTasks()
    await sampleOf(this.#client)
    this.#isClosing = true
    this.#client.send('close')
    await Promise.all([this.#server, this.#worker].map((child) => this.#close(child)))
    await this.#store.close()
    return { ...this.counts, ...this.#clientCounts }
  }

  /**
   * Every task and run was removed once or is still there: a lost or doubled one changes the sum.
   */
  async #countTasks(): Promise<void> {
    const sql = `SELECT (SELECT count(*) FROM tasks) + (SELECT count(*) FROM runs WHERE id NOT LIKE 'task:%') AS n`
    const left = Number((await this.#database.read(sql))[0]?.['n'])
    const { pruned } = this.counts
    if (pruned + left !== this.#expected)
      this.wrong.push(
        `${pruned} tasks and runs were removed and ${left} are left, of ${this.#expected} that were begun`,
      )
  }

  async #close(child: ChildProcess): Promise<void> {
    child.send('close')
    const isEnded = await Promise.race([
      once(child, 'exit').then(() => true),
      pause(20_000).then(() => false),
    ])
    if (isEnded) return
    this.wrong.push('a server that was closed did not end within 20 s')
    child.kill('SIGKILL')
  }
}

async function ready(child: ChildProcess): Promise<ChildProcess> {
  const first: unknown = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => undefined),
  ])
  if (first === undefined) throw new Error('a process ended before it was ready')
  return child
}

function sampleOf(child: ChildProcess): Promise<ProcessSample> {
  return new Promise((resolve) => {
    const listen = (message: unknown): void => {
      if (typeof message !== 'object' || message === null || !('heap' in message)) return
      child.off('message', listen)
      resolve(message as ProcessSample)
    }
    child.on('message', listen)
    child.send('sample')
  })
}
