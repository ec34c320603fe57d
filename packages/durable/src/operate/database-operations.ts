import {
  cancelRequests,
  isAgentError,
  isTerminal,
  openRequests,
  type RequestDecision,
  settleRequest,
  type TaskKey,
  type TaskState,
} from '@modelport/agent'
import { errorText } from '@modelport/core/text'
import type { PendingItem, ResumeDecision } from '@modelport/runtime'
import { SqlChildCancels } from '../agents/sql-child-cancels.js'
import { SqlTasks } from '../agents/sql-tasks.js'
import { runOfTask } from '../agents/task-run.js'
import { checkArguments } from '../database/check-arguments.js'
import type { Row, SqlValue } from '../database/database.js'
import { DurableError } from '../database/durable-error.js'
import { DatabaseRuns } from '../runs/database-runs.js'
import type { RunParts } from '../runs/held-run.js'
import { LiveWorkers } from '../runs/live-workers.js'
import { servedBy } from '../runs/run-definition.js'
import type { ReopenOptions } from '../runs/run-table.js'
import { askAgain, taskOfRun } from '../runs/session-turns.js'
import {
  isOver,
  placeInRun,
  type RunRow,
  requestIdOf,
  runOf,
  whyStopped,
} from '../runs/stored-run.js'
import { type ForgetOptions, type ForgetReport, forget } from './forget.js'
import { type PruneOptions, type PruneReport, prune } from './prune.js'
import type { StoreOperations } from './store-operations.js'
import {
  type OperatorDecision,
  requestOf,
  type WaitingCall,
  type WorkItem,
  type WorkQuery,
} from './work-item.js'

/** How often a cancel is tried against whoever works on the task and writes at the same time. */
const mostCancelAttempts = 50

/** The operations of a store that is a database. */
export class DatabaseOperations implements StoreOperations {
  readonly #parts: RunParts
  readonly #tasks: SqlTasks
  readonly #runs: DatabaseRuns
  readonly #live: LiveWorkers

  constructor(parts: RunParts) {
    this.#parts = parts
    this.#tasks = new SqlTasks(parts.database, parts.codec)
    this.#runs = new DatabaseRuns(parts)
    this.#live = new LiveWorkers(parts.database, parts.leaseMs)
  }

