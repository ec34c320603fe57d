// Global set-up of the project `agent-on-postgres`: one real server for all of its tests.
import type { TestProject } from 'vitest/node'
import { findPostgres, startPostgres } from './postgres-server.js'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Address of the server; empty if PostgreSQL is not available. Not provided: the tests run on SQLite. */
    readonly agentSuiteUrl: string
  }
}

export default async function setUp(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const programs = findPostgres()
  const server = programs === undefined ? undefined : await startPostgres(programs)
  project.provide('agentSuiteUrl', server?.url ?? '')
  return server && (() => server.stop())
}
