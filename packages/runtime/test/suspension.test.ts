import { type ChatMessage, LlmError, textOf } from '@modelport/core'
import { createMock, type MockResponse } from '@modelport/provider-mock'
import { afterEach, describe, expect, test, vi } from 'vitest'
import {
  type Authorize,
  createMemoryJournal,
  type InferRequest,
  infer,
  pending,
  type ResumeDecision,
  ResumeError,
  type RunCheckpoint,
  type RunEvent,
  type RunResult,
} from '../src/index.js'
import type { PendingApproval } from '../src/journal/pending-item.js'
import { calls, ended, loaded, roles, weather } from './weather-run.js'

afterEach(() => {
  vi.useRealTimers()
})

const approveParis: Authorize = (asked) =>
  asked.type === 'tool_call' && asked.args['city'] === 'Paris'
    ? { effect: 'require-approval', reason: 'far away' }
    : { effect: 'allow' }

/** A run that can be continued: with what it was started with, from the JSON of its result. */
function start(responses: readonly MockResponse[], request: Partial<InferRequest> = {}) {
  const executed: unknown[] = []
  const events: RunEvent[] = []
  const provider = createMock({ responses })
  const tools = [
    weather(({ city }) => {
      executed.push(city)
      return `18 degrees in ${String(city)}`
    }),
  ]
  const observe = { onEvent: (event: RunEvent) => void events.push(event) }
  const base = { tools, authorize: approveParis, observe, ...request }
  const first = infer(provider, { query: 'What is the weather?', ...base })
  const resume = async (decisions: readonly ResumeDecision[], more: Partial<InferRequest> = {}) => {
    const { checkpoint, transcript } = JSON.parse(
      JSON.stringify(ended(await first, 'suspended')),
    ) as {
      checkpoint: RunCheckpoint
      transcript: ChatMessage[]
    }
    const durable = { resume: checkpoint, decisions, ...more.durable }
    return infer(provider, { ...base, messages: transcript, ...more, durable })
  }
  return { first, resume, executed, events, provider }
}

const approvalOf = (result: RunResult): PendingApproval =>
  ended(result, 'suspended').pending[0] as PendingApproval
const toolTexts = ({ transcript }: RunResult) =>
  transcript.flatMap((one) => (one.role === 'tool' ? [textOf(one.content)] : []))