  async list(query: WorkQuery = {}): Promise<readonly WorkItem[]> {
    checkArguments('operations.list', query, {
      state: 'optional',
      all: 'optional',
      limit: 'optional',
    })
    const { database } = this.#parts
    const { state, all = false, limit = 100 } = query
    const taskStates = state === undefined ? (all ? undefined : openTaskStates) : [state]
    const runStates = state === undefined ? (all ? undefined : openRunStates) : [state]
    const readTasks = (where: string, ...params: readonly SqlValue[]): Promise<readonly Row[]> =>
      database.read(
        `SELECT t.id, t.principal, t.agent, t.state, t.at, r.status AS held, r.due, r.result, r.queue, r.version FROM tasks t
          LEFT JOIN runs r ON r.id = 'task:' || t.id WHERE ${where} ORDER BY t.at, t.id LIMIT ?`,
        [...params, limit],
      )
    // A task whose run stopped is `working` for its caller. One look into the index for each state:
    // a list of all of them would have to be sorted.
    const found =
      state === 'stopped'
        ? await readTasks(`r.status = 'stopped'`)
        : taskStates === undefined
          ? await readTasks('1 = 1')
          : (await Promise.all(taskStates.map((one) => readTasks('t.state = ?', one)))).flat()
    const tasks = [...found].sort(oldestFirst).slice(0, limit)
    const runs = await database.read(
      `SELECT * FROM runs WHERE id NOT LIKE 'task:%' AND ${oneOf('status', runStates)} ORDER BY updated, id LIMIT ?`,
      [...(runStates ?? []), limit],
    )
    const served = await this.#live.served()
    return [
      ...(await Promise.all(tasks.map((row) => this.#itemOfTask(row, served)))),
      ...runs.map((row) => this.#itemOfRun(row, served)),
    ]
  }

  async decide(id: string, decision: OperatorDecision, request?: string): Promise<void> {
    const isHappened = (decision as OperatorDecision | undefined)?.type === 'happened'
    checkArguments('operations.decide', decision, {
      type: 'required',
      reason: 'optional',
      result: isHappened ? 'required' : 'optional',
    })
    const key = await this.#keyOf(id)
    const pending = key ? [] : ((await this.#runs.get(id)).checkpoint?.pending ?? [])
    const calls: readonly WaitingCall[] = key
      ? await openRequests(this.#tasks, key)
      : pending.map(requestOf)
    const [only, ...others] = calls
    const call =
      request === undefined && others.length === 0
        ? only
        : calls.find(({ requestId }) => requestId === request)
    if (!call) {
      const waits = calls.map(({ requestId }) => requestId).join(', ')
      throw new DurableError(
        'conflict',
        waits === ''
          ? `"${id}" waits for nothing; it was decided already, or is worked on`
          : `"${id}" waits for ${waits}; name one of these requests`,
      )
    }
    checkDecision(call, decision)
    if (key) return settleRequest(this.#tasks, key, toRequestDecision(call.requestId, decision))
    const item = pending.find((one) => requestIdOf(one) === call.requestId)
    if (item) await this.#runs.decide(id, toResumeDecision(item, decision), item)
  }

  async resume(id: string, options: { readonly takeOver?: boolean } = {}): Promise<void> {
    checkArguments('operations.resume', options, { takeOver: 'optional' })
    const key = await this.#keyOf(id)
    if (key) {
      const head = await this.#tasks.head(key)
      if (head && isTerminal(head.state))
        throw new DurableError(
          'finished',
          `task "${id}" is ${head.state}; send its message again as a new task`,
        )
      const run = await this.#parts.table.find(runOfTask(id))
      // The task ended after its state was read.
      if (run && isOver(run) && run.status !== 'stopped') throw changed(id)
      return run && this.#resumeRun(id, run, options)
    }
    const run = await this.#parts.table.get(id)
    return isOver(run) && run.status !== 'stopped'
      ? this.#runs.reopen(id)
      : this.#resumeRun(id, run, options)
  }

  async #resumeRun(
    id: string,
    run: RunRow,
    { takeOver = false }: { readonly takeOver?: boolean },
  ): Promise<void> {
    const { status, due } = run
    if (status === 'running' && due !== undefined && this.#isAhead(due) && !takeOver)
      throw new DurableError(
        'conflict',
        `a process works on "${id}", and holds it until ${new Date(due).toISOString()} or longer; if it hangs, take the work over with takeOver (--take-over): a call that it makes has an unknown outcome then`,
      )
    if (await this.#reopen(run)) return
    throw changed(id)
  }

  async resumeVersion(version: string, to?: string): Promise<number> {
    checkArguments(
      'operations.resumeVersion',
      { version, to },
      { version: 'required', to: 'optional' },
    )
    const { database, table } = this.#parts
    const queues = await database.read(
      `SELECT DISTINCT queue FROM runs WHERE version = ? AND status IN ('ready', 'running', 'suspended', 'stopped')`,
      [version],
    )
    const served = await this.#servedVersions()
    let resumed = 0
    for (const queue of queues.map((row) => String(row['queue']))) {
      if (queue.startsWith('task:')) {
        resumed += await this.#resumeTasks(queue, version)
        continue
      }
      const target = to ?? onlyVersion(queue, version, served(queue))
      for (let moved = 1; moved > 0; resumed += moved)
        moved = await table.moveVersion(queue, version, target)
    }
    return resumed
  }

  /** Lets any version of an agent continue the tasks of one. */
  async #resumeTasks(queue: string, version: string): Promise<number> {
    const { table } = this.#parts
    const runs = await table.list(
      `queue = ? AND version = ? AND status IN ('ready', 'running', 'stopped')`,
      [queue, version],
    )
    const now = this.#parts.database.now()
    const waiting = runs.filter(({ status, due }) => status === 'stopped' || (due ?? now) <= now)
    for (const run of waiting) await this.#reopen(run, { version: '', acceptsChange: true })
    return waiting.length
  }

  /** What live processes serve, by queue. */
  async #servedVersions(): Promise<(queue: string) => readonly string[]> {
    const served = [...(await this.#live.served())].map(
      (one) => JSON.parse(one) as [string, string],
    )
    return (queue) => served.flatMap(([name, version]) => (name === queue ? [version] : []))
  }

  async cancel(id: string, reason: string = 'cancelled by the operator'): Promise<void> {
    const key = await this.#keyOf(id)
    if (!key) return this.#runs.cancel(id, reason)
    const { database, codec } = this.#parts
    const cancels = new SqlChildCancels(database, codec)
    for (let attempt = 0; attempt < mostCancelAttempts; attempt++) {
      const head = await this.#tasks.head(key)
      if (!head || isTerminal(head.state)) return
      const now = database.now()
      // A process that serves the agent asks for them.
      for (const row of await cancelRequests(this.#tasks, head, now)) await cancels.put(row)
      const at = new Date(now).toISOString()
      try {
        await this.#tasks.append(key, head.seq, [
          {
            type: 'status',
            state: 'cancelled',
            metadata: { cancel_reason: reason },
            at,
            attempt: 1,
          },
        ])
        return
      } catch (error) {
        // Whoever works on the task has written something: the cancel comes behind that.
        if (!isAgentError(error, 'conflict')) throw error
      }
    }
    throw new DurableError(
      'conflict',
      `"${id}" was written ${mostCancelAttempts} times while it was cancelled; cancel it again`,
    )
  }

  prune(options: PruneOptions): Promise<PruneReport> {
    return prune(this.#parts, options)
  }

  forget(principal: string, options: ForgetOptions = {}): Promise<ForgetReport> {
    return forget(this.#parts, principal, options)
  }

  async #keyOf(id: string): Promise<TaskKey | undefined> {
    checkArguments('a task or run', { id }, { id: 'required' })
    const [row] = await this.#parts.database.read('SELECT principal FROM tasks WHERE id = ?', [id])
    return row && { principal: String(row['principal']), id }
  }

  /** @returns false if the run changed meanwhile */
  async #reopen(run: RunRow, under?: ReopenOptions): Promise<boolean> {
    // Who waits for a person waits on.
    if (run.status === 'suspended') return true
    const { error } = (run.result ?? {}) as {
      readonly error?: { readonly details?: { readonly reason?: string } }
    }
    const task = taskOfRun(run.id)
    const also = task === undefined ? [] : askAgain(task, this.#parts.database.now())
    const isChanged = run.status === 'stopped' && error?.details?.reason === 'fingerprint'
    const own = { acceptsChange: isChanged || run.acceptsChange }
    const moved = under ?? (task === undefined ? await this.#liveVersion(run) : undefined)
    return this.#parts.table.reopen(run, moved ?? own, also)
  }

  /** The only version of a run's definition that live processes serve, if its own is not. */
  async #liveVersion({ queue, version }: RunRow): Promise<ReopenOptions | undefined> {
    const served = (await this.#servedVersions())(queue)
    const [only, ...others] = served
    if (only === undefined || others.length > 0 || served.includes(version)) return undefined
    return { version: only, acceptsChange: true }
  }

  async #itemOfTask(row: Row, served: ReadonlySet<string>): Promise<WorkItem> {
    const key = { principal: String(row['principal']), id: String(row['id']) }
    const item = {
      kind: 'task',
      id: key.id,
      name: String(row['agent']),
      principal: key.principal,
      changedAt: Number(row['at']),
      isHeld: row['held'] === 'running' && this.#isAhead(row['due']),
      ...this.#versionOf(row, row['held'], served),
    } as const
    const state = row['held'] === 'stopped' ? 'stopped' : String(row['state'])
    try {
      const { codec } = this.#parts
      const result =
        row['held'] === 'stopped'
          ? (codec.decode(row['result'], placeInRun(runOfTask(key.id), 'result')) as object)
          : undefined
      const reason = whyStopped({ status: 'stopped', ...(result && { result }) })
      const waitsFor = await openRequests(this.#tasks, key)
      return {
        ...item,
        state,
        waitsFor,
        ...(state === 'stopped' && reason !== undefined && { reason }),
      }
    } catch (error) {
      return { ...item, state: 'unreadable', waitsFor: [], reason: errorText(error) }
    }
  }

  #itemOfRun(row: Row, served: ReadonlySet<string>): WorkItem {
    const item = {
      kind: 'run',
      id: String(row['id']),
      name: String(row['queue']) || 'run',
      changedAt: Number(row['updated']),
      isHeld: row['status'] === 'running' && this.#isAhead(row['due']),
      ...this.#versionOf(row, row['status'], served),
    } as const
    try {
      const run = runOf(row, this.#parts.codec)
      const reason = whyStopped(run)
      const waitsFor =
        run.status === 'suspended' ? (run.checkpoint?.pending ?? []).map(requestOf) : []
      return { ...item, state: run.status, waitsFor, ...(reason !== undefined && { reason }) }
    } catch (error) {
      return { ...item, state: 'unreadable', waitsFor: [], reason: errorText(error) }
    }
  }

  /** The version of a row, and since when it waits for a process that serves it. */
  #versionOf(
    { queue, version, due }: Row,
    status: SqlValue | undefined,
    served: ReadonlySet<string>,
  ): Pick<WorkItem, 'version' | 'unservedSince'> {
    if (typeof version !== 'string' || version === '') return {}
    const isReady = status === 'ready' || status === 'running'
    const isServed = served.has(servedBy(String(queue), version))
    return isReady && !isServed && typeof due === 'number' && !this.#isAhead(due)
      ? { version, unservedSince: due }
      : { version }
  }

  #isAhead(due: SqlValue | undefined): boolean {
    return typeof due === 'number' && due > this.#parts.database.now()
  }
}

/** Rows of tasks by the time of their state, then by id. */
const oldestFirst = (a: Row, b: Row): number =>
  Number(a['at']) - Number(b['at']) || (String(a['id']) < String(b['id']) ? -1 : 1)

/** @throws {DurableError} `conflict` — there is no other version, or a choice */
function onlyVersion(queue: string, version: string, served: readonly string[]): string {
  const others = served.filter((one) => one !== version)
  const [only] = others
  if (only !== undefined && others.length === 1) return only
  throw new DurableError(
    'conflict',
    only === undefined
      ? `no live process serves another version of "${queue}"; start one first`
      : `live processes serve several versions of "${queue}": ${others.join(', ')}; name one of them`,
  )
}

const openTaskStates: readonly TaskState[] = [
  'submitted',
  'working',
  'input-required',
  'auth-required',
]
const openRunStates = ['ready', 'running', 'suspended', 'stopped'] as const

const oneOf = (column: string, states: readonly string[] | undefined): string =>
  states === undefined ? '1 = 1' : `${column} IN (${states.map(() => '?').join(', ')})`

const isAboutOutcome = ({ type }: OperatorDecision): boolean =>
  type !== 'approve' && type !== 'deny'

function checkDecision({ requestId, kind }: WaitingCall, decision: OperatorDecision): void {
  if (kind !== 'question' && isAboutOutcome(decision) === (kind !== 'approval')) return
  const hints: Readonly<Partial<Record<typeof kind, string>>> = {
    approval: 'it needs permission; approve or deny it',
    question: 'it asks the user, and nobody else can answer; cancel the task if the user does not',
  }
  const hint = hints[kind] ?? 'its outcome is unknown; say whether it happened, or give it up'
  throw new DurableError('conflict', `"${decision.type}" does not settle "${requestId}": ${hint}`)
}

function toRequestDecision(requestId: string, decision: OperatorDecision): RequestDecision {
  const { type } = decision
  if (type === 'approve') return { requestId, approved: true }
  if (type === 'did-not-happen') return { requestId, outcome: type }
  if (type === 'happened') return { requestId, outcome: type, result: decision.result }
  if (type === 'give-up') return { requestId, outcome: 'unknown' }
  const { reason } = decision
  return { requestId, approved: false, ...(reason !== undefined && { reason }) }
}

function toResumeDecision(item: PendingItem, decision: OperatorDecision): ResumeDecision {
  const { id } = item
  if (decision.type === 'approve')
    return {
      type: 'approve',
      id,
      digest: item.type === 'approval' ? item.digest : '',
      by: 'operator',
    }
  if (decision.type === 'deny')
    return {
      type: 'deny',
      id,
      by: 'operator',
      ...(decision.reason !== undefined && { reason: decision.reason }),
    }
  if (decision.type === 'happened') return { type: 'result', id, result: decision.result }
  if (decision.type === 'give-up') return { type: 'give-up', id }
  return item.type === 'wait' || item.type === 'task'
    ? { type: 'failure', id, message: 'The work elsewhere failed.' }
    : { type: 'repeat', id }
}

const changed = (id: string): DurableError =>
  new DurableError('conflict', `"${id}" changed at the same time; look at it again`)
