// The agent of the chat, with its tools.
import { type Agent, createAgent } from '@modelport/agent'
import type { Provider } from '@modelport/core'
import type { DurableStore } from '@modelport/durable'
import { defineTool, OutcomeUnknown } from '@modelport/runtime'

const getWeather = defineTool({
  name: 'get_weather',
  description: 'The weather in a city, now',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  readOnly: true,
  execute: ({ city }) => ({ city, celsius: 28 }),
})

/** The policy below asks the user first. */
const pay = defineTool({
  name: 'pay',
  description: 'Pays an amount in euros',
  parameters: { type: 'object', properties: { euros: { type: 'number' } }, required: ['euros'] },
  execute: ({ euros }) => ({ paid: euros }),
})

/** Cannot continue without asking. */
const bookTable = defineTool({
  name: 'book_table',
  description: 'Books a table for tonight',
  parameters: { type: 'object' },
  execute: (_, { ask }) => {
    const properties = {
      people: { type: 'integer', minimum: 1, maximum: 8 },
      outside: { type: 'boolean' },
    } as const
    const schema = { type: 'object', properties, required: ['people'] } as const
    return ask({ message: 'For how many people?', schema })
  },
})

/** Its company's reply is always lost, and a second order would be a second taxi. */
const orderTaxi = defineTool({
  name: 'order_taxi',
  description: 'Orders a taxi',
  parameters: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] },
  once: true,
  execute: () => {
    throw new OutcomeUnknown('the connection to the taxi company broke')
  },
})

/** What each user may use in a day: the store counts it for all processes. */
const perDay = { window: 'day', maxCalls: 500, maxTokens: 1_000_000 } as const

export const createAssistant = (provider: Provider, store: DurableStore): Agent =>
  createAgent({
    card: { name: 'assistant', description: 'Helps with the day' },
    provider,
    tools: [getWeather, pay, bookTable, orderTaxi],
    policy: { rules: { 'tool.pay': 'require-approval' } },
    budget: (user) => store.budgets.of(user, perDay),
    reasoning: 'keep',
  })