describe('a run that needs an approval', () => {
  test('J7: a run that needs an approval decides every call, runs the allowed ones, and then suspends with a transcript that can be sent', async () => {
    const { first, executed, events } = start([calls('Paris', 'Rome')])
    const result = await first
    const { pending: items, checkpoint } = ended(result, 'suspended')
    expect(executed).toEqual(['Rome'])
    expect(items).toMatchObject([
      {
        type: 'approval',
        id: 'call_1',
        action: { tool: 'get_weather', args: { city: 'Paris' } },
        reason: 'far away',
      },
    ])
    expect(roles(result)).toEqual(['user', 'assistant', 'tool', 'tool'])
    expect(toolTexts(result)[0]).toBe('This call waits for approval: it was not executed yet.')
    expect(checkpoint.pending).toEqual(items)
    expect(events.at(-1)?.type).toBe('run-suspended')
    expect(JSON.parse(JSON.stringify(checkpoint))).toEqual(checkpoint)
  })

  test('J4: a run that needs an approval continues with the approval: the call runs once, and nothing else runs again', async () => {
    const { first, resume, executed, events, provider } = start([calls('Paris', 'Rome'), 'Warm.'])
    const { digest } = approvalOf(await first)
    const before = events.length
    const result = await resume([{ type: 'approve', id: 'call_1', digest, by: 'me' }])
    expect(ended(result, 'final')).toMatchObject({ text: 'Warm.', steps: 2 })
    expect(executed).toEqual(['Rome', 'Paris'])
    expect(toolTexts(result)).toEqual(['18 degrees in Paris', '18 degrees in Rome'])
    expect(provider.requests).toHaveLength(2)
    expect(result.metrics.executedActions).toBe(2)
    expect(result.usage).toMatchObject({ inputTokens: 20, outputTokens: 10 })
    expect(events.slice(before, before + 3).map(({ type }) => type)).toEqual([
      'approval-decision',
      'tool-start',
      'tool-result',
    ])
  })

  test('J11: a run that needs an approval numbers its events without gaps and without repeats over a resume', async () => {
    const { first, resume, events } = start([calls('Paris', 'Rome'), 'Warm.'])
    const { digest } = approvalOf(await first)
    await resume([{ type: 'approve', id: 'call_1', digest }])
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
  })

  test('J8: a run that needs an approval tells the model of a refusal, of an expiry, and of the reason', async () => {
    const outcomes: readonly [ResumeDecision, string][] = [
      [{ type: 'deny', id: 'call_1', reason: 'not today' }, 'Not allowed: not today'],
      [{ type: 'deny', id: 'call_1' }, 'Not allowed: approval was refused'],
      [{ type: 'expire', id: 'call_1' }, 'Not allowed: nobody approved the call in time'],
    ]
    for (const [decision, text] of outcomes) {
      const { first, resume, executed } = start([calls('Paris', 'Rome'), 'Then not.'])
      await first
      const result = await resume([decision])
      expect(ended(result, 'final').text).toBe('Then not.')
      expect([executed, toolTexts(result)[0]]).toEqual([['Rome'], text])
    }
  })

  test('J8: a run that needs an approval denies by itself what is resumed after its expiry', async () => {
    const expiresAt = Date.now() + 3_600_000
    const authorize = () => ({ effect: 'require-approval', expiresAt }) as const
    const { first, resume, executed } = start([calls('Paris'), 'Then not.'], { authorize })
    expect(approvalOf(await first).expiresAt).toBe(expiresAt)
    vi.useFakeTimers({ toFake: ['Date'], now: expiresAt + 1 })
    const result = await resume([])
    expect([executed, toolTexts(result)]).toEqual([
      [],
      ['Not allowed: nobody approved the call in time'],
    ])
  })

  test('J7: a run that needs an approval takes some of the decisions now and the rest later', async () => {
    const authorize = () => ({ effect: 'require-approval' }) as const
    const provider = createMock({ responses: [calls('Paris', 'Rome'), 'Warm.'] })
    const executed: unknown[] = []
    const tools = [weather(({ city }) => executed.push(city))]
    const request = { tools, authorize }
    const first = ended(await infer(provider, { ...request, query: 'Weather?' }), 'suspended')
    const [paris, rome] = first.pending as readonly PendingApproval[]
    const second = ended(
      await infer(provider, {
        ...request,
        durable: {
          resume: first.checkpoint,
          decisions: [{ type: 'approve', id: 'call_2', digest: rome?.digest ?? '' }],
        },
        messages: first.transcript,
      }),
      'suspended',
    )
    expect([executed, second.pending]).toEqual([['Rome'], [paris]])
    const third = await infer(provider, {
      ...request,
      durable: {
        resume: second.checkpoint,
        decisions: [{ type: 'approve', id: 'call_1', digest: paris?.digest ?? '' }],
      },
      messages: second.transcript,
    })
    ended(third, 'final')
    expect(executed).toEqual(['Rome', 'Paris'])
    expect(provider.requests).toHaveLength(2)
  })

  test('a run that needs an approval executes changed arguments after validating them again, and informs the model', async () => {
    const { first, resume, executed } = start([calls('Paris'), 'Warm.'])
    const { digest } = approvalOf(await first)
    const result = await resume([
      { type: 'approve', id: 'call_1', digest, arguments: { city: 'Lyon' } },
    ])
    expect(executed).toEqual(['Lyon'])
    expect(toolTexts(result)).toEqual([
      'The arguments were changed before the call was executed: {"city":"Lyon"}\n18 degrees in Lyon',
    ])
    const wrong = start([calls('Paris'), 'Then not.'])
    const item = approvalOf(await wrong.first)
    const refused = await wrong.resume([
      { type: 'approve', id: 'call_1', digest: item.digest, arguments: { city: 7 } },
    ])
    expect(wrong.executed).toEqual([])
    expect(toolTexts(refused)[0]).toContain('not valid and it was not executed')
  })

  test('a policy may change the arguments, and the model reads the new ones', async () => {
    const authorize = () => ({ effect: 'allow', arguments: { city: 'Lyon' } }) as const
    const { first, executed, events } = start([calls('Paris'), 'Warm.'], { authorize })
    expect(toolTexts(await first)[0]).toContain('{"city":"Lyon"}')
    expect(executed).toEqual(['Lyon'])
    expect(events.find(({ type }) => type === 'tool-start')).toMatchObject({
      args: { city: 'Lyon' },
    })
  })

  test('J9: a user message closes what is pending: the model reads why, and the message follows', async () => {
    for (const asMessage of [false, true]) {
      const { first, resume, executed, provider } = start([calls('Paris', 'Rome'), 'As you wish.'])
      const { transcript } = await first
      const said = 'Never mind Paris.'
      const more = asMessage
        ? { messages: [...transcript, { role: 'user', content: said } as const] }
        : { query: said }
      const result = await resume([], more)
      ended(result, 'final')
      expect(executed).toEqual(['Rome'])
      expect(toolTexts(result)[0]).toBe(
        'Not allowed: the user sent a new message instead of approving the call',
      )
      expect(provider.requests[1]?.messages.at(-1)).toMatchObject({ role: 'user', content: said })
    }
  })
})

