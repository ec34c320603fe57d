// Jobs of the killing test as agents and runs of modelport.
import { type AgentClient, createAgent, toAgentTarget } from '@modelport/agent'
import { type ChatMessage, type Provider, textOf } from '@modelport/core'
import { createMock } from '@modelport/provider-mock'
import { defineTool, type InferRequest, infer, type Tool } from '@modelport/runtime'
import type { DurableRun, RunDefinition } from '../../../src/index.js'
import type { Job } from '../subject.js'

/** Causes an effect outside; resolves with what the world says. */
export type Effects = (effect: {
  readonly job: string
  readonly call: string
  readonly key: string
}) => Promise<string>

/** What a job is asked with: its name, and the names of its calls by step. */
export const promptOf = ({ id, steps }: Pick<Job, 'id' | 'steps'>): string =>
  `${id} ${JSON.stringify(steps.map((calls) => calls.map(({ name }) => name)))}`

const readPrompt = (
  messages: readonly ChatMessage[],
): { job: string; steps: readonly (readonly string[])[] } => {
  const said = messages.findLast(
    ({ role, content }) => role === 'user' && textOf(content).includes(' [['),
  )
  const [, job = '', steps = '[]'] = /(\S+) (\[.*\])/s.exec(said ? textOf(said.content) : '') ?? []
  return { job, steps: JSON.parse(steps) as string[][] }
}

/** What the model says: the calls of the prompt, step by step, then how it ended. */
export function replyTo(messages: readonly ChatMessage[], end: string) {
  const { job, steps } = readPrompt(messages)
  const step = messages.filter(({ role }) => role === 'assistant').length
  const calls = steps[step]
  if (!calls) return { text: end }
  return {
    text: `Step ${step + 1} of ${job}.`,
    toolCalls: calls.map((name) =>
      name === 'child'
        ? {
            id: `${name}-${step}`,
            name: 'delegate_to_agent',
            arguments: { agent: 'clerk', prompt: `${job} [["file"]]` },
          }
        : { id: `${name}-${step}`, name, arguments: { job } },
    ),
  }
}

/** A model that says {@link replyTo}. */
export const scriptedModel = (end: string): Provider =>
  createMock({ chunkSize: 8, defaultResponse: ({ messages }) => replyTo(messages, end) })

const whoSchema = {
  type: 'object',
  properties: { who: { type: 'string' } },
  required: ['who'],
} as const

/** `book` asks whom it is for, and does it after the answer. */
export const toolOf = (name: string, effects: Effects): Tool => ({
  ...defineTool({
    name,
    description: 'Has an effect',
    parameters: { type: 'object', properties: { job: { type: 'string' } }, required: ['job'] },
    execute: async ({ job }, { run, ask }) => {
      if (name === 'book') {
        const answer = await ask({ message: `Whom does ${job} book for?`, schema: whoSchema })
        if (answer.action !== 'accept' || answer.content.who !== 'Ada')
          return `answered ${JSON.stringify(answer)}`
      }
      return effects({ job, call: name, key: run.idempotencyKey })
    },
  }),
  ...((name === 'again' || name === 'poison') && { idempotent: true }),
})

const toolNames = ['mail', 'pay', 'post', 'refused', 'again', 'poison', 'book']
const asks = new Set(['pay', 'refused'])
const limits = {
  maxSteps: 20,
  maxRepeats: 99,
  maxIdleSteps: 99,
  repeatableTools: [...toolNames, 'file'],
}
const tools = (effects: Effects) => toolNames.map((name) => toolOf(name, effects))
const system = (version: number): string => `You work on jobs. Version ${version}.`

/** The agent that is asked, and the one that it delegates to. */
export const agentsOf = (
  effects: Effects,
  version: number,
  clerk: AgentClient,
  model = scriptedModel,
) => [
  createAgent({
    card: { name: 'worker', description: 'Works on jobs', version: String(version) },
    system: system(version),
    tools: tools(effects),
    policy: {
      rules: Object.fromEntries([...asks].map((name) => [`tool.${name}`, 'require-approval'])),
    },
    agents: [
      toAgentTarget(clerk, { name: 'clerk', description: 'Files things', idempotent: true }),
    ],
    limits,
    provider: model('Done.'),
  }),
  createAgent({
    card: { name: 'clerk', description: 'Files things', version: String(version) },
    tools: [toolOf('file', effects)],
    limits,
    provider: model('Filed.'),
  }),
]

/** Works on a job as a run. */
export const work = (
  run: DurableRun,
  prompt: string,
  effects: Effects,
  version: number,
  more: InferRequest = {},
  model = scriptedModel,
) =>
  infer(
    model('Done.'),
    run.request({
      query: prompt,
      system: system(version),
      tools: tools(effects),
      agents: [
        {
          name: 'clerk',
          description: 'Files things',
          call: (request, { run: { idempotencyKey: key } }) => {
            const [job = ''] = request.action === 'infer' ? request.prompt.split(' ') : []
            return effects({ job, call: 'file', key }).then(() => 'Filed.')
          },
        },
      ],
      authorize: (action) =>
        action.type === 'tool_call' && asks.has(action.tool)
          ? { effect: 'require-approval' }
          : { effect: 'allow' },
      limits,
      ...more,
    }),
  )

/** The kind of run that workers take from the store. */
export const definitionOf = (
  effects: Effects,
  version: number,
  model = scriptedModel,
): RunDefinition => ({
  name: 'job',
  fingerprint: { version },
  execute: (run) => work(run, String(run.input), effects, version, {}, model),
})
