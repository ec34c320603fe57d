import { isTerminal, type TaskKey } from '@modelport/agent'
import { cancelsOf } from '../agents/sql-child-cancels.js'
import { nameOfTask } from '../agents/sql-inbox.js'
import { SqlSessions } from '../agents/sql-sessions.js'
import { SqlTasks } from '../agents/sql-tasks.js'
import { checkArguments } from '../database/check-arguments.js'
import type { RunParts } from '../runs/held-run.js'
import { shrink } from './prune.js'

/** What {@link StoreOperations.forget} removed, and what it could not reach. */
export interface ForgetReport {
  /** Tasks that are gone, with messages, events, journal, transcript and decisions. */
  readonly tasks: number
  /** Conversations that are gone. */
  readonly sessions: number
  /**
   * Agents that these tasks called. They keep what they were told: ask whoever operates them. Those
   * that this store holds are called as the same principal, so that it forgets their tasks too.
   */
  readonly agents: readonly string[]
}

/** Tasks of one look. */
const page = 20

/** Removes everything that a principal said, and what came of it. */
export async function forget(parts: RunParts, principal: string): Promise<ForgetReport> {
  checkArguments('operations.forget', { principal }, { principal: 'required' })
  const { database, codec } = parts
  const tasks = new SqlTasks(database, codec)
  const sessions = new SqlSessions(database, codec)
  const agents = new Set<string>()
  let removed = 0

  // Until nothing comes after it: a task may be sent meanwhile.
  for (;;) {
    const rows = await database.read(`SELECT id FROM tasks WHERE principal = ? LIMIT ${page}`, [
      principal,
    ])
    if (rows.length === 0) break
    for (const { id } of rows) {
      const key = { principal, id: String(id) }
      for (const agent of await calledAgents(tasks, key)) agents.add(agent)
      await end(tasks, key, database.now())
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
  return { tasks: removed, sessions: owned.length, agents: [...agents].sort() }
}

/** Ends a task, so that its process learns that it is over. Others may write at the same time. */
async function end(tasks: SqlTasks, key: TaskKey, now: number): Promise<void> {
  const head = await tasks.head(key)
  if (!head || isTerminal(head.state)) return
  const at = new Date(now).toISOString()
  const cancelled = { type: 'status', state: 'cancelled', at, attempt: 1 } as const
  // Another writer was first; the task is gone at its next write.
  await tasks.append(key, head.seq, [cancelled]).catch(() => undefined)
}

async function calledAgents(tasks: SqlTasks, key: TaskKey): Promise<readonly string[]> {
  const events = await tasks.read(key, 1).catch(() => [])
  return events.flatMap((event) =>
    event.type === 'run' && event.event.type === 'agent-call-start' ? [event.event.agent] : [],
  )
}
