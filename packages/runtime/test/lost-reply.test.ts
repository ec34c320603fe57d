import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { textOf } from '@modelport/core'
import { createMock, type MockResponse } from '@modelport/provider-mock'
import {
  createMemoryJournal,
  defineTool,
  type InferRequest,
  infer,
  type MemoryJournal,
  OutcomeUnknown,
  type RunResult,
  type Tool,
  type ToolSettings,
} from '@modelport/runtime'
import { afterAll, expect, test } from 'vitest'

const parameters = {
  type: 'object',
  properties: { eur: { type: 'number' } },
  required: ['eur'],
} as const

type Settings = Partial<ToolSettings<typeof parameters>>

/** A receiver that pays, and loses its reply as long as `losses` says. */
function receiver(losses: number, lose: () => unknown = reset) {
  const payments: string[] = []
  const tool = (settings: Settings = {}): Tool =>
    defineTool({
      name: 'pay',
      description: 'Pays',
      parameters,
      execute: ({ eur }, { run }) => {
        payments.push(`${String(eur)} ${run.idempotencyKey}`)
        return payments.length <= losses ? lose() : 'paid'
      },
      ...settings,
    })
  return { payments, tool }
}

function reset(): never {
  throw new TypeError('fetch failed', {
    cause: Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }),
  })
}

const call = (id: string, eur = 100) => ({ id, name: 'pay', arguments: { eur } })
const twice: readonly MockResponse[] = [
  { toolCalls: [call('a')] },
  { toolCalls: [call('b')] },
  'Done.',
]

const run = (tool: Tool, request: Partial<InferRequest> = {}, responses = twice) =>
  infer(createMock({ responses }), {
    query: 'pay 100',
    tools: [tool],
    durable: { runId: 'r1' },
    ...request,
  })

/** What the model reads of a call. */
const resultOf = ({ transcript }: RunResult, id: string): string | undefined =>
  transcript
    .filter((message) => message.role === 'tool')
    .filter(({ toolCallId }) => toolCallId === id)
    .map(({ content }) => textOf(content))
    .at(-1)

const loaded = (journal: MemoryJournal) => {
  const stored = journal.load('r1')
  if (!stored) throw new Error('nothing is stored')
  return stored
}

const pendingOf = (result: RunResult) => (result.status === 'suspended' ? result.pending : [])

test('J15: a payment whose connection broke is not made again when the model asks for it again', async () => {
  const { payments, tool } = receiver(1)
  const result = await run(tool())

  expect(payments).toHaveLength(1)
  expect(resultOf(result, 'a')).toContain('Do not make the same call again')
  expect(pendingOf(result)).toMatchObject([
    {
      type: 'uncertain',
      id: 'b',
      idempotencyKey: expect.stringMatching(/^r1\/pay\/[0-9a-f]{16}\/0$/),
    },
  ])
})

test('J15: a payment whose time was up is not made again when the model asks for it again', async () => {
  const { payments, tool } = receiver(1, () => new Promise(() => undefined))
  const result = await run(tool({ timeoutMs: 5 }))

  expect(payments).toHaveLength(1)
  expect(resultOf(result, 'a')).toContain('whether it had an effect is unknown')
  expect(pendingOf(result)).toMatchObject([{ type: 'uncertain', id: 'b' }])
})

test('a tool can say that it does not know whether it had an effect', async () => {
  const { payments, tool } = receiver(1, () => {
    throw new OutcomeUnknown('the bank did not answer')
  })
  const result = await run(tool())

  expect(payments).toHaveLength(1)
  expect(result.status).toBe('suspended')
})

test('J17: any other error of a tool is its answer, and the model may call it again', async () => {
  const { payments, tool } = receiver(1, () => {
    throw new Error('the account is locked')
  })
  const result = await run(tool())

  expect(result.status).toBe('final')
  expect(new Set(payments).size).toBe(2)
})

