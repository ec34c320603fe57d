// The agents and the runs of the cluster: their tools pay wishes at the receiver, and their model
// wants each wish until somebody says what came of it.
import { type Agent, type AgentClient, createAgent, toAgentTarget } from '@modelport/agent'
import { type ChatMessage, isObject, type Provider, textOf } from '@modelport/core'
import { createMock } from '@modelport/provider-mock'
import {
  type BudgetLedger,
  defineTool,
  infer,
  OutcomeUnknown,
  pending,
  type ReconcileOutcome,
  type SharedBudgets,
  type Tool,
  type ToolSource,
  type Webhook,
} from '@modelport/runtime'
import type { RunDefinition } from '../../src/index.js'
import { type Call, type Job, remoteNames, toolNames } from './history.js'

/** How a call of a model fails. */
export const modelFaults = ['overloaded', 'network', 'auth'] as const
export type ModelFault = (typeof modelFaults)[number]

/** Whoever does what a wish names. */
export interface Payee {
  /** Sends a wish and waits for the reply. */
  send(wish: string, key: string): Promise<string>
  reconcile(key: string): Promise<ReconcileOutcome>
  /** Notes a step of a long preparation of a wish. */
  prepare?(wish: string, key: string): Promise<void>
  /** Learns where the result of work that continues elsewhere is to go. */
  takeWebhook?(wish: string, hook: Webhook): void
}

/** What a mistake that is put back changes. */
export interface Program {
  readonly receiver: Payee
  /** How long a tool waits for a reply, in milliseconds. Default 2000. */
  readonly timeoutMs?: number
  /** Called for each model call with what the model reads. @returns how it fails, if it does */
  readonly onRead: (messages: readonly ChatMessage[]) => ModelFault | undefined
  /** See {@link History}. */
  readonly keepsWaiting?: boolean
  readonly repeatsIds?: boolean
  /** The MCP server, as a process reaches it. */
  readonly mcp?: ToolSource
  /** The budgets of the store; unset: model calls are not limited. */
  readonly budgets?: SharedBudgets
  tool?(tool: Tool): Tool
  /** How the handler pays. Default: by an effect of its task. */
  readonly handlerPays?: 'plainly'
}

/** What a model is asked: the name of a job, and its calls by step. */
export const promptOf = (id: string, steps: Job['steps']): string =>
  `job ${id} ${JSON.stringify(steps.map((calls) => calls.map(({ tool, wish, by, isTwice }) => [tool, wish, by ?? 'me', ...(isTwice ? ['twice'] : [])])))}`

type Asked = readonly [tool: string, wish: string, by: string, twice?: string]
export function readPrompt(text: string): { id: string; steps: readonly (readonly Asked[])[] } {
  const [, id = '', steps = '[]'] = /job (\S+) (\[.*\])/.exec(text) ?? []
  return { id, steps: JSON.parse(steps) as Asked[][] }
}

