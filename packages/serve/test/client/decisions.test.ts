import { createAgent, createPart, requestsOf } from '@modelport/agent'
import { createMock } from '@modelport/provider-mock'
import { defineTool } from '@modelport/runtime'
import { createAgentClient } from '@modelport/serve'
import { type ListeningServer, serve } from '@modelport/serve/node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let server: ListeningServer
let paid = 0
beforeAll(async () => {
  const pay = defineTool({ name: 'pay', description: 'Pays', execute: () => `paid ${++paid}` })
  const bank = createAgent({
    card: { name: 'bank', description: 'Pays bills' },
    tools: [pay],
    policy: { rules: { 'tool.pay': 'require-approval' } },
    provider: createMock({ defaultResponse: { toolCalls: [{ name: 'pay', arguments: {} }] } }),
  })
  server = await serve([bank])
})
afterAll(() => server.close())

describe.each(['JSONRPC', 'HTTP+JSON'] as const)('a decision over %s', (binding) => {
  const refusal = {
    reason: 'invalid-params',
    message: expect.stringContaining('approved') as string,
  }
  const wrong = ['no', 'false', 1, 0, {}, null, undefined]

  it.each(wrong)(
    'a decision with %j is refused by the name of its field, and the task waits on',
    async (given) => {
      const client = createAgentClient(server.url, { binding })
      const task = await client.send('Pay')
      const approved = given as boolean
      const { requestId, digest } = requestsOf(task)[0]!
      await expect(client.decide(task, [{ requestId, approved }])).rejects.toMatchObject(refusal)
      const content = { requestId, digest: digest!, approved }
      const sent = client.send([createPart.request(content)], { taskId: task.id })
      await expect(sent).rejects.toMatchObject(refusal)
      expect([(await client.get(task.id)).state, paid]).toEqual(['input-required', 0])
    },
  )

  it('a decision whose digest is not a text is refused by the name of that field', async () => {
    const client = createAgentClient(server.url, { binding })
    const task = await client.send('Pay')
    const { requestId } = requestsOf(task)[0]!
    const decided = client.decide(task, [{ requestId, approved: true, digest: 1 as never }])
    const message = expect.stringContaining('/digest') as string
    await expect(decided).rejects.toMatchObject({ reason: 'invalid-params', message })
  })

  it('JSON that only looks like a decision is JSON', async () => {
    const client = createAgentClient(server.url, { binding })
    const task = await client.send([createPart.json({ approval: { approved: 'by the board' } })])
    expect(task.messages[0]?.parts).toMatchObject([
      { type: 'json', content: { approval: { approved: 'by the board' } } },
    ])
  })
})
