// What the stores of a version hold, and the definitions that continue it. Folders of released
// versions depend on them: add to them, change nothing.
import {
  type AgentClient,
  AgentHost,
  createAgent,
  createLocalClient,
  requestsOf,
} from '@modelport/agent'
import { definePrompt, PromptRegistry } from '@modelport/dialog'
import type { DurableStore } from '@modelport/durable'
import { createMock, type MockConfig } from '@modelport/provider-mock'
import { defineTool, type InferRequest, infer, type RunResult } from '@modelport/runtime'

/** The payments that were made, each with its key. */
export type Payments = string[]

const payWith = (payments: Payments, begun?: () => Promise<void>) =>
  defineTool({
    name: 'pay',
    description: 'Pays an invoice',
    parameters: {
      type: 'object',
      properties: { invoice: { type: 'string' } },
      required: ['invoice'],
    },
    execute: async ({ invoice }, { run }) => {
      await begun?.()
      payments.push(`${invoice} ${run.idempotencyKey}`)
      return 'paid'
    },
  })

/** A model that calls `pay` once for each user message that asks for it. */
const respond: MockConfig['defaultResponse'] = ({ messages }) => {
  const last = messages.at(-1)
  const text = typeof last?.content === 'string' ? last.content : ''
  const invoice = /^Pay invoice (\d+)\.$/.exec(text)?.[1]
  if (last?.role === 'tool') return 'It is paid.'
  if (invoice === undefined)
    return `I know ${messages.filter(({ role }) => role === 'user').length} messages of yours.`
  return { toolCalls: [{ id: `call-${invoice}`, name: 'pay', arguments: { invoice } }] }
}

/** The model of every case. */
export const createModel = () => createMock({ defaultResponse: respond })

/** A run that asks before it pays. */
export const askingRequest = (payments: Payments): InferRequest => ({
  system: 'You keep the books.',
  tools: [payWith(payments)],
  authorize: () => ({ effect: 'require-approval', reason: 'it moves money' }),
})

/** The version of the rules of {@link askingRequest}. */
export const policyVersion = '1'

const perHead = { window: 'none', maxCalls: 100 } as const

/** Runs of a store, by their ids; the same in the process that writes and the one that reads. */
export const runs = {
  /** Is over when the store is copied. */
  finished: (store: DurableStore, payments: Payments) =>
    store.runs.run('finished', (run) =>
      infer(
        createModel(),
        run.request({
          query: 'Pay invoice 1.',
          tools: [payWith(payments)],
          limits: { budget: store.budgets.of('ada', perHead) },
        }),
      ),
    ),

  /** Waits for an approval. */
  waiting: (store: DurableStore, payments: Payments) =>
    store.runs.run('waiting', (run) =>
      infer(createModel(), run.request({ ...askingRequest(payments), query: 'Pay invoice 2.' })),
    ),

  /** Its process is gone while it pays: the store is copied when `begun` is called. */
  interrupted: (store: DurableStore, payments: Payments, begun?: () => Promise<void>) =>
    store.runs.run('interrupted', (run) =>
      infer(
        createModel(),
        run.request({ query: 'Pay invoice 3.', tools: [payWith(payments, begun)] }),
      ),
    ),
} satisfies Record<string, (store: DurableStore, payments: Payments) => Promise<RunResult>>

/** A clerk that asks before it pays, and a client of the principal `ada`. */
export function openClerk(store: DurableStore, payments: Payments) {
  const clerk = createAgent({
    card: { name: 'clerk', description: 'Keeps the books' },
    provider: createModel(),
    tools: [payWith(payments)],
    policy: { default: 'require-approval' },
  })
  const host = new AgentHost([clerk], { store })
  return { host, client: createLocalClient(clerk, { host, principal: 'ada' }) }
}

/** The session in which the clerk was asked to pay invoice 4, which waits for an approval. */
export const session = { sessionId: 'books' }

/** Approves what waits in the session, and gives the task as it is then. */
export async function approve(client: AgentClient) {
  const { tasks } = await client.list(session)
  const waiting = tasks.find(({ state }) => state === 'input-required')
  if (!waiting) throw new Error('no task of the session waits')

  const decisions = requestsOf(waiting).map(({ requestId, digest }) => ({
    requestId,
    approved: true,
    ...(digest !== undefined && { digest }),
  }))
  return client.decide(waiting, decisions)
}

/** The key of the encrypted store. */
export const encryptionKey = new Uint8Array(32).fill(7)

/** Fills an empty store; `copy` is called while the last run pays. */
export async function fillStore(store: DurableStore, copy: () => Promise<void>): Promise<void> {
  const payments: Payments = []
  await runs.finished(store, payments)
  await runs.waiting(store, payments)

  const { host, client } = openClerk(store, payments)
  await client.send('What do you know?', session)
  await client.send('Pay invoice 4.', session)
  await host.drain(100)

  await runs.interrupted(store, payments, copy)
}

/** The prompts of the dialog. */
export const system = definePrompt({ path: 'system', text: 'You help with {field}.' })

/** Asks for one thing. */
export const ask = definePrompt({ path: 'ask', text: 'What is {thing}?' })

/** Where a stored dialog finds its prompts. */
export const createPrompts = () => new PromptRegistry([system, ask])
