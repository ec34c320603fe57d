// The text of a task that failed names the calls that were made: a caller who reads only that it
// failed would ask for all of it again.
import { createMock } from '@modelport/provider-mock'
import { defineTool, OutcomeUnknown, type Tool } from '@modelport/runtime'
import { expect, it } from 'vitest'
import { answerOf, createAgent, createLocalClient, requestsOf } from '../../src/index.js'

const pay = (fields: Partial<Tool> = {}): Tool => ({
  ...defineTool({
    name: 'pay',
    description: 'Pays',
    parameters: { type: 'object', properties: { to: { type: 'string' } } },
    execute: () => 'receipt 1',
  }),
  ...fields,
})
/** An agent whose model calls a tool, and fails when it has the result. */
const clientOf = (tool: Tool) =>
  createLocalClient(
    createAgent({
      card: { name: 'payer', description: 'Pays' },
      provider: createMock({
        defaultResponse: ({ messages }) =>
          messages.some(({ role }) => role === 'tool')
            ? { error: 'auth' }
            : { toolCalls: [{ name: 'pay', arguments: { to: 'bob' } }] },
      }),
      tools: [tool],
    }),
  )

it('a failed task says which calls were done', async () => {
  const task = await clientOf(pay()).send('Pay')
  expect(task.state).toBe('failed')
  expect(answerOf(task)).toContain('Before that, these calls were made: pay {"to":"bob"} (done).')
})

it('a failed task does not name calls that change nothing', async () => {
  const task = await clientOf(pay({ readOnly: true })).send('Pay')
  expect(answerOf(task)).not.toContain('calls were made')
})

it('a failed task names a call whose outcome a person gave up', async () => {
  const client = clientOf(
    pay({
      once: true,
      execute: () => {
        throw new OutcomeUnknown('the reply is lost')
      },
    }),
  )
  const task = await client.send('Pay')
  const [request] = requestsOf(task)
  const after = await client.decide(task, [
    { requestId: request?.requestId ?? '', outcome: 'unknown' },
  ])
  expect(after.state).toBe('failed')
  expect(answerOf(after)).toContain('pay {"to":"bob"} (whether it happened is not known)')
})
