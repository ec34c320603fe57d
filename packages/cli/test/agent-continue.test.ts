// A task of an agent that was left open: by a connection that broke, by somebody who decided first,
// or until tomorrow.
import { type AgentClient, createAgent, requestsOf } from '@modelport/agent'
import { createMock } from '@modelport/provider-mock'
import { defineTool, pending } from '@modelport/runtime'
import { createAgentClient } from '@modelport/serve'
import { type ListeningServer, serve } from '@modelport/serve/node'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { useModel } from './set-up.js'
import { command, type Outcome, startCommand } from './test-io.js'

const { home } = useModel({ fields: '' })
let server: ListeningServer
let client: AgentClient
let deleted: number

beforeEach(async () => {
  deleted = 0
  const remove = defineTool({
    name: 'remove',
    description: 'Removes',
    execute: () => `removed ${++deleted}`,
  })
  const agent = createAgent({
    card: { name: 'janitor', description: 'Cleans up' },
    provider: createMock({
      responses: [{ toolCalls: [{ name: 'remove', arguments: {} }] }, 'That is all'],
    }),
    tools: [remove],
    policy: { default: 'require-approval' },
  })
  server = await serve([agent])
  client = createAgentClient(server.url)
})
afterEach(() => server.close())

const send = (...args: string[]): Promise<Outcome> =>
  command(['agent', 'send', server.url, ...args], { home: home.path, stdin: '' })

const waitingTask = async () => (await client.list({ state: 'input-required' })).tasks[0]?.id ?? ''

/** Approves what the task waits for, as another person does. */
async function approve(id: string): Promise<void> {
  const task = await client.get(id)
  await client.decide(
    task,
    requestsOf(task).map(({ requestId }) => ({ requestId, approved: true })),
  )
}

/**
 * Sends a message at a terminal; once the question is there, `meanwhile` happens, and then y is
 * pressed.
 */
async function answerLate(meanwhile: () => Promise<void>): Promise<Outcome> {
  const asked = Promise.withResolvers<unknown>()
  const running = startCommand(['agent', 'send', server.url, 'clean'], {
    home: home.path,
    onOutput: (text) => {
      if (text.includes('approve?')) asked.resolve(text)
    },
  })
  await asked.promise
  await meanwhile()
  // The first milliseconds after a question are deaf, so the key is pressed again until the command
  // ends.
  const keys = setInterval(() => running.type('y\n'), 50)
  return running.done.finally(() => clearInterval(keys))
}

test('agent send --task without a prompt asks what the task asks, and follows it', async () => {
  const { id } = await client.send('clean')
  const { code, out, err } = await send('--task', id, '--yes')
  expect([code, out, deleted]).toEqual([0, 'That is all\n', 1])
  expect(err).toContain('the agent asks to run {"type":"tool_call","tool":"remove"')
})

test('agent send --task without a prompt prints the reply of a task that is over', async () => {
  const { id } = await client.send('clean')
  await approve(id)
  expect(await send('--task', id)).toMatchObject({ code: 0, out: 'That is all\n' })
})

test('agent send gives the reply if somebody else decided while it asked', async () => {
  const { code, out, err } = await answerLate(async () => approve(await waitingTask()))
  expect([code, deleted]).toEqual([0, 1])
  expect(out).toContain('That is all\n')
  expect(err).toContain('the request was decided by somebody else meanwhile')
})

test('agent send says how to continue the task if the agent is gone before the decision reaches it', async () => {
  let id = ''
  const { code, err } = await answerLate(async () => {
    id = await waitingTask()
    await server.close()
  })
  expect(code).toBe(13)
  expect(err).toContain(
    `task ${id} may not be over; continue it: modelport agent send ${server.url} --task ${id}\n`,
  )
})

test('agent deliver gives a task the result of work that it waits for', async () => {
  const print = defineTool({
    name: 'print',
    description: 'Prints',
    execute: () => pending('job-1'),
  })
  const desk = createAgent({
    card: { name: 'desk', description: 'Prints' },
    provider: createMock({ responses: [{ toolCalls: [{ name: 'print' }] }, 'It is printed.'] }),
    tools: [print],
  })
  const printing = await serve([desk])
  onTestFinished(() => printing.close())
  const caller = createAgentClient(printing.url)
  const { id } = await caller.send('Print it')
  const deliver = (...args: string[]): Promise<Outcome> =>
    command(['agent', 'deliver', printing.url, '--task', id, ...args], { home: home.path })

  const nothing = await deliver()
  expect(nothing.code).toBe(2)
  expect(nothing.err).toContain('say what came of the work: --result TEXT or --failed REASON')
  expect((await deliver('--result', '3 pages', '--owner', 'alice')).code).not.toBe(0)

  const delivered = await deliver('--result', '3 pages')
  expect([delivered.code, delivered.out]).toEqual([0, `delivered to ${id}\n`])
  await expect.poll(async () => (await caller.get(id)).state).toBe('completed')
  expect((await deliver('--result', '3 pages')).code).toBe(0)
  expect((await deliver('--failed', 'no paper')).err).toContain('The task waits for no result')
})
