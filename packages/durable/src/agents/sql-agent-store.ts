import type { AgentStore } from '@modelport/agent'
import type { SharedBudgets } from '@modelport/runtime'
import { SqlBudgets } from '../budgets/sql-budgets.js'
import type { BodyCodec } from '../database/body-codec.js'
import type { Database } from '../database/database.js'
import { shrink } from '../database/shrink.js'
import { SqlChildCancels } from './sql-child-cancels.js'
import { SqlInbox } from './sql-inbox.js'
import { SqlSessions } from './sql-sessions.js'
import { SqlTasks } from './sql-tasks.js'

/** What agents keep, in a database. */
export const createAgentStore = (
  database: Database,
  codec: BodyCodec,
  budgets: SharedBudgets = new SqlBudgets(database),
): AgentStore => ({
  budgets,
  tasks: new SqlTasks(database, codec),
  sessions: new SqlSessions(database, codec),
  inbox: new SqlInbox(database, codec),
  cancels: new SqlChildCancels(database, codec),
  shrink: () => shrink(database),
  ping: async () => {
    await database.read('SELECT 1 AS ok')
  },
  close: () => database.close(),
})
