// A worker process of the killing test: it claims runs of six steps, and notes each effect in a file outside the store.
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createMock } from '@modelport/provider-mock'
import { defineTool, infer } from '@modelport/runtime'
import type { RunDefinition } from '../../src/index.js'
import { openPostgresStore } from '../../src/postgres/postgres.js'
import { openSqliteStore } from '../../src/sqlite/sqlite.js'

const steps = 6

/** Lease of the workers, in milliseconds. */
export const workerLeaseMs = 1500

const holdFile = (ledger: string): string => `${ledger}.hold`

/** Keeps the calls of a run from returning, in every process, after their effect; `releaseHeld` ends it. */
export const hold = (ledger: string, run: string): void => writeFileSync(holdFile(ledger), `${run}/`)
export const releaseHeld = (ledger: string): void => rmSync(holdFile(ledger))
const holds = (ledger: string, key: string): boolean =>
  existsSync(holdFile(ledger)) && key.startsWith(readFileSync(holdFile(ledger), 'utf8'))

const tool = (name: 'once' | 'again', ledger: string) => ({
  ...defineTool({
    name,
    description: 'Has an effect',
    parameters: { type: 'object', properties: {} },
    execute: async (_args, { run }) => {
      appendFileSync(ledger, `${name} ${run.idempotencyKey}\n`)
      await new Promise((resolve) => setTimeout(resolve, 5))
      while (holds(ledger, run.idempotencyKey)) await new Promise((resolve) => setTimeout(resolve, 20))
      return 'done'
    },
  }),
  idempotent: name === 'again',
})

/** The kind of run; each step calls a tool that may not be repeated, and one that may. */
export const definition = (ledger: string): RunDefinition => ({
  name: 'killed',
  fingerprint: { version: 1 },
  execute: (run) => {
    const provider = createMock({
      defaultResponse: ({ messages }) => {
        const step = messages.filter(({ role }) => role === 'assistant').length
        return step >= steps
          ? 'Done.'
          : {
              toolCalls: [
                { id: `a${step}`, name: 'once' },
                { id: `b${step}`, name: 'again' },
              ],
            }
      },
    })
    return infer(
      provider,
      run.request({
        query: 'Go.',
        tools: [tool('once', ledger), tool('again', ledger)],
        limits: { maxSteps: 20, maxRepeats: 99, maxIdleSteps: 99, repeatableTools: ['once', 'again'] },
      }),
    )
  },
})

/** The store at an address: PostgreSQL, or a file. */
export const openStore = (address: string) =>
  address.startsWith('postgres:')
    ? openPostgresStore(address, { connections: 4, reconnectMs: 20_000, leaseMs: workerLeaseMs })
    : openSqliteStore(address, { leaseMs: workerLeaseMs })

if (process.argv[2] === 'work') {
  const [, , , address = '', ledger = ''] = process.argv
  const store = await openStore(address)
  store.runs.work([definition(ledger)], { concurrency: 8, onError: (error) => console.error(String(error)) })
  process.stdout.write('ready\n')
  setInterval(() => undefined, 60_000)
}
