import { type ChatMessage, textOf } from '@modelport/core'
import { createMock, type MockResponse } from '@modelport/provider-mock'
import {
  type AgentTarget,
  type Approval,
  BudgetLedger,
  ConversationHistory,
  type Decision,
  defineTool,
  type InferRequest,
  infer,
  type Tool,
  ToolFailure,
  type ToolSource,
} from '@modelport/runtime'
import { expect, test } from 'vitest'

const callOf = (name: string, args: Readonly<Record<string, unknown>> = {}): MockResponse => ({
  toolCalls: [{ name, arguments: args }],
})
const lookTool = (execute: Tool['execute']) =>
  defineTool({ name: 'look', description: 'Looks', parameters: { type: 'object' }, execute })
const never = () => new Promise<never>(() => undefined)
const sent = (provider: ReturnType<typeof createMock>, at: number): readonly ChatMessage[] =>
  provider.requests[at]?.messages ?? []
const ask = (answer: unknown): unknown => ({ effect: 'require-approval', ask: () => answer })

test.each<[string, unknown]>([
  ['nothing', undefined],
  ['an effect there is not', { effect: 'denied' }],
  ['true', true],
  ['a denial without a reason', { effect: 'deny' }],
  ['an approval that is asked of no function', { effect: 'require-approval', ask: 'me' }],
  ['no approval', ask(undefined)],
  ['"no"', ask({ approved: 'no' })],
  ['a promise of 1', ask(Promise.resolve({ approved: 1 }))],
])('permission: %s allows nothing', async (_, answer) => {
  let executed = 0
  const provider = createMock({ responses: [callOf('look'), 'Then not.'] })
  const result = await infer(provider, {
    query: 'Look!',
    tools: [lookTool(() => executed++)],
    authorize: () => answer as Decision,
  })
  expect([executed, result.status, result.text]).toEqual([0, 'final', 'Then not.'])
  expect(sent(provider, 1).at(-1)).toMatchObject({
    role: 'tool',
    isError: true,
    content: expect.stringMatching(/^Not allowed: ./) as string,
  })
})

test('permission: what is approved is still executed', async () => {
  let executed = 0
  const approval: Approval = { approved: true, by: 'me' }
  await infer(createMock({ responses: [callOf('look'), 'Done.'] }), {
    query: 'Look!',
    tools: [lookTool(() => executed++)],
    authorize: () => ask(approval) as Decision,
  })
  expect(executed).toBe(1)
})

const source: ToolSource = {
  name: 'deaf',
  apiHosts: [],
  tools: never,
  close: () => Promise.resolve(),
}
test.each<[string, Partial<InferRequest>]>([
  ['a function for tools', { tools: never }],
  ['a source of tools', { sources: [source] }],
])('%s that never settles does not keep a run from being cancelled', async (_, request) => {
  const controller = new AbortController()
  const reason = new Error('enough')
  const running = infer(createMock({ responses: ['never'] }), {
    query: 'Look!',
    ...request,
    signal: controller.signal,
    observe: { onEvent: () => setTimeout(() => controller.abort(reason), 0) },
  })
  expect(await running).toMatchObject({ status: 'cancelled', reason })
})

test('an error that is its own cause ends the run like any other', async () => {
  const error = new Error('round and round')
  error.cause = error
  const result = await infer(createMock({ responses: ['never'] }), {
    query: 'Look!',
    tools: () => Promise.reject(error),
  })
  expect(result).toMatchObject({
    status: 'failed',
    error: { code: 'unknown', message: 'round and round' },
  })
})

test.each<[RegExp, Partial<InferRequest>]>([
  [/^outputSchema: .*"array"/, { outputSchema: { type: 'array' } }],
  [/^outputSchema: /, { outputSchema: 5 as never }],
  [/threshold/, { limits: { compaction: { threshold: 80 } } }],
  [/strategy/, { limits: { compaction: { strategy: 'newest' as never } } }],
  [
    /maxTokens/,
    { limits: { compaction: { onContextLength: { strategy: 'tokens', maxTokens: 0 } } } },
  ],
])(
  '%s: what is wrong with a request is said before anything is called',
  async (message, request) => {
    const provider = createMock({ responses: ['never'] })
    await expect(infer(provider, { query: 'Look!', ...request })).rejects.toMatchObject({
      code: 'config',
      message: expect.stringMatching(message) as string,
    })
    expect(provider.requests).toEqual([])
  },
)

test('two runs on one history lose nothing of each other', async () => {
  const history = ConversationHistory.fromList([
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: 'Hello' },
  ])
  let letGo: () => void = () => undefined
  const held = new Promise<string>((resolve) => {
    letGo = () => {
      resolve('found')
    }
  })
  const slow = infer(createMock({ responses: [callOf('look'), 'slow answer'] }), {
    history,
    query: 'slow',
    tools: [lookTool(() => held)],
  })
  await infer(createMock({ responses: ['quick answer'] }), { history, query: 'quick' })
  letGo()
  await slow
  expect(history.toList().map(({ content }) => content)).toEqual([
    'Hi',
    'Hello',
    'quick',
    'quick answer',
    'slow',
    '',
    'found',
    'slow answer',
  ])
})

test('no half character reaches a server, whoever cut it', async () => {
  const half = 'a🙂'.slice(0, 2)
  const long = `${'x'.repeat(1999)}🙂`
  const tools = [
    lookTool((args) => {
      const { at } = args as { readonly at: number }
      if (at === 2) throw new Error(long)
      if (at === 3) throw new ToolFailure(half)
      return half
    }),
  ]
  const provider = createMock({
    responses: [
      callOf('look', { at: 1 }),
      callOf('look', { at: 2 }),
      callOf('look', { at: 3 }),
      'Done.',
    ],
  })
  await infer(provider, { query: 'Look!', tools })
  const results = sent(provider, 3)
    .filter(({ role }) => role === 'tool')
    .map(({ content }) => textOf(content))
  expect(results).toEqual(['a\ufffd', expect.stringMatching(/xx\ufffd$/) as string, 'a\ufffd'])
})

test('a run waits for an agent that never responds no longer than its budget has time', async () => {
  let now = 0
  const agent: AgentTarget = {
    name: 'deaf',
    description: 'Says nothing',
    call: (_, { signal }) => {
      signal.addEventListener('abort', () => {
        now = 70_000
      })
      return never()
    },
  }
  const budget = new BudgetLedger({ maxRuntimeMs: 60_000 }, { now: () => now })
  const phases: string[] = []
  const provider = createMock({
    responses: [callOf('delegate_to_agent', { agent: 'deaf', prompt: 'Well?' }), 'never'],
  })
  const result = await infer(provider, {
    query: 'Ask.',
    agents: [agent],
    limits: { budget },
    observe: {
      onEvent: (event) => {
        if (event.type === 'model-call-end') now = 59_999
        if (event.type === 'agent-call-error') phases.push(event.phase)
      },
    },
  })
  expect(result).toMatchObject({ status: 'budget', decision: { limit: 'maxRuntimeMs' } })
  expect(phases).toEqual(['timeout'])
  expect(provider.requests).toHaveLength(1)
})