/** The jobs that messages of users name. */
export const jobsIn = (messages: readonly ChatMessage[]): readonly string[] =>
  messages.flatMap(({ role, content }) => {
    const name = role === 'user' ? /job (J\d+) \[/.exec(textOf(content))?.[1] : undefined
    return name === undefined ? [] : [name]
  })

type Word = 'paid' | 'unknown' | 'failed'

/** What a result says of a wish. */
export function wordOf(wish: string, result: string): Word {
  const told = new RegExp(`${wish.replace('.', '\\.')}=(\\w+)`).exec(result)?.[1]
  if (told !== undefined) return told as Word
  if (result.includes(`paid ${wish}`)) return 'paid'
  return /unknown|may have|nobody|not known/i.test(result) ? 'unknown' : 'failed'
}

/** A person or the receiver said no, or that nobody will find out: no reason to ask again. */
const isFinal = (result: string): boolean =>
  /declined|denied|refused|not allowed|superseded|nobody will|=unknown/i.test(result)
const mostTries = 3

/** What messages say of each wish, in order. */
export function resultsIn(
  messages: readonly ChatMessage[],
): readonly { readonly wish: string; readonly text: string }[] {
  const wishOf = new Map<string, string>()
  return messages.flatMap((message) => {
    if (message.role === 'assistant')
      for (const call of message.toolCalls ?? []) {
        const wish = /J\d+\.\d+/.exec(JSON.stringify(call.arguments))?.[0]
        if (wish !== undefined) wishOf.set(call.id, wish)
      }
    const wish = message.role === 'tool' ? wishOf.get(message.toolCallId) : undefined
    return wish === undefined ? [] : [{ wish, text: textOf(message.content) }]
  })
}

/** What the model says next: calls, or what became of each wish. */
export function replyTo(messages: readonly ChatMessage[], repeatsIds = false) {
  const start = messages.findLastIndex(
    ({ role, content }) => role === 'user' && /job \S+ \[/.test(textOf(content)),
  )
  const { id, steps } = readPrompt(textOf(messages[start]?.content ?? ''))
  const results = new Map<string, string[]>()
  for (const { wish, text } of resultsIn(messages.slice(start)))
    results.set(wish, [...(results.get(wish) ?? []), text])
  const isOpen = ([, wish, , twice]: Asked): boolean => {
    const all = results.get(wish) ?? []
    const last = all.at(-1)
    if (last === undefined) return true
    // If two are alike, nobody could tell which one is tried again.
    if (twice) return false
    return wordOf(wish, last) !== 'paid' && !isFinal(last) && all.length < mostTries
  }
  for (const calls of steps) {
    const open = calls.filter(isOpen)
    if (open.length > 0) {
      const toolCalls = open.flatMap((asked) => {
        const call = callFor(asked, (results.get(asked[1]) ?? []).length)
        return asked[3] ? [call, { ...call, id: `${call.id}-too` }] : [call]
      })
      return {
        text: '',
        toolCalls: repeatsIds
          ? toolCalls.map((call, index) => ({ ...call, id: `c${index + 1}` }))
          : toolCalls,
      }
    }
  }
  const words = steps.flat().map(([, wish, , twice]) => {
    const all = results.get(wish) ?? []
    const words = all.map((result) => wordOf(wish, result))
    if (twice) return words.map((word) => `${wish}=${word}`).join(' ')
    const isUnclear = words.includes('unknown') && !words.includes('paid')
    return `${wish}=${isUnclear ? 'unknown' : (words.at(-1) ?? 'failed')}`
  })
  return { text: `Done ${id}: ${words.join(' ')}` }
}

function callFor([tool, wish, by]: Asked, tries: number) {
  const id = `${wish}-${tries + 1}`
  if (by === 'bank')
    return {
      id,
      name: 'delegate_to_agent',
      arguments: {
        agent: 'bank',
        prompt: `job ${wish} ${JSON.stringify([[[tool, wish, 'me']]])}`,
      },
    }
  if (by === 'tool of bank')
    return {
      id,
      name: 'call_agent_tool',
      arguments: { agent: 'bank', tool, args: { wish } },
    }
  return { id, name: tool, arguments: { wish } }
}

export const modelOf = ({ onRead, repeatsIds }: Program): Provider =>
  createMock({
    defaultResponse: ({ messages }) => {
      const error = onRead(messages)
      return error === undefined ? replyTo(messages, repeatsIds) : { error }
    },
  })

/** How a tool that is slow prepares: longer than a lease. */
const preparations = 8
const preparationMs = 400

const parameters = {
  type: 'object',
  properties: { wish: { type: 'string' } },
  required: ['wish'],
} as const

const yes = {
  type: 'object',
  properties: { sure: { type: 'boolean' } },
  required: ['sure'],
} as const

export function toolsOf({ receiver, timeoutMs = 2000, tool: change }: Program): readonly Tool[] {
  return toolNames.map((name) => {
    const tool: Tool = {
      ...defineTool({
        name,
        description: 'Pays a wish',
        parameters,
        timeoutMs: name === 'slowly' ? timeoutMs + preparations * preparationMs : timeoutMs,
        execute: async ({ wish }, { run, ask, signal }) => {
          for (let part = 0; name === 'slowly' && part < preparations; part++) {
            signal.throwIfAborted()
            await receiver.prepare?.(wish, run.idempotencyKey)
            await new Promise((resolve) => setTimeout(resolve, preparationMs))
          }
          signal.throwIfAborted()
          if (name === 'print') {
            const hook = await run.webhook?.()
            if (hook) receiver.takeWebhook?.(wish, hook)
            return pending(`print ${wish}`)
          }
          if (name === 'book') {
            const answer = await ask({ message: `Sure about ${wish}?`, schema: yes })
            if (answer.action !== 'accept') return `declined ${wish}`
          }
          return receiver.send(wish, run.idempotencyKey)
        },
      }),
      ...(name.startsWith('keyed') && { idempotent: true }),
      ...(name === 'look' && { readOnly: true }),
      ...(name === 'once' && { once: true }),
      ...(name === 'traced' && {
        reconcile: (
          _value: unknown,
          { run }: { readonly run: { readonly idempotencyKey: string } },
        ) => receiver.reconcile(run.idempotencyKey),
      }),
    }
    return change?.(tool) ?? tool
  })
}

/**
 * The tools of the MCP server for agents, whose tools are given when they are made: each asks for
 * the server's own when it is used.
 */
function remoteTools({ mcp }: Program): readonly Tool[] {
  if (!mcp) return []
  const own = async (name: string, signal?: AbortSignal): Promise<Tool> => {
    const found = (await mcp.tools(signal)).find(({ definition }) => definition.name === name)
    if (!found) throw new Error(`the server has no ${name}`)
    return found
  }
  return remoteNames.map((name) => ({
    ...defineTool({
      name,
      description: 'Pays a wish elsewhere',
      parameters,
      timeoutMs: 6000,
      execute: async (value, context) => (await own(name)).execute(value, context),
    }),
    ...(name === 'remoteTask' && {
      reconcile: async (value: never, context: Parameters<NonNullable<Tool['reconcile']>>[1]) =>
        (await (await own(name)).reconcile?.(value, context)) ?? { outcome: 'unknown' as const },
    }),
  }))
}

/** Who pays for the model calls of the first store, and what the program allows. */
export const payer = 'people'
export const ownLimit = 100_000

const ledgerOf = (budgets: SharedBudgets) => (): BudgetLedger =>
  budgets.of(payer, { window: 'none', maxCalls: ownLimit })

export const limits = {
  maxSteps: 40,
  maxRepeats: 99,
  maxIdleSteps: 99,
  repeatableTools: [...toolNames, ...remoteNames, 'delegate_to_agent', 'call_agent_tool'],
}
/** Who may decide and deliver. */
const decisions = {
  mayDecide: (by: string) => by !== 'junior',
  mayDeliver: (by: string) => by !== 'mallory',
} as const
/** The tools whose calls need an approval. */
const rules = { 'tool.signed': 'require-approval', 'tool.keyedSigned': 'require-approval' } as const

/** True for an action that a person approves first. */
export const needsApproval = (action: { readonly type: string; readonly tool?: string }): boolean =>
  action.type === 'tool_call' && `tool.${action.tool}` in rules

/** The agent that pages chat with. */
export const chatAgent = (program: Program, version: number, bank: AgentClient): Agent =>
  workingAgent('chat', program, version, bank)

const workingAgent = (name: string, program: Program, version: number, bank: AgentClient): Agent =>
  createAgent({
    card: { name, description: 'Works on jobs', version: String(version) },
    system: `You work on jobs. Version ${version}.`,
    tools: [...toolsOf(program), ...remoteTools(program)],
    policy: { rules },
    agents: [
      toAgentTarget(bank, {
        name: 'bank',
        description: 'Pays',
        idempotent: true,
        tools: toolNames.map((tool) => ({ name: tool, description: 'Pays', parameters })),
      }),
    ],
    limits,
    decisions,
    ...(program.keepsWaiting && { whenWaiting: 'keep' }),
    ...(program.budgets && { budget: ledgerOf(program.budgets) }),
    provider: modelOf(program),
  })

/** The agents that the first store keeps: one with a model, one with a handler of its own. */
export const deskAgents = (program: Program, version: number, bank: AgentClient) => [
  workingAgent('desk', program, version, bank),
  createAgent({
    card: { name: 'clerk', description: 'Works on jobs by hand', version: String(version) },
    handler: async (context) => {
      const { id, steps } = readPrompt(context.input)
      await context.say(`I begin ${id}`)
      const words: string[] = []
      for (const [tool, wish] of steps.flat()) {
        const pays = (key: string) => inTime(program.receiver.send(wish, key))
        const work =
          program.handlerPays === 'plainly'
            ? pays(context.id())
            : context.effect(wish, ({ idempotencyKey }) => pays(idempotencyKey), {
                idempotent: tool === 'keyed',
              })
        words.push(
          await work.then(
            () => `${wish}=paid`,
            (error: unknown) => said(wish, error),
          ),
        )
      }
      return `Done ${id}: ${words.join(' ')}`
    },
  }),
]

/** A handler looks after the time of its requests itself. */
function inTime<Result>(work: Promise<Result>): Promise<Result> {
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new OutcomeUnknown('the receiver did not answer')), 2000)
  })
  return Promise.race([work, late])
}

