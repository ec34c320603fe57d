// The rows of agents.
import { randomUUID } from 'node:crypto'
import {
  answerOf,
  createAgent,
  createLocalClient,
  createTask,
  executeTask,
  type Task,
  toAgentTarget,
} from '@modelport/agent'
import { LlmError } from '@modelport/core'
import { infer, orThrow } from '@modelport/runtime'
import { createAgentClient } from '@modelport/serve'
import { serve } from '@modelport/serve/node'
import {
  type CellContext,
  type Door,
  question,
  sentence,
  weatherInRome,
  weatherSchema,
} from './door.js'

const card = { name: 'weather', description: 'The weather anywhere' }

/** The answer of a task that is completed. */
function answer(task: Task): string {
  if (task.state !== 'completed') throw new LlmError(errorCodeOf(task), answerOf(task))
  return answerOf(task)
}
const errorCodeOf = ({ metadata }: Task) =>
  (metadata as { error?: { code?: LlmError['code'] } }).error?.code ?? 'unknown'

const agentOf = (
  { provider }: CellContext,
  settings: Partial<Parameters<typeof createAgent>[0]> = {},
) => createAgent({ card, provider, ...settings })

/** The rows. */
export const agentDoors: readonly Door[] = [
  {
    name: "an agent's task",
    covers: ['createAgent', 'createLocalClient', 'AgentClient.send'],
    sees: sentence,
    requests: 1,
    run: async (cell) => ({ value: answer(await createLocalClient(agentOf(cell)).send(question)) }),
  },
  {
    name: "an agent's task, with a tool",
    covers: ['createAgent', 'createLocalClient', 'AgentClient.send'],
    sees: sentence,
    requests: 2,
    usesTool: true,
    run: async (cell) => ({
      value: answer(
        await createLocalClient(agentOf(cell, { tools: [cell.weather] })).send(question),
      ),
    }),
  },
  {
    name: "an agent's task, with a schema",
    covers: ['createAgent', 'createLocalClient', 'AgentClient.send'],
    sees: weatherInRome,
    requests: 1,
    run: async (cell) => ({
      value: JSON.parse(
        answer(
          await createLocalClient(agentOf(cell, { outputSchema: weatherSchema })).send(question),
        ),
      ),
    }),
  },
  {
    name: "an agent's task, as JSON actions without a tool",
    covers: ['createAgent'],
    sees: sentence,
    requests: 1,
    run: async (cell) => ({
      value: answer(await createLocalClient(agentOf(cell, { mode: 'json' })).send(question)),
    }),
  },
  {
    name: "an agent's task, streamed",
    covers: ['AgentClient.stream'],
    sees: sentence,
    requests: 1,
    run: async (cell) => {
      let text = ''
      for await (const event of createLocalClient(agentOf(cell)).stream(question)) {
        if (event.type === 'text-delta') text = event.first ? event.text : text + event.text
        if (event.type === 'task' && event.task.state === 'failed') answer(event.task)
      }
      return { value: text }
    },
  },
  {
    name: 'executeTask',
    covers: ['executeTask'],
    sees: sentence,
    requests: 1,
    run: async (cell) => ({
      value: answer(await executeTask(agentOf(cell), createTask(question))),
    }),
  },
  {
    name: 'infer, with an agent to delegate to',
    covers: ['infer', 'toAgentTarget'],
    sees: sentence,
    requests: 3,
    run: async (cell) => {
      const target = await toAgentTarget(createLocalClient(agentOf(cell)))
      return {
        value: orThrow(await infer(cell.provider, { query: question, agents: [target] })).text,
      }
    },
  },
  {
    name: "an agent's task, with an agent to delegate to",
    covers: ['createAgent', 'toAgentTarget'],
    sees: sentence,
    requests: 3,
    run: async (cell) => {
      const target = await toAgentTarget(createLocalClient(agentOf(cell)))
      const chief = agentOf(cell, {
        card: { name: 'chief', description: 'Asks others' },
        agents: [target],
      })
      return { value: answer(await createLocalClient(chief).send(question)) }
    },
  },
  {
    name: 'an agent at an address',
    covers: ['serve', 'createAgentClient'],
    sees: sentence,
    requests: 1,
    run: async (cell) => {
      const server = await serve([agentOf(cell)])
      try {
        return { value: answer(await createAgentClient(server.url).send(question)) }
      } finally {
        await server.close()
      }
    },
  },
  {
    name: 'a durable run, with a tool',
    covers: ['infer', 'DurableRuns.run'],
    sees: sentence,
    requests: 2,
    usesTool: true,
    run: async ({ provider, weather, store }) => {
      const run = await store.runs.run(randomUUID(), (durable) =>
        infer(provider, durable.request({ query: question, tools: [weather] })),
      )
      const { text, usage } = orThrow(run)
      return { value: text, usage }
    },
  },
  {
    name: "compaction of an agent's session",
    covers: ['AgentClient.compactHistory'],
    sees: true,
    requests: 4,
    run: async (cell) => {
      const client = createLocalClient(agentOf(cell))
      for (let turn = 0; turn < 3; turn++)
        answer(await client.send(question, { sessionId: 'session-1' }))
      const { summaryCreated } = await client.compactHistory('session-1', {
        strategy: 'summary',
        preserveRecent: 2,
      })
      return { value: summaryCreated }
    },
  },
]