test('J17: a connection that was never made is a failure, and the model may call the tool again', async () => {
  const { payments, tool } = receiver(1, () => {
    throw new TypeError('fetch failed', {
      cause: Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
    })
  })
  const result = await run(tool())

  expect(result.status).toBe('final')
  expect(payments).toHaveLength(2)
})

test('J6: a lost reply of an idempotent tool is fetched with the same key', async () => {
  const { payments, tool } = receiver(2)
  const result = await run(tool({ idempotent: true }), {}, [{ toolCalls: [call('a')] }, 'Done.'])

  expect(result.status).toBe('final')
  expect(resultOf(result, 'a')).toBe('paid')
  expect(payments).toHaveLength(3)
  expect(new Set(payments).size).toBe(1)
})

test('a call of an idempotent tool that the model repeats after a lost reply has the same key', async () => {
  const { payments, tool } = receiver(3)
  const result = await run(tool({ idempotent: true }))

  expect(result.status).toBe('final')
  expect(resultOf(result, 'a')).toContain('The same call again is safe')
  expect(payments).toHaveLength(4)
  expect(new Set(payments).size).toBe(1)
})

test('J16: a call of an idempotent tool that the model repeats after a time-out has the same key', async () => {
  const { payments, tool } = receiver(1, () => new Promise(() => undefined))
  const result = await run(tool({ idempotent: true, timeoutMs: 5 }))

  expect(result.status).toBe('final')
  expect(payments).toHaveLength(2)
  expect(new Set(payments).size).toBe(1)
})

test('a receiver that knows of the payment is believed, and nothing is paid again', async () => {
  const { payments, tool } = receiver(1)
  const asked: string[] = []
  const result = await run(
    tool({
      reconcile: ({ eur }, context) => {
        asked.push(context.run.idempotencyKey)
        return { outcome: 'executed', result: `paid ${String(eur)}` }
      },
    }),
    {},
    [{ toolCalls: [call('a')] }, 'Done.'],
  )

  expect(result.status).toBe('final')
  expect(resultOf(result, 'a')).toBe('paid 100')
  expect(payments.map((payment) => payment.split(' ')[1])).toEqual(asked)
})

test('a receiver that does not know of the payment gets it again, with the same key', async () => {
  const { payments, tool } = receiver(1)
  const result = await run(tool({ reconcile: () => ({ outcome: 'not-executed' }) }), {}, [
    { toolCalls: [call('a')] },
    'Done.',
  ])

  expect(resultOf(result, 'a')).toBe('paid')
  expect(payments).toHaveLength(2)
  expect(new Set(payments).size).toBe(1)
})

test.each([
  ['whose receiver cannot tell', { reconcile: () => ({ outcome: 'unknown' as const }) }, {}],
  ['that is declared once', { once: true }, {}],
  [
    'that a person approved',
    {},
    {
      authorize: () => ({ effect: 'require-approval' as const, ask: () => Promise.resolve(true) }),
    },
  ],
])('a lost reply of a tool %s is decided by a person at once', async (_name, settings, request) => {
  const { payments, tool } = receiver(1)
  const result = await run(tool(settings), request)

  expect(payments).toHaveLength(1)
  expect(pendingOf(result)).toMatchObject([{ type: 'uncertain', id: 'a' }])
})

test('a tool that changes nothing may be called again after a time-out', async () => {
  const { payments, tool } = receiver(1, () => new Promise(() => undefined))
  const result = await run(tool({ readOnly: true, timeoutMs: 5 }))

  expect(result.status).toBe('final')
  expect(resultOf(result, 'b')).toBe('paid')
  expect(payments).toHaveLength(2)
})

test('J16: two payments that are wanted in one reply have two keys', async () => {
  const { payments, tool } = receiver(0)
  await run(tool(), { limits: { repeatableTools: ['pay'] } }, [
    { toolCalls: [call('a'), call('b')] },
    'Done.',
  ])

  expect(new Set(payments).size).toBe(2)
})

