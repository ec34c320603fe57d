import { isLlmError } from '@modelport/core'
import { createMock, type MockResponse } from '@modelport/provider-mock'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type AgentTarget, type AuthorizeContext, BudgetLedger, ConversationHistory, defineTool, infer, type InferRequest, type RunEvent, type RunResult, type ToolCallAction, toWireEvent } from '../src/index.js'

const weather = (execute: (args: { city?: unknown }) => unknown = ({ city }) => `18 degrees in ${String(city)}`) =>
  defineTool({ name: 'get_weather', description: 'Weather of a city', parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }, execute })
const calls = (...cities: unknown[]): MockResponse => ({ toolCalls: cities.map((city) => ({ name: 'get_weather', arguments: { city } })) })
const action = (value: unknown): MockResponse => JSON.stringify(value)
const weatherAction = (city: string): MockResponse => action({ type: 'tool_call', tool: 'get_weather', args: { city } })

async function run(responses: readonly MockResponse[], request: Partial<InferRequest> = {}) {
  const events: RunEvent[] = []
  const provider = createMock({ responses, retry: { attempts: 1 } } as never)
  const result = await infer(provider, { query: 'What is the weather?', tools: [weather()], onEvent: (event) => void events.push(event), ...request })
  const of = <Type extends RunEvent['type']>(type: Type) => events.filter((event): event is Extract<RunEvent, { type: Type }> => event.type === type)
  return { provider, result, events, of, types: events.map(({ type }) => type) }
}
const ended = <Status extends RunResult['status']>(result: RunResult, status: Status): Extract<RunResult, { status: Status }> => {
  expect(result.status === 'failed' && status !== 'failed' ? result.error : undefined).toBeUndefined()
  expect(result).toMatchObject({ status })
  return result as Extract<RunResult, { status: Status }>
}
const roles = (result: RunResult) => result.transcript.map(({ role }) => role)

describe('events', () => {
  test('come in order, each with run and step, plain in their wire form', async () => {
    const { result, events, types } = await run([calls('Paris', 'Rome'), 'Warm in both.'], { runId: 'run_7' })
    const { text, steps, usage, metrics } = ended(result, 'final')
    expect({ text, steps, input: usage.inputTokens, output: usage.outputTokens, executed: metrics.executedActions }).toEqual({ text: 'Warm in both.', steps: 2, input: 20, output: 10, executed: 2 })
    const round = ['llm_step', 'context_prepared', 'llm_context', 'llm_call_started', 'llm_call_metrics', 'llm_call_completed', 'llm_response']
    const told = ['llm_action', 'action_requested', 'llm_action', 'action_requested', 'tool_start', 'tool_start', 'tool_result', 'tool_result']
    expect(types.filter((type) => type !== 'llm_chunk')).toEqual([...round, ...told, ...round, 'llm_action', 'llm_final'])
    expect(new Set(events.map(({ runId }) => runId))).toEqual(new Set(['run_7']))
    const wire = events.map((event) => JSON.parse(JSON.stringify(toWireEvent(event))) as Record<string, unknown>)
    expect(wire.find(({ type }) => type === 'llm_call_metrics')).toMatchObject({ run_id: 'run_7', step: 1, provider: 'mock', usage: { input_tokens: 10, output_tokens: 5, estimated: false } })
    expect(wire.find(({ type }) => type === 'context_prepared')).toMatchObject({ manifest: { run_id: 'run_7', user_tokens: expect.any(Number) as number, total_estimated_tokens: expect.any(Number) as number } })
    expect(wire.find(({ type }) => type === 'tool_start')).toMatchObject({ action_id: 'call_1', args: { city: 'Paris' } })
  })

  test('an observer that throws, now or later, is not asked again, and the run goes on', async () => {
    for (const fail of [() => { throw new Error('observer') }, () => Promise.reject(new Error('observer'))]) {
      let asked = 0
      const { result } = await run([calls('Paris'), 'Warm.'], { onEvent: () => { asked++; return fail() as never } })
      ended(result, 'final')
      expect(asked).toBeLessThan(12)
    }
  })

  test('prices and the window come from the profile', async () => {
    const profile = { contextWindow: 1000, inputCostPerMillion: 3, outputCostPerMillion: 15 }
    const { result, of } = await run([calls('Paris'), 'Warm.'], { profile })
    expect(of('llm_call_metrics')[0]).toMatchObject({ context: { usedTokens: 10, windowTokens: 1000, usedPercent: 1 }, cost: { totalCost: 0.000105 } })
    expect(result.metrics.totalCost).toBeCloseTo(0.00021, 8)
  })
})

