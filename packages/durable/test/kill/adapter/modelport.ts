// The first system under test: agents and runs of modelport, on SQLite or PostgreSQL.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { createMessage, type Message, type RequestDecision, requestsOf } from '@modelport/agent'
import type { JsonObject } from '@modelport/core'
import { createAgentClient } from '@modelport/serve'
import type { DurableStore } from '../../../src/index.js'
import type { Decision, Job, Question, Report, Subject, Worker } from '../subject.js'
import { openStore } from './open-store.js'
import { missing, questionOf, reportOfRun, reportOfTask } from './report.js'
import { definitionOf, promptOf } from './script.js'

export interface ModelportOptions {
  /** A file, or the address of a PostgreSQL database. */
  readonly address: string
  readonly ledger: string
  /** The bundled program of a worker. */
  readonly program: string
  readonly leaseMs: number
  /**
   * How the clock of the worker in each place jumps, as `moved-clock.mjs` reads it. Default: it
   * does not.
   */
  readonly clocks?: readonly string[]
}

const principal = 'anonymous'
const movedClock = fileURLToPath(new URL('../../support/moved-clock.mjs', import.meta.url))

/** Starts a worker; resolves with its address once it works. */
export async function spawnWorker(
  { address, leaseMs, ledger, program }: Omit<ModelportOptions, 'clocks'>,
  name: string,
  version: number,
  clock?: string,
): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const child = spawn(
    process.execPath,
    [
      ...(clock === undefined ? [] : ['--import', movedClock]),
      ...[program, address, String(leaseMs), ledger, name, String(version)],
    ],
    {
      env: { ...process.env, ...(clock !== undefined && { MOVED_CLOCK: clock }) },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const [url] = (await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])) as [unknown]
  return { child, url: String(url).trim() }
}

export class Modelport implements Subject {
  readonly leaseMs: number
  readonly #options: ModelportOptions
  readonly #store: DurableStore
  readonly #urls = new Map<Worker, string>()
  /** Tasks of agents: the message that began each, and its id once it is known. */
  readonly #messages = new Map<string, Message>()
  readonly #taskOf = new Map<string, string>()
  #decided = 0

  private constructor(options: ModelportOptions, store: DurableStore) {
    this.#options = options
    this.#store = store
    this.leaseMs = options.leaseMs
  }

  static async open(options: ModelportOptions): Promise<Modelport> {
    return new Modelport(options, await openStore(options.address, options.leaseMs))
  }