test('a payment that is wanted once more, later, has another key', async () => {
  const { payments, tool } = receiver(0)
  await run(tool(), { limits: { repeatWindow: 0 } })

  expect(payments.map((payment) => payment.at(-1))).toEqual(['0', '1'])
})

test('a lost reply holds no other payment', async () => {
  const { payments, tool } = receiver(1)
  const result = await run(tool(), {}, [
    { toolCalls: [call('a')] },
    { toolCalls: [call('b', 7)] },
    'Done.',
  ])

  expect(result.status).toBe('final')
  expect(payments).toHaveLength(2)
})

test('a run whose unknown outcome nobody settled says so', async () => {
  const { tool } = receiver(1)
  const result = await run(tool(), {}, [{ toolCalls: [call('a')] }, 'Done.'])

  expect(result.status).toBe('final')
  expect(result.details.warnings).toEqual([
    expect.stringContaining('whether the call of "pay" had an effect is unknown'),
  ])
})

test.each([
  ['result', { type: 'result', result: 'paid yesterday' }, 1, 'paid yesterday'],
  ['failure', { type: 'failure', message: 'the bank refused it' }, 1, 'the bank refused it'],
  ['repeat', { type: 'repeat' }, 2, 'paid'],
  ['give-up', { type: 'give-up' }, 1, 'nobody will find out'],
] as const)(
  'a person ends the wait for a payment with %s, without a journal and with one',
  async (_name, decision, executed, said) => {
    for (const journal of [undefined, createMemoryJournal()]) {
      const { payments, tool } = receiver(1)
      const first = await run(tool(), { durable: { runId: 'r1', ...(journal && { journal }) } })
      if (first.status !== 'suspended') throw new Error(`the run is ${first.status}`)

      const second = await infer(createMock({ responses: ['Done.'] }), {
        messages: first.transcript,
        tools: [tool()],
        durable: {
          resume: JSON.parse(JSON.stringify(first.checkpoint)) as typeof first.checkpoint,
          decisions: [{ id: 'b', ...decision }],
          ...(journal && { journal }),
        },
      })

      expect(second.status).toBe('final')
      expect(resultOf(second, 'b')).toContain(said)
      expect(payments).toHaveLength(executed)
      expect(new Set(payments).size).toBe(1)
    }
  },
)

test('an outcome that is still unknown after a resume holds the same call again', async () => {
  const { payments, tool } = receiver(1)
  const first = await run(tool())
  if (first.status !== 'suspended') throw new Error(`the run is ${first.status}`)

  const second = await infer(createMock({ responses: [{ toolCalls: [call('c')] }, 'Done.'] }), {
    messages: first.transcript,
    tools: [tool()],
    durable: { resume: first.checkpoint, decisions: [{ id: 'b', type: 'give-up' }] },
  })

  expect(payments).toHaveLength(1)
  expect(pendingOf(second)).toMatchObject([{ type: 'uncertain', id: 'c' }])
})

test('J15: a held call that was let through and cut off asks about that attempt', async () => {
  const { payments, tool } = receiver(1)
  const journal = createMemoryJournal()
  const first = await run(tool(), { durable: { runId: 'r1', journal } })
  const [held] = pendingOf(first)

  const resume = (pay: Tool, signal: AbortSignal) => {
    const { resume: checkpoint, messages } = loaded(journal)
    return infer(createMock({ responses: ['Done.'] }), {
      messages,
      tools: [pay],
      durable: { journal, resume: checkpoint, decisions: [{ type: 'repeat', id: 'b' }] },
      signal,
    })
  }
  const process = new AbortController()
  const dying = tool({
    execute: () => {
      payments.push('again')
      process.abort()
      return new Promise(() => undefined)
    },
  })
  await resume(dying, process.signal)
  const [cutOff] = pendingOf(await resume(tool(), new AbortController().signal))

  expect(payments).toHaveLength(2)
  expect(held).toMatchObject({ type: 'uncertain', id: 'b', attempt: 0 })
  expect(cutOff).toMatchObject({ type: 'uncertain', id: 'b' })
  // Whoever decided about the one has not decided about the other.
  expect(cutOff).not.toEqual(held)
})