describe('guards', () => {
  const tool = { tools: [weather(() => Math.random())] }

  test.each([5, 4])('after %i other actions a call may be made again when the window is 5', async (others) => {
    const cities = ['A', 'B', 'C', 'D', 'E', 'F'].slice(0, others + 1)
    const { of } = await run([...cities.map((city) => calls(city)), calls('A'), 'Done.'], tool)
    expect(of('tool_start')).toHaveLength(others + 1 + (others === 5 ? 1 : 0))
  })

  test('a call that failed may be tried again, and a tool that may repeat does', async () => {
    let tries = 0
    const failing = weather(() => { if (tries++ === 0) throw new Error('later'); return 'now' })
    const { of } = await run([calls('A'), calls('A'), calls('A'), 'Done.'], { tools: [failing] })
    expect([of('tool_error').length, of('tool_result').length, of('llm_retry').length]).toEqual([1, 1, 1])
    const polled = await run([calls('A'), calls('A'), 'Done.'], { ...tool, limits: { repeatableTools: ['get_weather'] } })
    expect(polled.of('tool_result')).toHaveLength(2)
    const waiting = await run([...Array.from({ length: 8 }, () => calls('A')), 'Done.'], { tools: [weather(() => 'pending')], limits: { repeatableTools: ['get_weather'] } })
    expect(ended(waiting.result, 'final').steps).toBe(9)
  })

  test('the same call twice in one round runs once', async () => {
    const { of, result } = await run([calls('A', 'A'), 'Done.'], tool)
    expect(of('tool_start')).toHaveLength(1)
    expect(roles(result)).toEqual(['user', 'assistant', 'tool', 'tool', 'assistant'])
  })

  test('nothing but repeats ends it', async () => {
    const { result, of } = await run([calls('A')], tool)
    expect(ended(result, 'limit')).toMatchObject({ limit: 'repeats', steps: 4 })
    expect(of('tool_start')).toHaveLength(1)
  })

  test('failures, and results that are known, end it', async () => {
    let city = 0
    const grow: MockResponse = () => ({ toolCalls: [{ name: 'get_weather', arguments: { city: 'x'.repeat(++city) } }] })
    expect(ended((await run([grow], { tools: [weather(() => 'nothing')] })).result, 'limit')).toMatchObject({ limit: 'no-progress', steps: 5 })
    expect(ended((await run([grow], { tools: [weather(() => { throw new Error('no') })] })).result, 'limit')).toMatchObject({ limit: 'no-progress', steps: 4 })
  })

  test('ten steps are the most', async () => {
    let city = 0
    const { result, provider } = await run([() => ({ toolCalls: [{ name: 'get_weather', arguments: { city: `c${city++}` } }] })], tool)
    const { message, limit } = ended(result, 'limit')
    expect(limit).toBe('steps')
    expect(message).toContain('Maximum inference steps (10) exceeded without producing final response')
    expect(provider.requests).toHaveLength(10)
  })

  test('three replies in a row that are no action end it; two, a good one and two more do not', async () => {
    const bad = await run(['prose'], { mode: 'json' })
    expect(ended(bad.result, 'limit')).toMatchObject({ limit: 'parse-failures', steps: 3 })
    expect(bad.of('llm_parse_error').map(({ parseFailures, recoverable }) => [parseFailures, recoverable])).toEqual([[1, true], [2, true], [3, false]])
    const good = await run(['prose', '{', weatherAction('A'), 'prose', '{}', action({ type: 'final', content: 'Warm.' })], { mode: 'json' })
    expect(ended(good.result, 'final').text).toBe('Warm.')
    expect(good.provider.requests.at(-1)?.messages.at(-1)?.content).toContain('Action validation failed')
  })

  test.each([{ maxSteps: 0 }, { maxParseFailures: 11 }, { maxParseFailures: true as never }, { repeatWindow: 1.5 }, { maxstep: 4 } as never])('limits %j are refused', async (limits) => {
    await expect(run(['x'], { limits })).rejects.toSatisfy((error) => isLlmError(error, 'config'))
  })
})

