// Mastra: `createDurableAgent` on libsql with `recovery: { durableAgents: 'auto' }`, and a tool
// with `requireApproval`. After a kill: `recover`, or `resume` if it was suspended.
// https://mastra.ai/docs/harness/durable-agents
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { Agent } from '@mastra/core/agent'
import { createDurableAgent } from '@mastra/core/agent/durable'
import { Mastra } from '@mastra/core/mastra'
import { createTool } from '@mastra/core/tools'
import { LibSQLStore } from '@mastra/libsql'
import { z } from 'zod'
import { effect, promptOf, settings, toolNames, work } from '../door.mjs'

const tools = Object.fromEntries(
  toolNames.map((name) => [
    name,
    createTool({
      id: name,
      description: 'Has an effect',
      inputSchema: z.object({ job: z.string() }),
      requireApproval: name === 'refund',
      execute: ({ job }, context) => effect(job, name, context?.agent?.toolCallId),
    }),
  ]),
)
const agent = new Agent({
  id: 'worker',
  name: 'worker',
  instructions: 'You work on jobs.',
  model: createOpenAICompatible({ name: 'scripted', baseURL: settings.model }).chatModel(
    'scripted',
  ),
  tools,
})
const worker = createDurableAgent({ agent, maxSteps: 500 })
new Mastra({
  agents: { worker },
  storage: new LibSQLStore({ id: 'store', url: `file:${settings.store}/mastra.db` }),
  recovery: { durableAgents: 'auto' },
  logger: false,
})

/** Resolves at the end of a run, or once it is suspended. */
const ending = (begin) =>
  new Promise((resolve, reject) => {
    const onSuspended = () => resolve({ waits: [{ kind: 'approval', call: 'refund' }] })
    begin({ onSuspended, onError: (error) => reject(error?.error ?? error) })
      .then(async ({ output }) => resolve({ text: await output.text }))
      .catch(reject)
  })

const start = (job) =>
  ending((options) => worker.stream(promptOf(job), { ...options, runId: job.job, maxSteps: 500 }))

async function resume({ job }) {
  const isOf = ({ runId }) => runId === job
  if ((await worker.listActiveRuns()).runs.some(isOf))
    return ending((options) => worker.recover(job, options))
  if ((await worker.listSuspendedRuns()).runs.some(isOf))
    return { waits: [{ kind: 'approval', call: 'refund' }] }
  return { missing: true }
}

const decide = ({ job }) => ending((options) => worker.resume(job, { approved: true }, options))

await work({ start, resume, decide })
process.exit()