describe('what cannot be resumed', () => {
  const problemOf = async (promise: Promise<unknown>): Promise<string> => {
    const error: unknown = await promise.then(
      () => 'resumed',
      (reason: unknown) => reason,
    )
    return error instanceof ResumeError
      ? `${error.problem}: ${error.differences.join('; ')}`
      : String(error)
  }

  test.each<[string, Partial<InferRequest>, string]>([
    ['tools', { tools: [] }, 'fingerprint: tool get_weather was removed'],
    ['instructions', { system: 'Be brief.' }, 'fingerprint: prompt system changed'],
    ['limits', { limits: { maxSteps: 3 } }, 'fingerprint: limits.maxSteps: 10 → 3'],
    ['the policy', { durable: { policyVersion: '2' } }, 'fingerprint: policy: unversioned → 2'],
    ['options', { options: { temperature: 1 } }, 'fingerprint: prompt options changed'],
    [
      'agents',
      { agents: [{ name: 'a', description: 'b', call: () => '' }] },
      'fingerprint: agent a was added',
    ],
    ['messages', { messages: [{ role: 'user', content: 'Another question' }] }, 'transcript: '],
  ])('J10: another value for %s is an error that names it', async (_name, change, expected) => {
    const { first, resume } = start([calls('Paris'), 'x'])
    await first
    expect(await problemOf(resume([], change))).toBe(expected)
  })

  test('a checkpoint of another version cannot be resumed', async () => {
    const { first, resume } = start([calls('Paris'), 'x'])
    const { checkpoint } = ended(await first, 'suspended')
    expect(
      await problemOf(resume([], { durable: { resume: { ...checkpoint, version: 2 as 1 } } })),
    ).toBe('version: ')
  })

  test.each<[string, readonly ResumeDecision[]]>([
    ['about something that is not pending', [{ type: 'deny', id: 'call_9' }]],
    ['of another kind', [{ type: 'result', id: 'call_1', result: 1 }]],
    ['with the digest of something else', [{ type: 'approve', id: 'call_1', digest: 'other' }]],
    [
      'given twice',
      [
        { type: 'deny', id: 'call_1' },
        { type: 'expire', id: 'call_1' },
      ],
    ],
  ])('J8: a resume rejects a decision %s', async (_name, decisions) => {
    const { first, resume, executed } = start([calls('Paris'), 'x'])
    await first
    expect(await problemOf(resume(decisions))).toBe('decision: ')
    expect(executed).toEqual([])
  })
})

describe('work that continues elsewhere', () => {
  test.each<[string, ResumeDecision, string]>([
    ['its result', { type: 'result', id: 'call_1', result: { degrees: 18 } }, '{"degrees":18}'],
    ['its failure', { type: 'failure', id: 'call_1', message: 'no sensor' }, 'no sensor'],
    ['nobody waiting for it', { type: 'give-up', id: 'call_1' }, 'unknown'],
  ])(
    'work that continues elsewhere is pending until a resume with %s',
    async (_name, decision, text) => {
      let started = 0
      const tools = [weather(() => (started++, pending('job_7', { until: 12 })))]
      const { first, resume } = start([calls('Rome'), 'Done.'], { tools })
      const { pending: items } = ended(await first, 'suspended')
      expect(items).toMatchObject([{ type: 'wait', id: 'call_1', taskId: 'job_7', until: 12 }])
      const again = await resume([])
      const [later] = ended(again, 'suspended').pending
      expect(later).toEqual({ ...items[0], until: expect.any(Number) as number })
      // The time of the first look is over: the next one is later.
      expect((later as { until: number }).until).toBeGreaterThan(Date.now() - 60_000)
      const result = await resume([decision])
      ended(result, 'final')
      expect([started, toolTexts(result)[0]]).toEqual([1, expect.stringContaining(text)])
    },
  )
})