/** What a program makes of an error: a broken connection says nothing of what was done. */
function said(wish: string, error: unknown): string {
  const isUnclear =
    error instanceof OutcomeUnknown ||
    (isObject(error) && /fetch failed|unknown|ECONNRESET/.test(String(error['message'])))
  return `${wish}=${isUnclear ? 'unknown' : 'failed'}`
}

/** The agent that the second store keeps. */
export const bankAgents = (program: Program, version: number) => [
  createAgent({
    card: { name: 'bank', description: 'Pays', version: String(version) },
    tools: toolsOf(program),
    policy: { rules },
    limits,
    provider: modelOf(program),
  }),
]

/** The kind of run that the workers of the first store take. */
export const definitionOf = (program: Program, version: number): RunDefinition => ({
  name: 'job',
  fingerprint: { version },
  execute: (run) =>
    infer(
      modelOf(program),
      run.request({
        query: String(run.input),
        tools: toolsOf(program),
        ...(program.mcp && { sources: [program.mcp] }),
        limits: {
          ...limits,
          ...(program.budgets && { budget: ledgerOf(program.budgets)() }),
        },
        authorize: (action) => ({ effect: needsApproval(action) ? 'require-approval' : 'allow' }),
      }),
    ),
})

/** The calls of a job that a store without agents can do. */
export const ownCalls = (steps: Job['steps']): Job['steps'] =>
  steps.map((calls) => calls.map(({ by: _, ...call }): Call => call))
