import { forgetRequests, isAgentError, isTerminal, type TaskHead } from '@modelport/agent'
import { cancelsOf, SqlChildCancels } from '../agents/sql-child-cancels.js'
import { nameOfTask } from '../agents/sql-inbox.js'
import { SqlSessions } from '../agents/sql-sessions.js'
import { SqlTasks } from '../agents/sql-tasks.js'
import { checkArguments } from '../database/check-arguments.js'
import { shrink } from '../database/shrink.js'
import type { RunParts } from '../runs/held-run.js'

/** How a principal is forgotten. */
export interface ForgetOptions {
  /**
   * Called with the ids of tasks before they are removed, to remove what other places know of them:
   * your logs, the file of a studio. If it rejects, these tasks stay, and so does the rest: call
   * `forget` again. Default: nothing else is removed.
   */
  readonly also?: ((tasks: readonly string[]) => Promise<void>) | undefined
  /**
   * How long the answers of the agents that were called are waited for, in milliseconds. Default
   * 10,000. Those that have not answered by then are asked on.
   */
  readonly waitMs?: number | undefined
}

/** What {@link StoreOperations.forget} removed, and what it could not reach. */
export interface ForgetReport {
  /** Tasks that are gone, with messages, events, journal, transcript and decisions. */
  readonly tasks: number
  /** Conversations that are gone. */
  readonly sessions: number
  /** Agents that these tasks called, and that removed what they were told. */
  readonly agents: readonly string[]
  /** Agents that have not, also for people who were forgotten before. */
  readonly unreached: readonly UnreachedAgent[]
}

/** An agent that still has what it was told. */
export interface UnreachedAgent {
  /** The name that its caller has for it. */
  readonly agent: string
  /** The agent that called it. */
  readonly caller: string
  /** The tasks of the caller. They name nobody, and are gone here. */
  readonly tasks: readonly string[]
  /** `waiting`: it is asked again, for a week. `refused`: it is not asked again. */
  readonly state: 'waiting' | 'refused'
  /** What is wrong, and what to do. */
  readonly reason: string
}

/** Tasks of one look. */
const page = 20

/** How often the answers of other agents are looked for, in milliseconds. */
const lookMs = 100

/** Removes everything that a principal said, and what came of it. */
export async function forget(
  parts: RunParts,
  principal: string,
  options: ForgetOptions,
): Promise<ForgetReport> {
  checkArguments('operations.forget', { principal }, { principal: 'required' })
  checkArguments('operations.forget', options, { also: 'optional', waitMs: 'optional' })
  const { database, codec } = parts
  const { also, waitMs = 10_000 } = options
  const tasks = new SqlTasks(database, codec)
  const sessions = new SqlSessions(database, codec)
  const cancels = new SqlChildCancels(database, codec)
  const agents = new Set<string>()
  let removed = 0

  // Until nothing comes after it: a task may be sent meanwhile.
  for (;;) {
    const rows = await database.read(`SELECT id FROM tasks WHERE principal = ? LIMIT ${page}`, [
      principal,
    ])
    if (rows.length === 0) break
    const ids = rows.map(({ id }) => String(id))
    for (const id of ids) {
      const head = await tasks.head({ principal, id })
      if (!head) continue
      await end(tasks, head, database.now())
      for (const target of await askChildren(parts, tasks, head)) agents.add(target)
    }
    await also?.(ids)
    for (const id of ids) {
      const key = { principal, id }
      await tasks.delete(key)
      await database.write([
        {
          sql: 'DELETE FROM outbox WHERE stream = ? AND dead > 0',
          params: [cancelsOf(nameOfTask(key))],
        },
      ])
      removed++
    }
  }

  const owned = await database.read('SELECT agent, id FROM sessions WHERE principal = ?', [
    principal,
  ])
  for (const { agent, id } of owned)
    await sessions.delete({ principal, agent: String(agent), id: String(id) })
  await shrink(database)

  const until = database.now() + (agents.size > 0 ? waitMs : 0)
  const unreached = await unreachedAgents(cancels, () => database.now() >= until)
  const open = new Set(unreached.map(({ agent }) => agent))
  return {
    tasks: removed,
    sessions: owned.length,
    agents: [...agents].filter((one) => !open.has(one)).sort(),
    unreached,
  }
}

/** Stores that the agents which a task called have to forget it. @returns their names */
async function askChildren(
  { database, codec }: RunParts,
  tasks: SqlTasks,
  head: TaskHead,
): Promise<readonly string[]> {
  // What cannot be read any more, for example without its key, is removed all the same.
  const events = await tasks.read(head.record, 1).catch(() => [])
  const requests = forgetRequests(head, events, database.now())
  const cancels = new SqlChildCancels(database, codec)
  for (const request of requests) await cancels.put(request)
  return requests.map(({ target }) => target)
}

/**
 * Ends a task, so that its process begins no call any more. Its process writes meanwhile, so it is
 * tried again.
 */
async function end(tasks: SqlTasks, { record }: TaskHead, now: number): Promise<void> {
  const at = new Date(now).toISOString()
  const cancelled = { type: 'status', state: 'cancelled', at, attempt: 1 } as const
  for (let attempt = 0; attempt < 100; attempt++) {
    const head = await tasks.head(record)
    if (!head || isTerminal(head.state)) return
    try {
      await tasks.append(record, head.seq, [cancelled])
      return
    } catch (error) {
      // Only the writes of another process are waited for: what cannot be written is removed.
      if (!isAgentError(error)) return
    }
  }
}

/** The agents that have not forgotten what they were told, once all were asked or it is late. */
async function unreachedAgents(
  cancels: SqlChildCancels,
  isLate: () => boolean,
): Promise<readonly UnreachedAgent[]> {
  for (;;) {
    // One that was asked, and is asked once more later, has forgotten what it knew.
    const rows = (await cancels.unforgotten()).filter(
      ({ row, isDead }) => isDead || row.attempts === 0 || row.reason !== undefined,
    )
    const isSettled = rows.every(({ row, isDead }) => isDead || row.attempts > 0)
    if (isSettled || isLate()) return toUnreached(rows)
    await new Promise((resolve) => setTimeout(resolve, lookMs))
  }
}

/** One entry for each agent and problem. */
function toUnreached(
  rows: Awaited<ReturnType<SqlChildCancels['unforgotten']>>,
): readonly UnreachedAgent[] {
  const found = new Map<string, UnreachedAgent>()
  for (const { row, isDead } of rows) {
    const { agent: caller, target: agent, taskId, reason: problem, giveUpAt } = row
    const state = isDead ? 'refused' : 'waiting'
    const reason = isDead
      ? `it did not forget: ${problem ?? 'it gave no reason'}; ask whoever operates it to remove what these tasks said`
      : problem === undefined
        ? `no process that serves "${caller}" has asked it yet; start one`
        : `it cannot be reached: ${problem}; it is asked again until ${new Date(giveUpAt).toISOString()}; forget again to see what came of it`
    const name = JSON.stringify([caller, agent, state, reason])
    const tasks = [...(found.get(name)?.tasks ?? []), taskId]
    found.set(name, { agent, caller, tasks, state, reason })
  }
  return [...found.values()]
}
