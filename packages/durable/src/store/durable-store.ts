import type { AgentStore } from '@modelport/agent'
import { createAgentStore } from '../agents/sql-agent-store.js'
import { SqlLeases } from '../agents/sql-leases.js'
import { SqlBudgets } from '../budgets/sql-budgets.js'
import { BodyCodec } from '../database/body-codec.js'
import type { Database } from '../database/database.js'
import { DatabaseOperations } from '../operate/database-operations.js'
import type { StoreOperations } from '../operate/store-operations.js'
import { Company } from '../runs/company.js'
import { DatabaseRuns } from '../runs/database-runs.js'
import type { DurableRuns } from '../runs/durable-runs.js'
import { RunTable } from '../runs/run-table.js'
import { type WorkOptions, workOnce } from './work.js'

/** Settings of every store. */
export interface StoreOptions {
  /**
   * Encrypts messages, arguments, results and credentials with AES-256-GCM; 32 bytes. Ids, names,
   * times and states stay readable. Default: nothing is encrypted.
   */
  readonly encryptionKey?: Uint8Array | undefined
  /**
   * How long a run stays with a process that gives no sign of life, in milliseconds: so late
   * another process continues after a crash. Default 15,000, at least 1,000. Processes that share a
   * store may differ.
   */
  readonly leaseMs?: number | undefined
  /**
   * False refuses a file, or a schema, that holds no store, instead of making it: for programs that
   * only look. Default true.
   */
  readonly create?: boolean
}

/** All state of agents and runs, in a database that outlives the process. */
export interface DurableStore extends AgentStore {
  /** Runs that continue after their process was killed. */
  readonly runs: DurableRuns
  /** What an operator sees and settles. */
  readonly operations: StoreOperations
  /**
   * Works on the tasks and runs that can be claimed now, and returns: for a cron job, the consumer
   * of a queue or a serverless function. Work that is not done after `maxMs` is given back. If the
   * function is killed, the next pass continues its work once its lease has ended.
   *
   * @returns how many were begun or continued; 0: there is nothing to do
   */
  work(options: WorkOptions): Promise<number>
  /** The same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

/** A store over an open database. */
export function createDurableStore(database: Database, options: StoreOptions): DurableStore {
  const { encryptionKey, leaseMs = 15_000 } = options
  const codec = new BodyCodec(encryptionKey)
  const parts = {
    database,
    codec,
    leaseMs,
    table: new RunTable(database, codec),
    company: new Company(),
    budgets: new SqlBudgets(database),
  }
  const store = {
    ...createAgentStore(database, codec, parts.budgets),
    leases: new SqlLeases(parts),
  }
  return {
    ...store,
    runs: new DatabaseRuns(parts),
    operations: new DatabaseOperations(parts),
    work: (options) => workOnce(parts, store, options),
    [Symbol.asyncDispose]: () => store.close(),
  }
}
