import { type JsonObject, textOf } from '@modelport/core'
import { createMock } from '@modelport/provider-mock'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import {
  createMemoryJournal,
  defineTool,
  executeBatch,
  type InferRequest,
  infer,
  type PendingQuestion,
  type Question,
  type ResumeDecision,
  type RunEvent,
  type RunResult,
  type ToolSettings,
} from '../src/index.js'
import { ended } from './weather-run.js'

type Execute = ToolSettings<JsonObject>['execute']

const ageSchema = {
  type: 'object',
  properties: { age: { type: 'integer', minimum: 0 } },
  required: ['age'],
} as const satisfies JsonObject

/** A run with one tool that asks, its process ended after each suspension. */
class AskingRun {
  readonly sendings: string[] = []
  readonly #provider
  readonly #base: InferRequest
  last: RunResult | undefined

  constructor(
    execute: Execute,
    request: Partial<InferRequest> = {},
    responses?: Parameters<typeof createMock>[0],
  ) {
    this.#provider = createMock(
      responses ?? {
        responses: [{ toolCalls: [{ id: 'c1', name: 'book', arguments: {} }] }, 'Done.'],
      },
    )
    const tool = defineTool({
      name: 'book',
      description: 'Books',
      parameters: { type: 'object' },
      execute: (args, context) => {
        this.sendings.push(context.run.idempotencyKey)
        return execute(args, context)
      },
    })
    this.#base = { tools: [tool], ...request }
  }

  async start(): Promise<this> {
    this.last = await infer(this.#provider, { query: 'Book.', ...this.#base })
    return this
  }

  get pending(): readonly PendingQuestion[] {
    return ended(this.last as RunResult, 'suspended').pending as readonly PendingQuestion[]
  }

  /** Continues from the JSON of the last result. */
  async resume(
    decisions: readonly ResumeDecision[],
    more: Partial<InferRequest> = {},
  ): Promise<this> {
    const { checkpoint, transcript } = JSON.parse(
      JSON.stringify(ended(this.last as RunResult, 'suspended')),
    ) as Extract<RunResult, { status: 'suspended' }>
    const durable = { ...this.#base.durable, resume: checkpoint, decisions }
    this.last = await infer(this.#provider, {
      ...this.#base,
      messages: transcript,
      ...more,
      durable,
    })
    return this
  }

  answer(given: { action: 'accept' | 'decline' | 'cancel'; content?: JsonObject }): Promise<this> {
    const [{ id, digest } = { id: '', digest: '' }] = this.pending
    return this.resume([{ type: 'answer', id, digest, ...given }])
  }

  /** What the model read of the call. */
  get read(): string | undefined {
    const result = this.last?.transcript.find(({ role }) => role === 'tool')
    return result && textOf(result.content)
  }
}

const asksAge: Execute = async (_, { ask }) => {
  const answer = await ask({ message: 'How old are you?', schema: ageSchema })
  return answer.action === 'accept' ? `is ${answer.content.age}` : `said ${answer.action}`
}

