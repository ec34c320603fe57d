// Decisions that reach an engine as messages: twice, late, or about nothing that waits.
import { createMock } from '@modelport/provider-mock'
import {
  defineTool,
  type Engine,
  infer,
  type PendingItem,
  type ResumeDecision,
  type RunResult,
} from '@modelport/runtime'
import { dbosEngine, type RestatePending, restateEngine } from '@modelport/runtime/engines'
import { expect, test } from 'vitest'

const paying = { toolCalls: [{ id: 'c1', name: 'pay', arguments: { eur: 100 } }] }

/** What a process that died comes to. */
const never = new Promise<never>(() => undefined)

/** A workflow of DBOS: what its database has, and the processes that work on it, one at a time. */
class Workflow {
  readonly payments: string[] = []
  readonly #steps: unknown[] = []
  readonly #messages: ResumeDecision[] = []
  #event: readonly PendingItem[] = []
  #asked: PromiseWithResolvers<readonly PendingItem[]> = Promise.withResolvers()
  #sent: PromiseWithResolvers<void> = Promise.withResolvers()
  #paid: PromiseWithResolvers<void> = Promise.withResolvers()

  /** Takes a decision as `DBOS.send` does: it stays until the workflow takes it. */
  send(decision: ResumeDecision): void {
    this.#messages.push(decision)
    this.#sent.resolve()
  }

  /** What the workflow waits for, once no message is left. */
  async asked(): Promise<readonly PendingItem[]> {
    const asked = await this.#asked.promise
    this.#asked = Promise.withResolvers()
    return asked
  }

  /** Runs a process until it ends in its payment. */
  async dieInPayment(decide?: () => Promise<void>): Promise<void> {
    this.#paid = Promise.withResolvers()
    void this.run(true)
    await decide?.()
    await this.#paid.promise
  }

  run(dies = false): Promise<RunResult> {
    let isDead = false
    const pay = defineTool({
      name: 'pay',
      description: 'Pays',
      parameters: { type: 'object', properties: { eur: { type: 'number' } } },
      execute: (_, { run }) => {
        this.payments.push(run.idempotencyKey)
        this.#paid.resolve()
        isDead = dies
        return dies ? never : 'paid'
      },
    })
    let place = 0
    const recorded = async <Value>(work: () => Promise<Value>): Promise<Value> => {
      if (isDead) return never
      const at = place++
      this.#steps[at] ??= await work()
      return this.#steps[at] as Value
    }
    const dbos = {
      runStep: recorded,
      recv: <Value>() => recorded(() => this.#take()) as Promise<Value | null>,
      setEvent: (_key: string, value: unknown) => {
        this.#event = value as readonly PendingItem[]
        return Promise.resolve()
      },
    }
    return infer(createMock({ responses: [paying, 'Done.'] }), {
      query: 'Pay.',
      tools: [pay],
      durable: { runId: 'r1', engine: dbosEngine(dbos) },
    })
  }

  async #take(): Promise<ResumeDecision> {
    for (;;) {
      const [first] = this.#messages.splice(0, 1)
      if (first) return first
      this.#asked.resolve(this.#event)
      this.#sent = Promise.withResolvers()
      await this.#sent.promise
    }
  }
}

test('a decision that is sent twice to DBOS settles one attempt: a later one that was cut off waits', async () => {
  const workflow = new Workflow()
  await workflow.dieInPayment()
  await workflow.dieInPayment(async () => {
    expect(await workflow.asked()).toMatchObject([{ type: 'uncertain', id: 'c1' }])
    workflow.send({ type: 'repeat', id: 'c1' })
    workflow.send({ type: 'repeat', id: 'c1' })
  })
  const ended = workflow.run()
  expect(await workflow.asked()).toMatchObject([{ type: 'uncertain', id: 'c1', attempt: 2 }])
  expect(workflow.payments).toHaveLength(2)

  workflow.send({ type: 'result', id: 'c1', attempt: 2, result: 'it was paid' })
  const { status, transcript } = await ended
  expect(status).toBe('final')
  expect(transcript).toContainEqual(expect.objectContaining({ content: 'it was paid' }))
  expect(new Set(workflow.payments).size).toBe(1)
  expect(workflow.payments).toHaveLength(2)
})

