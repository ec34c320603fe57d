// A payment of a served agent whose reply is lost: the user of the client is asked what became of
// it, and neither a yes nor a no to something else is taken for that.
import type { Client } from '@modelcontextprotocol/client'
import { createAgent } from '@modelport/agent'
import { serveMcp } from '@modelport/mcp/server'
import { createMock } from '@modelport/provider-mock'
import { defineTool, OutcomeUnknown } from '@modelport/runtime'
import { describe, expect, test } from 'vitest'
import { clientOf, eras, overHttp, textsOf } from './support.js'

/** A client of an agent that pays, and whose user gives these answers, one after the other. */
async function paying(era: (typeof eras)[number], answers: readonly object[]) {
  let paid = 0
  const pay = defineTool({
    name: 'pay',
    description: 'Pays',
    once: true,
    execute: () => {
      paid++
      if (paid === 1) throw new OutcomeUnknown('the reply is lost')
      return `receipt ${paid}`
    },
  })
  const agent = createAgent({
    card: { name: 'payer', description: 'Pays' },
    provider: createMock({
      responses: [{ toolCalls: [{ name: 'pay', arguments: {} }] }, 'Done.'],
    }),
    tools: [pay],
  })
  const client: Client = clientOf(era, { elicitation: { form: {} } })
  const asked: string[] = []
  client.setRequestHandler('elicitation/create', ({ params }) => {
    asked.push(JSON.stringify(params))
    return answers[Math.min(asked.length, answers.length) - 1] as { action: 'accept' }
  })
  await overHttp(serveMcp({ name: 'agents', agents: [agent] }), client)
  const result = await client.callTool({ name: 'payer', arguments: { message: 'Pay' } })
  return { asked, text: textsOf(result), payments: paid }
}

describe.each(eras)('a lost reply of a served agent (%s)', (era) => {
  test.each([
    [{ outcome: 'happened', result: 'receipt 1' }, 1],
    [{ outcome: 'did-not-happen' }, 2],
    [{ outcome: 'unknown' }, 1],
  ])('the user says what became of the call: %j', async (content, expected) => {
    const { asked, text, payments } = await paying(era, [{ action: 'accept', content }])
    expect([text, payments]).toEqual(['Done.', expected])
    expect(asked[0]).toContain('What became of pay with {}? (The call was started')
    expect(asked[0]).toContain('"enum":["happened","did-not-happen","unknown"]')
  })

  test('the user who declines to say leaves the call open', async () => {
    const { text, payments } = await paying(era, [{ action: 'decline' }])
    expect(text).toContain('waits.')
    expect(text).toContain('What became of pay')
    expect(payments).toBe(1)
  })
})
