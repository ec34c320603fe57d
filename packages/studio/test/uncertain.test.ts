// A call of a remote agent whose outcome is unknown: the studio asks what became of it, also in a
// run that asks for no approvals.
import { type AgentClient, createAgent, createLocalClient } from '@modelport/agent'
import { LlmError } from '@modelport/core'
import { createMock } from '@modelport/provider-mock'
import { defineTool, OutcomeUnknown } from '@modelport/runtime'
import { expect, test } from 'vitest'
import type { PendingCall } from '../src/protocol/pending-call.js'
import type { RunRecord, StartRun } from '../src/protocol/protocol.js'
import { agentRun } from '../src/server/agent-run.js'
import { LiveRun } from '../src/server/live-run.js'

const recordOf = ({ model, messages }: StartRun): RunRecord => ({
  id: 'run',
  at: 0,
  model,
  title: 'Pay',
  status: 'running',
  messages,
})

/** A run of an agent whose payment arrives, and whose reply is lost the first time. */
function payingRun() {
  let paid = 0
  const pay = defineTool({
    name: 'pay',
    description: 'Pays',
    parameters: { type: 'object', properties: { eur: { type: 'number' } } },
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
      responses: [{ toolCalls: [{ name: 'pay', arguments: { eur: 12 } }] }, 'Done.'],
    }),
    tools: [pay],
  })
  const request: StartRun = {
    model: 'agent',
    messages: [{ role: 'user', content: 'Pay' }],
    approvals: 'allow',
  }
  const run = new LiveRun(
    recordOf(request),
    agentRun(createLocalClient(agent), undefined),
    Date.now,
  )
  const done = run.start(request)
  const asked = async (): Promise<PendingCall> => {
    await expect.poll(() => run.run.status, { timeout: 15_000 }).toBe('waiting')
    return run.events.findLast((event) => event.type === 'wait') as PendingCall
  }
  return { run, done, asked, payments: () => paid }
}

test('the studio asks what became of a call, also in a run that asks for no approvals, and takes no approval for it', async () => {
  const { run, asked, payments } = payingRun()
  const { callId, uncertain, reason } = await asked()
  expect([uncertain, payments()]).toEqual([true, 1])
  expect(reason).toContain('idempotency key')
  for (const approved of [true, false])
    expect(() => run.decide({ callId, approved })).toThrow(
      'the outcome of this call is unknown, so it is neither allowed nor denied; say outcome "happened", "did-not-happen" or "unknown"',
    )
  expect([run.run.status, payments()]).toEqual(['waiting', 1])
  run.stop()
})

test.each([
  [{ outcome: 'happened', result: 'receipt 1' }, 1],
  [{ outcome: 'did-not-happen' }, 2],
  [{ outcome: 'unknown' }, 1],
] as const)('the studio takes what became of the call: %j', async (said, expected) => {
  const { run, done, asked, payments } = payingRun()
  const { callId } = await asked()
  expect(run.decide({ callId, ...said })).toBe(true)
  expect([(await done).status, payments()]).toEqual(['final', expected])
})

test('a run whose agent went away says which task has the message, before somebody sends it again', async () => {
  const agent = createAgent({
    card: { name: 'payer', description: 'Pays' },
    handler: () => 'Done.',
  })
  const client = createLocalClient(agent)
  const lost: AgentClient = Object.assign(Object.create(client) as AgentClient, {
    async *stream(...sent: Parameters<AgentClient['stream']>) {
      for await (const event of client.stream(...sent)) {
        yield event
        if (event.type === 'task') throw new LlmError('network', 'the connection was lost')
      }
    },
  })
  const request: StartRun = { model: 'agent', messages: [{ role: 'user', content: 'Pay' }] }
  const run = new LiveRun(recordOf(request), agentRun(lost, undefined), Date.now)

  const { status, error, task } = await run.start(request)
  expect([status, error?.code]).toEqual(['failed', 'network'])
  expect(error?.message).toBe(
    `the connection was lost; the agent took the message, and its task ${task?.taskId} may continue, or wait for somebody: look there before you send the message again`,
  )
})