test('an unknown outcome is still known as such after the process of the run ended', async () => {
  const { payments, tool } = receiver(1)
  const journal = createMemoryJournal()
  const controller = new AbortController()
  const provider = createMock({ responses: twice })
  await infer(provider, {
    query: 'pay 100',
    tools: [tool()],
    durable: { runId: 'r1', journal },
    observe: {
      onEvent: (event) => {
        if (event.type === 'step-start' && event.step === 2) controller.abort()
      },
    },
    signal: controller.signal,
  })
  const stored = loaded(journal)

  const second = await infer(createMock({ responses: [{ toolCalls: [call('b')] }, 'Done.'] }), {
    messages: stored.messages,
    tools: [tool()],
    durable: { resume: stored.resume, journal },
  })

  expect(payments).toHaveLength(1)
  expect(pendingOf(second)).toMatchObject([{ type: 'uncertain', id: 'b' }])
})

test('two resumes at the same time, as a double click makes them, pay once', async () => {
  const { payments, tool } = receiver(0)
  const journal = createMemoryJournal()
  const authorize = () => ({ effect: 'require-approval' as const })
  const request = { tools: [tool()], authorize }
  const first = await infer(createMock({ responses: [{ toolCalls: [call('a')] }] }), {
    query: 'pay 100',
    ...request,
    durable: { runId: 'r1', journal },
  })
  const [item] = pendingOf(first)
  if (item?.type !== 'approval') throw new Error('nothing waits for approval')

  const approve = () => {
    const { resume, messages } = loaded(journal)
    const decisions = [{ type: 'approve', id: item.id, digest: item.digest }] as const
    return infer(createMock({ responses: ['Done.'] }), {
      messages,
      ...request,
      durable: { journal, resume, decisions },
    })
  }
  const results = await Promise.all([approve(), approve()])

  expect(payments).toHaveLength(1)
  expect(results.map(({ status }) => status).sort()).toEqual(['failed', 'final'])
})

/** A bank over HTTP that pays, and breaks the connection before its first reply. */
const keys: string[] = []
const bank = createServer((request, response) => {
  keys.push(String(request.headers['idempotency-key']))
  if (keys.length === 1) request.socket.destroy()
  else response.end('paid')
})
afterAll(() => bank.close())

test('over HTTP the receiver sees one key, whoever sends the payment again', async () => {
  await new Promise<void>((resolve) => bank.listen(0, '127.0.0.1', resolve))
  const { port } = bank.address() as AddressInfo
  const { tool } = receiver(0)
  const result = await run(
    tool({
      idempotent: true,
      execute: async (_args, { run: { idempotencyKey }, signal }) => {
        const headers = { 'idempotency-key': idempotencyKey, connection: 'close' }
        const response = await fetch(`http://127.0.0.1:${port}`, { headers, signal })
        return response.text()
      },
    }),
  )

  expect(result.status).toBe('final')
  expect(new Set(keys).size).toBe(1)
  expect(keys[0]).not.toBe('undefined')
})

test('J6: a call that was begun stays unknown when a later sending of it reaches nobody', async () => {
  const sent: string[] = []
  const journal = createMemoryJournal()
  const pay = defineTool({
    name: 'pay',
    description: 'Pays',
    parameters,
    idempotent: true,
    execute: (_args, { run: { idempotencyKey: key } }) => {
      sent.push(key)
      if (sent.length === 1) return reset()
      throw new TypeError('fetch failed', {
        cause: Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
      })
    },
  })
  const result = await run(pay, { durable: { runId: 'r1', journal } }, [
    { toolCalls: [call('a')] },
    { toolCalls: [call('b')] },
    'Done.',
  ])
  const answers = result.transcript.filter(({ role }) => role === 'tool')
  for (const { content } of answers)
    expect(textOf(content)).toContain('The same call again is safe')
  expect(new Set(sent)).toEqual(new Set([sent[0]]))
})