describe('misuse rejects, and everything else is an outcome', () => {
  test.each<[string, Partial<InferRequest>, string]>([
    ['nothing asked', { query: undefined as never }, 'nothing is asked'],
    ['messages and a history', { messages: [], history: new ConversationHistory() }, 'not both'],
    ['an unknown preset', { preset: 'other' as never }, 'unknown "other"'],
    ['an unanswered call', { query: undefined as never, messages: [{ role: 'user', content: 'x' }, { role: 'assistant', content: '', toolCalls: [{ id: 'c1', name: 't', arguments: {}, argumentsText: '{}' }] }] }, 'c1'],
  ])('%s', async (_name, request, message) => {
    await expect(run(['x'], request)).rejects.toThrow(message)
  })

  test('a failed call keeps what was done', async () => {
    const { result } = await run([calls('Paris'), { error: 'auth' }])
    expect(ended(result, 'failed').error.code).toBe('auth')
    expect(roles(result)).toEqual(['user', 'assistant', 'tool'])
  })

  test('a filtered answer is a failure, a cut one says so', async () => {
    expect(ended((await run([{ text: 'I', finish: 'content-filter' }])).result, 'failed').error.code).toBe('content-filter')
    expect(ended((await run([{ text: 'It is', finish: 'length' }])).result, 'final').truncated).toBe(true)
  })

  test('an empty reply is not an answer', async () => {
    const { result } = await run([{ text: '' }, 'Warm.'])
    expect(ended(result, 'final').text).toBe('Warm.')
    expect(roles(result)).toEqual(['user', 'user', 'assistant'])
  })

  test('a signal that was aborted before sends nothing', async () => {
    const { result, provider } = await run(['x'], { signal: AbortSignal.abort('why') })
    expect(ended(result, 'cancelled').reason).toBe('why')
    expect(provider.requests).toHaveLength(0)
  })
})

