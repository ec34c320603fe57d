// Set-up of two test projects: the tests of `agent` and `serve` with a SQLite or PostgreSQL store
// wherever they would have a memory store.
import { afterAll, beforeEach, inject } from 'vitest'
import './shared-server.js'
import { createMemoryStore } from '../../../agent/src/index.js'
import { closeStores, createMemoryStore as durable } from './agent-suite-store.js'

if (createMemoryStore !== durable) throw new Error('these tests were meant for a durable store')

const url = inject('agentSuite') === 'PostgreSQL' ? inject('postgresUrl') : undefined
beforeEach((context) => {
  if (url === '') context.skip('PostgreSQL is not installed')
})
afterAll(closeStores)