describe('a tool that asks the user of its run', () => {
  test('J14: a question suspends the run, which continues in another process with the answer', async () => {
    const run = await new AskingRun(asksAge).start()
    expect(run.pending).toEqual([
      {
        type: 'question',
        id: 'c1',
        action: { type: 'tool_call', tool: 'book', args: {} },
        digest: expect.stringMatching(/^[\da-f]{64}$/) as string,
        question: { message: 'How old are you?', schema: ageSchema },
      },
    ])
    expect(run.read).toBe('This call waits for the answer of the user to a question of the tool.')
    await run.answer({ action: 'accept', content: { age: 7 } })
    expect(run.last).toMatchObject({ status: 'final', text: 'Done.' })
    expect(run.read).toBe('is 7')
    expect(run.sendings).toHaveLength(2)
    expect(new Set(run.sendings).size).toBe(1)
  })

  test.each(['decline', 'cancel'] as const)('the tool gets a %s as it is', async (action) => {
    const run = await new AskingRun(asksAge).start()
    await run.answer({ action })
    expect(run.read).toBe(`said ${action}`)
  })

  test('a resume refuses an answer that does not fit with what is wrong, and the question stays open', async () => {
    const run = await new AskingRun(asksAge).start()
    const { id, digest } = run.pending[0]!
    const given = { type: 'answer', id, digest, action: 'accept' } as const
    const wrong: readonly (readonly [ResumeDecision, RegExp])[] = [
      [
        { ...given, content: { age: 'seven' } },
        /content does not fit the question: .*age.*integer/,
      ],
      [given, /content does not fit the question: .*age/],
      [
        { ...given, digest: 'f'.repeat(64), content: { age: 7 } },
        /the digest is not that of the pending question/,
      ],
      [
        { ...given, action: 'yes' as never },
        /action is "yes"; it must be accept, decline or cancel/,
      ],
      [{ type: 'approve', id, digest }, /it is pending as question, which takes answer/],
    ]
    for (const [decision, message] of wrong)
      await expect(run.resume([decision])).rejects.toMatchObject({
        problem: 'decision',
        message: expect.stringMatching(message) as string,
      })
    expect(run.sendings).toHaveLength(1)
    await run.answer({ action: 'accept', content: { age: 7 } })
    expect(run.read).toBe('is 7')
  })

  test('a run that is continued without an answer says again what it waits for', async () => {
    const run = await new AskingRun(asksAge).start()
    const events: RunEvent[] = []
    await run.resume([], { observe: { onEvent: (event) => void events.push(event) } })
    expect(events).toMatchObject([{ type: 'run-suspended', pending: run.pending }])
    await run.answer({ action: 'accept', content: { age: 7 } })
    expect(run.read).toBe('is 7')
  })

  test('a tool asks several questions one after another, and the later ones see the earlier answers', async () => {
    const run = await new AskingRun(async (_, { ask }) => {
      const city = await ask({
        message: 'Where to?',
        schema: z.object({ city: z.string().min(2) }),
      })
      if (city.action !== 'accept') return 'nowhere'
      const sure = await ask({ message: `Really to ${city.content.city}?` })
      return `${city.content.city}: ${sure.action}`
    }).start()
    await run.answer({ action: 'accept', content: { city: 'Rome' } })
    expect(run.pending[0]?.question).toEqual({ message: 'Really to Rome?' })
    await run.answer({ action: 'accept' })
    expect(run.read).toBe('Rome: accept')
    expect(run.sendings).toHaveLength(3)
  })

  test('a tool may ask the same question twice, and one answer counts for one of them', async () => {
    const run = await new AskingRun(async (_, { ask }) => {
      const said = [await ask({ message: 'More?' }), await ask({ message: 'More?' })]
      return said.map(({ action }) => action).join()
    }).start()
    const first = run.pending[0]!.digest
    await run.answer({ action: 'accept' })
    expect(run.pending[0]!.digest).not.toBe(first)
    await run.answer({ action: 'decline' })
    expect(run.read).toBe('accept,decline')
  })

  test('a question that is not the one that was answered is asked again, and the 21st of a call is refused', async () => {
    let time = 0
    const run = await new AskingRun(
      async (_, { ask }) => (await ask({ message: `at ${++time}?` })).action,
    ).start()
    for (let count = 1; count <= 20; count++) await run.answer({ action: 'accept' })
    expect(run.read).toBe(
      'The tool "book" failed: tool "book" asked more than 20 questions in one call',
    )
  })

  test('the other calls of the step run once, and a question stays open if the tool swallowed its error', async () => {
    const toolCalls = ['c1', 'c2'].map((id) => ({ id, name: 'book', arguments: { id } }))
    const seen: string[] = []
    const run = await new AskingRun(
      async (_, { ask, callId }) => {
        seen.push(callId)
        if (callId === 'c2') return 'no question'
        const answer = await ask({ message: 'Sure?' }).catch(() => 'swallowed')
        return typeof answer === 'string' ? answer : answer.action
      },
      {},
      { responses: [{ toolCalls }, 'Done.'] },
    ).start()
    expect(run.pending).toMatchObject([{ id: 'c1', question: { message: 'Sure?' } }])
    await run.answer({ action: 'accept' })
    expect(run.read).toBe('accept')
    expect(seen).toEqual(['c1', 'c2', 'c1'])
  })

  test('a tool gets what it stored with its questions, which nobody else is shown', async () => {
    const run = await new AskingRun(async (_, { ask, answers = [] }) => {
      if (!answers.length)
        await ask({ message: 'Continue?', from: 'a server', state: { secret: 'S-1' } })
      return JSON.stringify(answers.map(({ state, answer, from }) => ({ state, answer, from })))
    }).start()
    expect(run.pending[0]?.question).toEqual({ message: 'Continue?', from: 'a server' })
    expect(JSON.stringify([run.pending, run.last?.transcript])).not.toContain('S-1')
    await run.answer({ action: 'accept' })
    expect(run.read).toBe(
      '[{"state":{"secret":"S-1"},"answer":{"action":"accept","content":{}},"from":"a server"}]',
    )
  })

  test('a new message of the user closes the question, and the call is not sent again', async () => {
    const run = await new AskingRun(asksAge).start()
    await run.resume([], { query: 'Never mind.' })
    expect(run.last?.status).toBe('final')
    expect(run.read).toBe(
      'This call asked the user, who sent a new message instead of an answer: it was not executed further.',
    )
    expect(run.sendings).toHaveLength(1)
  })

  test('counts a call with its questions as one call of the budget', async () => {
    const run = await new AskingRun(asksAge, { limits: { budget: { maxToolCalls: 1 } } }).start()
    await run.answer({ action: 'accept', content: { age: 7 } })
    expect(run.read).toBe('is 7')
    expect(run.last?.metrics.executedActions).toBe(1)
  })

  test.each<readonly [string, Question, RegExp]>([
    [
      'an address of another scheme',
      { message: 'x', url: 'javascript:alert(1)' },
      /url must be an https: address/,
    ],
    [
      'an address without TLS',
      { message: 'x', url: 'http://example.com/' },
      /url must be an https: address/,
    ],
    [
      'a user name in an address',
      { message: 'x', url: 'https://bank.com@evil.example/' },
      /without a user name/,
    ],
    ['a blank message', { message: ' ' }, /message must be a text of 1 to 10000 characters/],
    [
      'a message beyond its limit',
      { message: 'x'.repeat(10_001) },
      /message must be a text of 1 to 10000/,
    ],
    [
      'a schema and an address',
      { message: 'x', url: 'https://a.example/', schema: ageSchema },
      /ask for one of them/,
    ],
    [
      'a schema that is not one of an object',
      { message: 'x', schema: { type: 'string' } },
      /must describe an object/,
    ],
    [
      'a pattern of a server that may run without end',
      {
        message: 'x',
        from: 's',
        schema: { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } },
      },
      /pattern/,
    ],
    ['state beyond its limit', { message: 'x', state: 'x'.repeat(300_000) }, /state is longer/],
  ])('the call fails for %s, and nobody is asked', async (_, question, message) => {
    const run = await new AskingRun(async (_args, { ask }) => (await ask(question)).action).start()
    expect(run.last?.status).toBe('final')
    expect(run.read).toMatch(message)
  })

  test('the address of a question has its host in the form that cannot look like another', async () => {
    const url = 'https://pаypal.example/pay?id=1'
    const run = await new AskingRun(
      async (_, { ask }) => (await ask({ message: 'Pay here', url })).action,
    ).start()
    expect(run.pending[0]?.question.url).toBe('https://xn--pypal-4ve.example/pay?id=1')
    await run.answer({ action: 'accept' })
    expect(run.read).toBe('accept')
  })

  test('a question outside of a run is refused, since nobody can answer', async () => {
    const tool = defineTool({
      name: 'book',
      description: 'Books',
      execute: async (_, { ask }) => ask({ message: 'x' }),
    })
    const read: unknown[] = []
    await executeBatch([{ id: 'c1', name: 'book', arguments: {}, argumentsText: '{}' }], {
      tools: [tool],
      step: 1,
      onResult: (_call, { content }) => read.push(content),
    })
    expect(read).toEqual([
      'The tool "book" failed: tool "book" asks its user, and this call is not one of a run',
    ])
  })

  test('an eager call asks when the reply is whole, and its first start is dropped', async () => {
    let sent = 0
    const search = defineTool({
      name: 'search',
      description: 'Searches',
      readOnly: true,
      eager: true,
      execute: async (_, { ask }) => {
        sent++
        return (await ask({ message: 'In the archive too?' })).action
      },
    })
    const provider = createMock({
      responses: [{ toolCalls: [{ id: 'c1', name: 'search', arguments: {} }] }, 'Done.'],
    })
    const first = ended(await infer(provider, { query: 'x', tools: [search] }), 'suspended')
    const [item] = first.pending as readonly PendingQuestion[]
    const decisions = [
      { type: 'answer', id: 'c1', digest: item?.digest ?? '', action: 'accept' },
    ] as const
    const last = await infer(provider, {
      tools: [search],
      messages: first.transcript,
      durable: { resume: first.checkpoint, decisions },
    })
    expect(last).toMatchObject({ status: 'final', text: 'Done.' })
    expect(sent).toBeGreaterThanOrEqual(2)
  })

  test('J14: a run reports a call that was cut off while it was sent with its answer as uncertain, with its attempt', async () => {
    const journal = createMemoryJournal()
    let isCut = false
    const cut = {
      ...journal,
      writeReceipt: (...given: Parameters<typeof journal.writeReceipt>) => {
        if (isCut && given[0].kind === 'tool' && given[0].outcome.status === 'ok')
          throw new Error('killed')
        return journal.writeReceipt(...given)
      },
    }
    const run = await new AskingRun(asksAge, { durable: { runId: 'run_1', journal: cut } }).start()
    isCut = true
    await run.answer({ action: 'accept', content: { age: 7 } })
    expect(run.last?.status).toBe('failed')
    const stored = journal.load('run_1')!
    const provider = createMock({ responses: ['Done.'] })
    const tools = [
      defineTool({
        name: 'book',
        description: 'Books',
        parameters: { type: 'object' },
        execute: asksAge,
      }),
    ]
    const request = {
      tools,
      messages: stored.messages,
      durable: { journal, resume: stored.resume },
    }
    expect(ended(await infer(provider, request), 'suspended').pending).toMatchObject([
      {
        type: 'uncertain',
        id: 'c1',
        attempt: 2,
        idempotencyKey: expect.stringMatching(/^run_1\/book\/[0-9a-f]{16}\/0$/) as string,
      },
    ])
  })

  test('types the content of an answer by the schema', () => {
    const typed = defineTool({
      name: 'typed',
      description: 'Is typed',
      execute: async (_, { ask }) => {
        const literal = await ask({ message: 'x', schema: ageSchema })
        if (literal.action === 'accept')
          expectTypeOf(literal.content).toEqualTypeOf<{ readonly age: number }>()
        const zod = await ask({ message: 'x', schema: z.object({ city: z.string() }) })
        if (zod.action === 'accept') expectTypeOf(zod.content).toEqualTypeOf<{ city: string }>()
      },
    })
    expect(typed.definition.name).toBe('typed')
  })
})