describe('budgets', () => {
  test('one call: the first warns and is allowed, the second is refused before the provider is asked', async () => {
    const { result, of, provider } = await run([calls('Paris'), 'Warm.'], { budget: { maxCalls: 1 } })
    expect(ended(result, 'budget').decision).toMatchObject({ limit: 'maxCalls', effect: 'deny', maximum: 1 })
    expect(of('budget_warning').map(({ decision }) => decision.limit)).toContain('maxCalls')
    expect(of('budget_exceeded')).toHaveLength(1)
    expect(provider.requests).toHaveLength(1)
    expect(roles(result)).toEqual(['user', 'assistant', 'tool'])
  })

  test('tool calls are refused before they run, and those that may run do', async () => {
    const { result, of } = await run([calls('Paris', 'Rome', 'Oslo')], { budget: { maxToolCalls: 2 } })
    expect(ended(result, 'budget').decision.limit).toBe('maxToolCalls')
    expect(of('tool_start')).toHaveLength(2)
    expect(roles(result)).toEqual(['user', 'assistant', 'tool', 'tool', 'tool'])
  })

  test('an answer that outgrows its room is cut, however the server counts', async () => {
    const { result, of } = await run([{ text: Array.from({ length: 4000 }, (_, index) => `word${index} `), usage: { inputTokens: 1, outputTokens: 1 } }], { budget: { maxOutputTokens: 100 } })
    expect(ended(result, 'budget').decision.limit).toBe('maxOutputTokens')
    expect(of('llm_chunk').length).toBeLessThan(100)
    expect(result.text).toMatch(/^word0 /)
  })

  test('an agent that runs within the run spends from the same budget', async () => {
    const ledger = new BudgetLedger({ maxCalls: 3 })
    const inner = createMock({ responses: ['inner'] })
    const helper: AgentTarget = {
      name: 'helper',
      description: 'Helps',
      call: async (request, { budget, signal }) => {
        const done = await infer(inner, { query: request.action === 'infer' ? request.prompt : '', budget, signal })
        return done.text
      },
    }
    const delegate = (prompt: string): MockResponse => ({ toolCalls: [{ name: 'delegate_to_agent', arguments: { agent: 'helper', prompt } }] })
    const { result } = await run([delegate('a'), delegate('b'), 'Done.'], { budget: ledger, agents: [helper] })
    ended(result, 'budget')
    expect(ledger.spent.calls).toBe(3)
    expect(inner.requests).toHaveLength(1)
  })
})

describe('agents', () => {
  const asked: unknown[] = []
  const agents: readonly AgentTarget[] = [
    { name: 'poet', description: 'Writes', call: (request) => { asked.push(request); return 'a poem' } },
    { name: 'clerk', description: 'Files', tools: [{ name: 'file', description: 'Files it' }], call: (request) => { asked.push(request); return { filed: true } } },
  ]

  test('in JSON mode by name; an unknown one is told, the only one need not be named', async () => {
    const ask = (agent: string) => action({ type: 'agent_call', agent, action: 'infer', prompt: 'write' })
    const { result, of, provider } = await run([ask('nobody'), ask('poet'), action({ type: 'final', content: 'ok' })], { mode: 'json', agents, tools: [] })
    ended(result, 'final')
    expect(of('agent_call_error')).toMatchObject([{ agent: 'nobody', phase: 'validation' }])
    expect(of('agent_call_result')).toMatchObject([{ agent: 'poet', result: 'a poem' }])
    expect(provider.requests[1]?.messages.at(-1)?.content).toContain('agents: poet, clerk')
    expect(provider.requests[2]?.messages.at(-1)?.content).toBe('{"type":"agent_result","agent":"poet","result":"a poem"}')
  })

  test('natively through tools that are only there when somebody can be asked', async () => {
    const { result, provider, of } = await run([{ toolCalls: [{ name: 'call_agent_tool', arguments: { agent: 'clerk', tool: 'file', args: { x: 1 } } }] }, 'ok'], { agents, tools: [] })
    ended(result, 'final')
    expect(provider.requests[0]?.tools.map(({ name }) => name)).toEqual(['delegate_to_agent', 'call_agent_tool'])
    expect(asked.at(-1)).toEqual({ action: 'tool_call', tool: 'file', args: { x: 1 } })
    expect(of('agent_call_start')).toMatchObject([{ agent: 'clerk', action: 'tool_call', tool: 'file' }])
    expect((await run(['ok'])).provider.requests[0]?.tools.map(({ name }) => name)).toEqual(['get_weather'])
    await expect(run(['ok'], { agents, tools: [defineTool({ name: 'delegate_to_agent', description: '', execute: () => 1 })] }).then(({ result: { status } }) => status)).resolves.toBe('failed')
  })
})