describe('a run that failed', () => {
  test('a run that failed can be resumed from its checkpoint: the failed call is made again, under the same limits', async () => {
    const provider = createMock({
      responses: [calls('Rome'), { error: 'auth' }, calls('Rome'), 'Warm.'],
    })
    const request = { tools: [weather()], limits: { maxSteps: 3 } }
    const failed = ended(await infer(provider, { ...request, query: 'Weather?' }), 'failed')
    const result = await infer(provider, {
      ...request,
      durable: { resume: JSON.parse(JSON.stringify(failed.checkpoint)) as never },
      messages: failed.transcript,
    })
    expect(ended(result, 'final')).toMatchObject({ text: 'Warm.', steps: 3 })
    // The repeat guard remembers the call of the first process.
    expect(toolTexts(result)[1]).toContain('already performed')
  })

  test('a run that failed keeps its recorded failure as the outcome unless it may be repeated', async () => {
    const journal = createMemoryJournal()
    const provider = createMock({
      responses: [{ error: new LlmError('auth', 'no key') }, 'Hello.'],
    })
    await infer(provider, { query: 'Hi', durable: { runId: 'r', journal } })
    const kept = await infer(provider, loaded(journal))
    expect(ended(kept, 'failed').error).toMatchObject({
      code: 'auth',
      message: 'mock: auth: no key',
    })
    const repeated = await infer(provider, loaded(journal, { repeatFailed: true }))
    expect(ended(repeated, 'final').text).toBe('Hello.')
  })
})

describe('a run that is resumed under changed settings', () => {
  test('J13: acceptChange continues it under the new ones, and receives the pending items they touch', async () => {
    const { resume, executed } = start([calls('Paris'), 'Fine.'])
    const approve = { type: 'approve', id: 'call_1' } as const
    const asked: unknown[] = []
    const accept = (
      differences: readonly string[],
      touched: readonly { id: string }[],
    ): boolean => {
      asked.push([differences, touched.map(({ id }) => id)])
      return touched.length === 0
    }
    const extra = {
      ...weather(() => ''),
      definition: { ...weather(() => '').definition, name: 'other' },
    }
    const changed = {
      ...weather(() => ''),
      definition: { ...weather(() => '').definition, description: 'New' },
    }
    const first = await resume([], { system: 'Be brief.', durable: { acceptChange: accept } })
    const { digest } = approvalOf(first)
    await expect(
      resume([{ ...approve, digest }], { tools: [changed], durable: { acceptChange: accept } }),
    ).rejects.toMatchObject({
      problem: 'fingerprint',
      differences: ['tool get_weather changed'],
    })
    expect(executed).toEqual([])
    const own = weather(({ city }) => {
      executed.push(city)
      return 'new'
    })
    const done = await resume([{ ...approve, digest }], {
      tools: [own, extra],
      durable: { acceptChange: accept },
    })
    expect([done.status, executed]).toEqual(['final', ['Paris']])
    expect(asked).toEqual([
      [['prompt system changed'], []],
      [['tool get_weather changed'], ['call_1']],
      [['tool other was added'], []],
    ])
  })
})

/** Each copy of a value that has one part replaced or removed. */
function* damaged(value: unknown, replacements: readonly unknown[]): Generator {
  for (const replacement of replacements) yield replacement
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    for (const other of damaged(inner, replacements)) {
      const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...value }) as Record<
        string,
        unknown
      >
      copy[key] = other
      yield copy
    }
  }
}

test('a checkpoint that is damaged anywhere is a ResumeError, and no call of it is executed', async () => {
  const { first, executed } = start([calls('Paris', 'Rome')])
  const { checkpoint, transcript } = ended(await first, 'suspended')
  executed.length = 0
  const problems = new Map<string, number>()
  for (const stored of damaged(JSON.parse(JSON.stringify(checkpoint)), [
    undefined,
    null,
    {},
    [],
    'x',
    -1,
  ])) {
    if (typeof stored !== 'object' || stored === null || Array.isArray(stored)) continue
    const provider = createMock({ defaultResponse: 'Done.' })
    const request = { tools: [weather(() => '')], authorize: approveParis, messages: transcript }
    const outcome = await infer(provider, {
      ...request,
      durable: { resume: stored as RunCheckpoint },
    }).then(
      (result) => (result.status === 'failed' ? (result.error as unknown) : result.status),
      (error: unknown) => error,
    )
    const kind =
      outcome instanceof ResumeError
        ? outcome.problem
        : outcome instanceof LlmError
          ? outcome.code
          : String(outcome)
    problems.set(kind, (problems.get(kind) ?? 0) + 1)
  }
  expect([...problems.keys()].filter((kind) => kind.includes('Error'))).toEqual([])
  expect(problems.get('damaged')).toBeGreaterThan(300)
  expect(executed).toEqual([])
})
