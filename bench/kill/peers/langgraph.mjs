// LangGraph.js: `createAgent` with a checkpointer, `durability: 'sync'`, and the middleware for
// approvals. After a kill: the same thread with `null` as input.
// https://docs.langchain.com/oss/javascript/langgraph/durable-execution
import { Command, task } from '@langchain/langgraph'
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres'
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite'
import { ChatOpenAI } from '@langchain/openai'
import { createAgent, humanInTheLoopMiddleware, tool } from 'langchain'
import { z } from 'zod'
import { effect, promptOf, settings, toolNames, work } from '../door.mjs'

const happen = task('effect', effect)
const tools = toolNames.map((name) =>
  tool(({ job }, { toolCall }) => happen(job, name, toolCall.id), {
    name,
    description: 'Has an effect',
    schema: z.object({ job: z.string() }),
  }),
)
const isPostgres = settings.store.startsWith('postgres:')
const checkpointer = isPostgres
  ? PostgresSaver.fromConnString(settings.store)
  : SqliteSaver.fromConnString(`${settings.store}/langgraph.db`)
if (isPostgres) await checkpointer.setup()

const agent = createAgent({
  model: new ChatOpenAI({
    model: 'scripted',
    apiKey: 'none',
    configuration: { baseURL: settings.model },
  }),
  tools,
  checkpointer,
  middleware: [
    humanInTheLoopMiddleware({
      interruptOn: { refund: { allowedDecisions: ['approve', 'reject'] } },
    }),
  ],
})

const configOf = ({ job }) => ({
  configurable: { thread_id: job },
  durability: 'sync',
  recursionLimit: 500,
})

function outcomeOf({ messages, __interrupt__: interrupts }) {
  if (interrupts?.length) return { waits: [{ kind: 'approval', call: 'refund' }] }
  return { text: messages.at(-1).text }
}

const start = async (job) =>
  outcomeOf(
    await agent.invoke({ messages: [{ role: 'user', content: promptOf(job) }] }, configOf(job)),
  )

async function resume(job) {
  const { values, tasks } = await agent.graph.getState(configOf(job))
  const last = values.messages?.at(-1)
  if (!last) return { missing: true }
  if (tasks.some(({ interrupts }) => interrupts.length > 0))
    return { waits: [{ kind: 'approval', call: 'refund' }] }
  if (last.type === 'ai' && last.tool_calls.length === 0) return { text: last.text }
  return outcomeOf(await agent.invoke(null, configOf(job)))
}

const decide = async (job) =>
  outcomeOf(
    await agent.invoke(
      new Command({ resume: { decisions: [{ type: 'approve' }] } }),
      configOf(job),
    ),
  )

await work({ start, resume, decide })
process.exit()