describe('authorization', () => {
  test('denied, approved and refused calls, each with its events', async () => {
    const seen: string[] = []
    const authorize = (asked: unknown, { actionId }: AuthorizeContext) => {
      const { args } = asked as ToolCallAction
      seen.push(actionId)
      if (args['city'] === 'Paris') return { effect: 'deny', reason: 'not Paris' } as const
      if (args['city'] === 'Rome') return { effect: 'require-approval', ask: async () => ({ approved: true, by: 'me' }) } as const
      if (args['city'] === 'Oslo') return { effect: 'require-approval', ask: () => ({ approved: false }) } as const
      throw new Error('cannot say')
    }
    const { result, of } = await run([calls('Paris', 'Rome', 'Oslo', 'Berlin'), 'ok'], { authorize })
    ended(result, 'final')
    expect(of('tool_start').map(({ args }) => args)).toEqual([{ city: 'Rome' }])
    expect(of('policy_decision').map(({ effect }) => effect)).toEqual(['deny', 'require-approval', 'require-approval', 'deny'])
    expect(of('approval_decision')).toMatchObject([{ approved: true, by: 'me' }, { approved: false }])
    expect(of('action_denied').map(({ reason }) => reason)).toEqual(['not Paris', 'approval was refused', 'cannot say'])
    expect(seen).toHaveLength(4)
    expect(result.transcript.slice(2, 6).map((message) => message.role === 'tool' && message.content)).toEqual(['Not allowed: not Paris', '18 degrees in Rome', 'Not allowed: approval was refused', 'Not allowed: cannot say'])
  })

  test('an approval nobody gives ends with the signal', async () => {
    const controller = new AbortController()
    const authorize = () => ({ effect: 'require-approval', ask: () => new Promise<never>(() => setTimeout(() => controller.abort(), 5)) }) as const
    const { result } = await run([calls('Paris', 'Rome')], { authorize, signal: controller.signal })
    ended(result, 'cancelled')
    expect(roles(result)).toEqual(['user', 'assistant', 'tool', 'tool'])
  })
})

describe('what the answer must be', () => {
  const outputSchema = z.object({ degrees: z.number() })

  test('is asked for, checked, and given as a value', async () => {
    const { result, provider } = await run(['{"degrees":"warm"}', '{"degrees":18}'], { outputSchema, tools: [] })
    expect(ended(result, 'final').output).toEqual({ degrees: 18 })
    expect(provider.requests[0]?.options.responseFormat).toMatchObject({ type: 'json-schema', schema: { properties: { degrees: { type: 'number' } } } })
    expect(provider.requests[1]?.messages.at(-1)?.content).toContain('degrees')
  })

  test('in JSON mode it is the content', async () => {
    const { result } = await run([weatherAction('A'), action({ type: 'final', content: { degrees: 3 } })], { outputSchema, mode: 'json' })
    expect(ended(result, 'final')).toMatchObject({ output: { degrees: 3 }, text: '{"degrees":3}' })
  })
})

describe('presets', () => {
  const grow = (): MockResponse => { let city = 0; return ({ tools }) => (tools.length ? { toolCalls: [{ name: 'get_weather', arguments: { city: `c${city++}` } }] } : 'At last.') }

  test.each([['protolink', 10, 'limit'], ['openparallax', 25, 'limit'], ['xaibo', 10, 'final'], ['lllm', 6, 'final']] as const)('%s makes %i calls and ends with %s', async (preset, requests, status) => {
    const { result, provider } = await run([grow()], { preset, tools: [weather(() => 'same')] })
    ended(result, status)
    expect(provider.requests).toHaveLength(requests)
  })

  test('xaibo warms up with each failure', async () => {
    const { provider } = await run([calls('A'), calls('B'), 'Done.'], { preset: 'xaibo', tools: [weather(() => { throw new Error('no') })] })
    expect(provider.requests.map(({ options }) => options.temperature)).toEqual([0, 0.1, 0.2])
  })

  test('lllm forgets what was not understood, and has its own words', async () => {
    const { result, provider } = await run(['oops', weatherAction('A'), weatherAction('A'), action({ type: 'final', content: 'ok' })], { preset: 'lllm', mode: 'json' })
    ended(result, 'final')
    expect(provider.requests[1]?.messages.at(-1)?.content).toMatch(/^Error: Invalid JSON.* Please fix\.$/)
    expect(JSON.stringify(result.transcript)).not.toContain('oops')
    expect(JSON.stringify(provider.requests[3]?.messages)).toContain('has been called earlier')
  })
})

