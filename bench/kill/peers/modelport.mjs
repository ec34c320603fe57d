// modelport: `store.runs.run` with `run.request`. After a kill: the same call with the same id; it
// continues once the lease of the dead process ends, 15 seconds by default.
// docs/guides/agent-that-survives.md
import { openPostgresStore } from '@modelport/durable/postgres'
import { openSqliteStore } from '@modelport/durable/sqlite'
import { createOpenAICompatible } from '@modelport/provider-openai-compatible'
import { defineTool, infer } from '@modelport/runtime'
import { effect, happened, promptOf, settings, toolNames, work } from '../door.mjs'

/** Asks the ledger what became of a call, where the receiver can be asked. */
const reconcile =
  (name) =>
  async ({ job }, { run }) =>
    (await happened(job, run.idempotencyKey))
      ? { outcome: 'executed', result: `done ${name}` }
      : { outcome: 'not-executed' }

const store = settings.store.startsWith('postgres:')
  ? await openPostgresStore(settings.store)
  : await openSqliteStore(`${settings.store}/modelport.db`)
const provider = createOpenAICompatible({ baseUrl: settings.model, model: 'scripted' })

const tools = toolNames.map((name) =>
  defineTool({
    name,
    description: 'Has an effect',
    parameters: { type: 'object', properties: { job: { type: 'string' } }, required: ['job'] },
    execute: ({ job }, { run }) => effect(job, name, run.idempotencyKey),
    ...(process.env.KILL_RECONCILE && { reconcile: reconcile(name) }),
  }),
)
const isAsked = ({ type, tool }) => type === 'tool_call' && tool === 'refund'

async function start(job) {
  const result = await store.runs.run(job.job, (run) =>
    infer(
      provider,
      run.request({
        query: promptOf(job),
        tools,
        authorize: (action) => ({ effect: isAsked(action) ? 'require-approval' : 'allow' }),
        limits: { maxSteps: 500, maxRepeats: 500, maxIdleSteps: 500 },
      }),
    ),
  )
  if (result.status === 'final') return { text: result.text }
  if (result.status !== 'suspended') throw result.error
  return {
    waits: result.pending.map(({ id, type, action, digest }) => ({
      id,
      kind: type,
      call: action.tool,
      digest,
    })),
  }
}

/**
 * A person says of each call that it may happen, or, after a look into the ledger, whether it did.
 */
async function decide(job, decisions) {
  for (const { id, kind, digest, result } of decisions) {
    const happened = result === undefined ? { type: 'repeat', id } : { type: 'result', id, result }
    await store.runs.decide(
      job.job,
      kind === 'approval' ? { type: 'approve', id, digest } : happened,
    )
  }
  return start(job)
}

await work({ start, resume: start, decide })
await store.close()
process.exit()