test('a promise of Restate with a decision that fits nothing is followed by another one', async () => {
  const promises = new Map<string, PromiseWithResolvers<unknown>>()
  const promiseOf = (key: string): PromiseWithResolvers<unknown> => {
    const promise = promises.get(key) ?? Promise.withResolvers<unknown>()
    promises.set(key, promise)
    return promise
  }
  const context = {
    run: <Value>(_: string, work: () => Promise<Value>) => work(),
    set: (_: string, value: unknown) => {
      const { key, pending } = value as RestatePending
      const [item] = pending
      const fits = key.endsWith('/2')
      if (item?.type === 'approval')
        promiseOf(key).resolve({
          type: 'approve',
          id: item.id,
          digest: fits ? item.digest : 'of something else',
        })
    },
    clear: () => undefined,
    promise: (key: string) => ({
      get: () => Object.assign(promiseOf(key).promise, { orTimeout: () => promiseOf(key).promise }),
    }),
  }
  const pay = defineTool({ name: 'pay', description: 'Pays', execute: () => 'paid' })
  const result = await infer(
    createMock({ responses: [{ toolCalls: [{ name: 'pay', arguments: {} }] }, 'Done.'] }),
    {
      query: 'Pay.',
      tools: [pay],
      authorize: () => ({ effect: 'require-approval' }),
      durable: { runId: 'r1', engine: restateEngine(context) },
    },
  )
  expect(result.status).toBe('final')
  expect([...promises.keys()]).toEqual(['r1/wait/1', 'r1/wait/2'])
})

test('J15: a held call on an engine is attempt 0, also when the run is called again', async () => {
  let sendings = 0
  const pay = defineTool({
    name: 'pay',
    description: 'Pays',
    execute: () => {
      sendings++
      throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
    },
  })
  const records: unknown[] = []
  const shown: (readonly PendingItem[])[] = []
  const engineOf = (): Engine => {
    let place = 0
    return {
      perform: async ({ execute }) => {
        const at = place++
        records[at] ??= await execute({ first: true })
        return records[at] as Awaited<ReturnType<Engine['perform']>>
      },
      wait: ({ pending }) => {
        shown.push(pending)
        return Promise.resolve([{ type: 'give-up', id: 'b', attempt: 0 }])
      },
    }
  }
  const call = (id: string) => ({ toolCalls: [{ id, name: 'pay', arguments: {} }] })
  for (let time = 0; time < 2; time++)
    await infer(createMock({ responses: [call('a'), call('b'), 'Done.'] }), {
      query: 'Pay.',
      tools: [pay],
      durable: { runId: 'r1', engine: engineOf() },
    })
  expect(sendings).toBe(1)
  expect(shown).toMatchObject([
    [{ type: 'uncertain', id: 'b', attempt: 0 }],
    [{ type: 'uncertain', id: 'b', attempt: 0 }],
  ])
})

test('a decision about another attempt than the one that waits is refused', async () => {
  const pay = defineTool({
    name: 'pay',
    description: 'Pays',
    once: true,
    parameters: { type: 'object', properties: { eur: { type: 'number' } } },
    execute: () => {
      throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
    },
  })
  const tools = [pay]
  const asked = await infer(createMock({ responses: [paying] }), { query: 'Pay.', tools })
  if (asked.status !== 'suspended') throw new Error(asked.status)
  const { checkpoint, transcript: messages } = asked
  const decide = (attempt: number) =>
    infer(createMock({ responses: ['Done.'] }), {
      messages,
      tools,
      durable: { resume: checkpoint, decisions: [{ type: 'give-up', id: 'c1', attempt }] },
    })
  await expect(decide(2)).rejects.toThrow('another attempt at the call')
  expect((await decide(1)).status).toBe('final')
  // As an item without an attempt gives it, and DBOS keeps it.
  expect((await decide(undefined as never)).status).toBe('final')
})