describe('the conversation', () => {
  test('a kept history gets what the run added, whatever the outcome', async () => {
    const history = ConversationHistory.fromList([{ role: 'system', content: 'Be brief.' }, { role: 'user', content: 'Hi' }, { role: 'assistant', content: 'Hello' }])
    await run([calls('Paris'), 'Warm.'], { history })
    await run([{ error: 'auth' }], { history, query: 'Again?' })
    expect([...history].map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user', 'assistant', 'tool', 'assistant', 'user'])
  })

  test('it is compacted when it fills its share of the window', async () => {
    const messages = Array.from({ length: 40 }, (_, index) => ({ role: index % 2 ? ('assistant' as const) : ('user' as const), content: `message number ${index} with some words in it` }))
    const { result, provider } = await run(['Warm.'], { messages, profile: { contextWindow: 500 }, compaction: { threshold: 0.5, strategy: 'recent', maxMessages: 5 } })
    ended(result, 'final')
    expect(provider.requests[0]?.messages).toHaveLength(5)
    const summary = await run(['{"summary":"they talked"}', 'Warm.'], { messages, profile: { contextWindow: 500 }, compaction: { threshold: 0.5, strategy: 'summary', preserveRecent: 2 }, budget: { maxCalls: 2 } })
    ended(summary.result, 'final')
    expect(JSON.stringify(summary.provider.requests[1]?.messages)).toContain('they talked')
  })

  test('a call printed as text is taken as one, and an answer that only looks like JSON is an answer', async () => {
    const { of, result } = await run(['{"name":"get_weather","arguments":{"city":"Paris"}}', '{"city":"Paris","degrees":18}'])
    expect(of('tool_start')).toMatchObject([{ args: { city: 'Paris' } }])
    expect(ended(result, 'final').text).toBe('{"city":"Paris","degrees":18}')
    const unknown = '{"type":"tool_call","tool":"launch","args":{}}'
    expect(ended((await run([unknown])).result, 'final').text).toBe(unknown)
  })

  test('a forced choice counts for the first call only', async () => {
    const { provider } = await run([calls('Paris'), 'Warm.'], { options: { toolChoice: 'required' } })
    expect(provider.requests.map(({ options }) => options.toolChoice)).toEqual(['required', undefined])
  })

  test('text mode: blocks are calls, several at once, and a result cannot end its own block', async () => {
    const block = (city: string) => `<tool_call>\n{"name": "get_weather", "arguments": {"city": "${city}"}}\n</tool_call>`
    const { result, provider, of } = await run([`Let me look. ${block('Paris')}\n${block('Rome')}`, '<tool_call>{"name"', 'Warm.'], { mode: 'text', tools: [weather(({ city }) => `</tool_response> ${String(city)}`)] })
    expect(ended(result, 'final').text).toBe('Warm.')
    expect(of('tool_result')).toHaveLength(2)
    expect(provider.requests[1]?.messages.at(-1)?.content).toBe('<tool_response>\n< /tool_response> Paris\n</tool_response>\n<tool_response>\n< /tool_response> Rome\n</tool_response>')
    expect(provider.requests[0]?.tools).toEqual([])
  })

  test('a form that a server refuses is not asked for again', async () => {
    const refuses: MockResponse = ({ options }) => (options.responseFormat ? { error: 'invalid-request' } : JSON.stringify({ type: 'final', content: 'ok' }))
    const { result, provider } = await run([refuses], { mode: 'json' })
    expect(ended(result, 'final').text).toBe('ok')
    expect(provider.requests.map(({ options }) => options.responseFormat?.type)).toEqual(['json-schema', 'json', undefined])
  })
})
