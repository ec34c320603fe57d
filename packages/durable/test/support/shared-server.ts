// Global set-up of the projects that need PostgreSQL: one real server for the tests of all of them,
// each of which takes schemas of its own.
import type { TestProject } from 'vitest/node'
import { findPostgres, type PostgresServer, startPostgres } from './postgres-server.js'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Address of the server; empty if PostgreSQL is not available. */
    readonly postgresUrl: string
    /** The databases that the tests of `durable` run on. */
    readonly testedDatabases: readonly ('SQLite' | 'PostgreSQL')[]
    /** Where the tests of `agent` keep their tasks. */
    readonly agentSuite: 'SQLite' | 'PostgreSQL'
  }
}

interface Shared {
  readonly server: Promise<PostgresServer> | undefined
  users: number
}

/** Each project loads this file on its own, in the same process. */
const shared = globalThis as { modelportPostgres?: Shared | undefined }

export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  if (!shared.modelportPostgres) {
    const programs = findPostgres()
    shared.modelportPostgres = {
      server: programs === undefined ? undefined : startPostgres(programs),
      users: 0,
    }
  }
  const own = shared.modelportPostgres
  own.users++
  const server = await own.server
  project.provide('postgresUrl', server?.url ?? '')
  return async () => {
    if (--own.users > 0) return
    shared.modelportPostgres = undefined
    await server?.stop()
  }
}
