import '../../../../scripts/sources.mjs'
// Works on runs on one engine until it dies:
// `node … oracle-program.ts FIRST COUNT FOLDER [URL SCHEMA]`. With the address of a PostgreSQL
// server the engine is DBOS, else our store in a file.
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { DBOS } from '@dbos-inc/dbos-sdk'
import { infer, type PendingItem, type ResumeDecision, type RunResult } from '@modelport/runtime'
import { dbosEngine, dbosTopic } from '@modelport/runtime/engines'
import { openSqliteStore } from '../../src/sqlite/sqlite.js'
import { type OracleJob, oracleJobOf } from './oracle-jobs.js'
import { FilePayee } from './oracle-payee.js'
import { limits, modelOf, needsApproval, type Program, promptOf, toolsOf } from './program.js'

const [, , first = '1', count = '1', folder = '.', url, schema = 'oracle'] = process.argv
const results = join(folder, 'results.txt')
const ledger = join(folder, 'ledger.txt')

type Asked = Parameters<typeof infer>[1]

/** The same run on each engine. */
const requestOf = (job: OracleJob, program: Program): Asked => ({
  query: promptOf(`J${job.seed}`, job.steps),
  tools: toolsOf(program),
  limits,
  authorize: (action) => ({ effect: needsApproval(action) ? 'require-approval' : 'allow' }),
})

/** What a person says of an item: the same on each engine, by what the receiver has. */
function decisionOn(item: PendingItem, payee: FilePayee): ResumeDecision {
  const { id } = item
  const wish = /J\d+\.\d+/.exec(JSON.stringify(item.action))?.[0] ?? ''
  const number = Number(wish.replace(/\D/g, ''))
  switch (item.type) {
    case 'approval':
      return number % 5 === 0
        ? { type: 'deny', id, reason: 'denied' }
        : { type: 'approve', id, digest: item.digest }
    case 'question':
      return { type: 'answer', id, digest: item.digest, action: 'accept', content: { sure: true } }
    case 'uncertain':
      if (number % 7 === 0) return { type: 'give-up', id }
      return payee.wasPaid(wish)
        ? { type: 'result', id, result: `paid ${wish}` }
        : { type: 'repeat', id }
    default:
      payee.finish(wish)
      return { type: 'result', id, result: `paid ${wish}` }
  }
}

const jobs = Array.from({ length: Number(count) }, (_, index) => oracleJobOf(Number(first) + index))
const partsOf = (job: OracleJob) => {
  const payee = new FilePayee(ledger, job)
  const program: Program = { receiver: payee, onRead: () => undefined, timeoutMs: 150 }
  return { payee, program }
}

interface Engine {
  run(job: OracleJob): Promise<Pick<RunResult, 'status' | 'text'>>
  close(): Promise<unknown>
}

async function onStore(): Promise<Engine> {
  const store = await openSqliteStore(join(folder, 'runs.db'), { leaseMs: 1000 })
  return {
    async run(job) {
      const { payee, program } = partsOf(job)
      const id = `J${job.seed}`
      for (;;) {
        const result = await store.runs.run(id, (run) => {
          return infer(modelOf(program), run.request(requestOf(job, program)))
        })
        if (result.status !== 'suspended') return result
        for (const item of result.pending) await store.runs.decide(id, decisionOn(item, payee))
      }
    },
    close: () => store.close(),
  }
}

async function onDbos(address: string): Promise<Engine> {
  DBOS.setConfig({
    name: 'oracle',
    systemDatabaseUrl: address,
    systemDatabaseSchemaName: schema,
    logLevel: 'error',
  })
  const workflow = DBOS.registerWorkflow(
    async (seed: number): Promise<Pick<RunResult, 'status' | 'text'>> => {
      const job = oracleJobOf(seed)
      const { program } = partsOf(job)
      const durable = { runId: `J${seed}`, engine: dbosEngine(DBOS) }
      const { status, text } = await infer(modelOf(program), {
        ...requestOf(job, program),
        durable,
      })
      return { status, text }
    },
    { name: 'oracle' },
  )
  await DBOS.launch()
  return {
    async run(job) {
      const { payee } = partsOf(job)
      const workflowID = `J${job.seed}`
      const handle = await DBOS.startWorkflow(workflow, { workflowID })(job.seed)
      const end = handle.getResult()
      const work = { isOver: false }
      const stop = (): void => void (work.isOver = true)
      end.then(stop, stop)
      const decided = new Set<string>()
      while (!work.isOver) {
        const pending = await DBOS.getEvent<PendingItem[]>(workflowID, dbosTopic, 1)
        for (const item of pending ?? []) {
          // An item of another attempt is another one.
          const shown = JSON.stringify(item)
          if (decided.has(shown)) continue
          decided.add(shown)
          await DBOS.send(workflowID, decisionOn(item, payee), dbosTopic)
        }
        await pause(10)
      }
      return end
    },
    close: () => DBOS.shutdown(),
  }
}

const done = new Set(
  existsSync(results)
    ? readFileSync(results, 'utf8')
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { readonly seed: number }).seed)
    : [],
)
const engine = url === undefined ? await onStore() : await onDbos(url)
for (const job of jobs) {
  if (done.has(job.seed)) continue
  const { status, text } = await engine.run(job)
  appendFileSync(results, `${JSON.stringify({ seed: job.seed, status, text })}\n`)
}
await engine.close()
process.exit(0)
