// A tool of an agent, or of a chat, asks the person at the terminal.
import { createAgent } from '@modelport/agent'
import { createMock } from '@modelport/provider-mock'
import { defineTool } from '@modelport/runtime'
import { createAgentClient } from '@modelport/serve'
import { type ListeningServer, serve } from '@modelport/serve/node'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ask } from '../src/session/ask.js'
import { useModel } from './set-up.js'
import { command, startCommand } from './test-io.js'

const { home } = useModel({ fields: '' })
let server: ListeningServer
let booked: unknown[]

const schema = {
  type: 'object',
  properties: {
    people: { type: 'integer', title: 'Guests', minimum: 1 },
    window: { type: 'boolean' },
  },
  required: ['people'],
} as const
const book = defineTool({
  name: 'book',
  description: 'Books a table',
  execute: async (_, { ask: askUser }) => {
    const answer = await askUser({ message: 'How many \u202e?', schema, from: 'tables' })
    booked.push(answer.action === 'accept' ? answer.content : answer.action)
    return 'booked'
  },
})
const model = () =>
  createMock({ responses: [{ toolCalls: [{ name: 'book', arguments: {} }] }, 'Booked.'] })

beforeEach(async () => {
  booked = []
  server = await serve([
    createAgent({
      card: { name: 'waiter', description: 'Books tables' },
      provider: model(),
      tools: [book],
    }),
  ])
})
afterEach(() => server.close())

test('agent send asks for each field of a question at a terminal, until the answer fits', async () => {
  const answers: [string, string][] = [
    ['answer? [y/N]', 'y'],
    ['Guests (integer; required)', '0'],
    ['window (boolean)', ''],
    ['answer? [y/N]', 'y'],
    ['Guests (integer; required)', '4'],
    ['window (boolean)', 'yes'],
  ]
  let shown = ''
  const running = startCommand(['agent', 'send', server.url, 'book'], {
    home: home.path,
    onOutput: (text) => void (shown += text),
  })
  // The first milliseconds after a question are deaf, so the keys wait.
  let seen = 0
  const keys = setInterval(() => {
    const [next] = answers
    const at = next ? shown.indexOf(next[0], seen) : -1
    if (!next || at < 0) return
    answers.shift()
    seen = at + next[0].length
    setTimeout(() => running.type(`${next[1]}\n`), 1_200)
  }, 20)
  const { code, err } = await running.done.finally(() => clearInterval(keys))
  expect(code).toBe(0)
  expect(err).toContain('tables asks:')
  expect(err).not.toContain('\u202e')
  expect(err).toContain('content does not fit the question')
  expect(booked).toEqual([{ people: 4, window: true }])
})

test('agent send leaves a question open without a terminal, also with --yes', async () => {
  const { code, err } = await command(['agent', 'send', server.url, 'book', '--yes'], {
    home: home.path,
    stdin: '',
  })
  expect(code).toBe(0)
  expect(err).toContain('is input-required; continue it:')
  expect(booked).toEqual([])
  const { tasks } = await createAgentClient(server.url).list({ state: 'input-required' })
  expect(tasks).toHaveLength(1)
})

test('a chat answers the question of a tool within the reply', async () => {
  const reply = await ask({
    provider: model(),
    messages: [{ role: 'user', content: 'Book' }],
    tools: [book],
    options: {},
    signal: new AbortController().signal,
    answer: () => Promise.resolve({ action: 'accept', content: { people: 2 } }),
  })
  expect(reply.text).toBe('Booked.')
  expect(booked).toEqual([{ people: 2 }])
})