  async startWorker(name: string, version: number, place: number): Promise<Worker> {
    const clock = this.#options.clocks?.[place]
    const { child, url } = await spawnWorker(this.#options, name, version, clock)
    const worker = { name, child }
    this.#urls.set(worker, url)
    child.once('exit', () => this.#urls.delete(worker))
    return worker
  }

  async submit(job: Job, version: number): Promise<void> {
    if (job.kind === 'run')
      return this.#store.runs.start(
        job.id,
        definitionOf(() => Promise.resolve(''), version),
        promptOf(job),
      )
    const message = this.#messages.get(job.id) ?? createMessage('user', promptOf(job))
    this.#messages.set(job.id, message)
    const { id } = await this.#client().send(message, {
      returnImmediately: true,
      signal: AbortSignal.timeout(this.leaseMs),
    })
    this.#taskOf.set(job.id, id)
  }

  async questions(): Promise<readonly Question[]> {
    const found: Question[] = []
    for (const { id, kind, waitsFor } of await this.#store.operations.list({ limit: 10_000 })) {
      const job = this.#jobOf(kind, id)
      for (const call of job === undefined ? [] : waitsFor) {
        const question = questionOf(job ?? '', call)
        if (question) found.push(question)
      }
    }
    return found
  }

  async decide({ job, id }: Question, decision: Decision): Promise<void> {
    const task = this.#taskOf.get(job)
    if (decision.type === 'answer' && task === undefined)
      return this.#answerRun(job, id, decision.content)
    // Half of them over HTTP, as the user of an agent does; the others by an operator of the store,
    // who answers no question.
    if (decision.type !== 'answer' && (task === undefined || this.#decided++ % 2 > 0))
      return this.#store.operations.decide(task ?? job, decision, id)
    const client = this.#client()
    const signal = AbortSignal.timeout(this.leaseMs)
    const found = await client.get(task ?? '', { signal })
    const approval = requestsOf(found).find(({ requestId }) => requestId === id)
    if (!approval) throw new Error('the question does not wait any more')
    const { digest } = approval
    const bound = { requestId: id, ...(digest !== undefined && { digest }) }
    await client.decide(found, [{ ...bound, ...said(decision) }], signal)
  }

  async stopped(): Promise<readonly { readonly job: string; readonly why: string }[]> {
    const stopped = await this.#store.operations.list({ state: 'stopped', limit: 1000 })
    const open = await this.#store.operations.list({ limit: 1000 })
    const tooLong = Date.now() - 5000
    return [
      ...stopped.map(({ kind, id, reason = '' }) => ({
        job: this.#jobOf(kind, id) ?? id,
        why: reason,
      })),
      ...open.flatMap(({ kind, id, unservedSince = Infinity }) => {
        const job = this.#jobOf(kind, id)
        return job !== undefined && unservedSince < tooLong ? [{ job, why: 'no live worker' }] : []
      }),
    ]
  }

  async resume(job: string, version: number): Promise<void> {
    const task = this.#taskOf.get(job)
    const run = task === undefined && (await this.#store.runs.get(job).catch(() => undefined))
    if (!run) return this.#store.operations.resume(task ?? job)
    await this.#store.runs.reopen(
      job,
      definitionOf(() => Promise.resolve(''), version),
    )
  }

  async leaveBehind(count: number): Promise<void> {
    const at = '2026-01-01T00:00:00.000Z'
    for (let index = 0; index < count; index++) {
      const key = { principal, id: `left-${index}` }
      const record = {
        ...key,
        agent: 'gone',
        sessionId: 's',
        createdAt: at,
        metadata: {},
        flowState: {},
      }
      await this.#store.tasks.create(record, [
        { type: 'status', state: 'submitted', at, attempt: 1 },
      ])
      // Somebody has begun it, and does not live any more.
      await (await this.#store.leases?.hold(key, 'gone'))?.release()
    }
  }

  async state(job: string): Promise<Report['state']> {
    const task = this.#taskOf.get(job)
    if (task !== undefined) {
      const head = await this.#store.tasks.head({ principal, id: task })
      return head?.state === 'completed' ? 'done' : head?.state === 'failed' ? 'failed' : 'open'
    }
    return this.#messages.has(job)
      ? 'open'
      : (await this.#store.runs.get(job)).status === 'finished'
        ? 'done'
        : 'open'
  }

  async report(job: Job): Promise<Report> {
    if (job.kind === 'run') return reportOfRun(this.#store, job.id)
    const task = this.#taskOf.get(job.id)
    return task === undefined ? missing : reportOfTask(this.#store, { principal, id: task })
  }

  close(): Promise<void> {
    return this.#store.close()
  }

  /** A question is answered by whoever started the run. */
  async #answerRun(job: string, id: string, content: JsonObject): Promise<void> {
    const { checkpoint } = await this.#store.runs.get(job)
    const item = checkpoint?.pending.find((one) => one.type === 'question' && one.id === id)
    if (item?.type !== 'question') throw new Error('the question does not wait any more')
    await this.#store.runs.decide(
      job,
      { type: 'answer', id: item.id, digest: item.digest, action: 'accept', content },
      item,
    )
  }

  #jobOf(kind: 'task' | 'run', id: string): string | undefined {
    return kind === 'run' ? id : [...this.#taskOf].find(([, task]) => task === id)?.[0]
  }

  #client() {
    const urls = [...this.#urls.values()].filter((url) => url.startsWith('http'))
    const url = urls[Math.floor(Math.random() * urls.length)]
    if (url === undefined) throw new Error('no worker listens')
    return createAgentClient(`${url}/a/worker`, { maxReconnects: 0 })
  }
}

/** What a decision says over the wire. */
function said(decision: Decision): Omit<RequestDecision, 'requestId'> {
  if (decision.type === 'happened') return { outcome: decision.type, result: decision.result }
  if (decision.type === 'did-not-happen') return { outcome: decision.type }
  if (decision.type === 'deny') return { approved: false, reason: decision.reason }
  return { approved: true, ...(decision.type === 'answer' && { content: decision.content }) }
}
