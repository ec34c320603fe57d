import { isLlmError } from '@modelport/core'
import { createMock, type MockResponse } from '@modelport/provider-mock'
import { describe, expect, test } from 'vitest'
import { type AgentTarget, BudgetLedger, infer } from '../src/index.js'
import { action, calls, ended, roles, run, weather, weatherAction } from './weather-run.js'

describe('guards', () => {
  const tool = { tools: [weather(() => Math.random())] }

  test.each([5, 4])(
    'after %i other actions a call may be made again when the window is 5',
    async (others) => {
      const cities = ['A', 'B', 'C', 'D', 'E', 'F'].slice(0, others + 1)
      const { of } = await run([...cities.map((city) => calls(city)), calls('A'), 'Done.'], tool)
      expect(of('tool-start')).toHaveLength(others + 1 + (others === 5 ? 1 : 0))
    },
  )

  test('a call that failed may be tried again, and a tool that may repeat does', async () => {
    let tries = 0
    const failing = weather(() => {
      if (tries++ === 0) throw new Error('later')
      return 'now'
    })
    const { of } = await run([calls('A'), calls('A'), calls('A'), 'Done.'], { tools: [failing] })
    expect([
      of('tool-error').length,
      of('tool-result').length,
      of('action-repeated').length,
    ]).toEqual([1, 1, 1])
    const polled = await run([calls('A'), calls('A'), 'Done.'], {
      ...tool,
      limits: { repeatableTools: ['get_weather'] },
    })
    expect(polled.of('tool-result')).toHaveLength(2)
    const waiting = await run([...Array.from({ length: 8 }, () => calls('A')), 'Done.'], {
      tools: [weather(() => 'pending')],
      limits: { repeatableTools: ['get_weather'] },
    })
    expect(ended(waiting.result, 'final').steps).toBe(9)
  })

  test('a call that one step makes twice runs once', async () => {
    const { of, result } = await run([calls('A', 'A'), 'Done.'], tool)
    expect(of('tool-start')).toHaveLength(1)
    expect(roles(result)).toEqual(['user', 'assistant', 'tool', 'tool', 'assistant'])
  })

  test('nothing but repeats ends the run', async () => {
    const { result, of } = await run([calls('A')], tool)
    expect(ended(result, 'limit')).toMatchObject({ limit: 'repeats', steps: 4 })
    expect(of('tool-start')).toHaveLength(1)
  })

  test('failures, and results that are known, end the run', async () => {
    let city = 0
    const grow: MockResponse = () => ({
      toolCalls: [{ name: 'get_weather', arguments: { city: 'x'.repeat(++city) } }],
    })
    expect(
      ended((await run([grow], { tools: [weather(() => 'nothing')] })).result, 'limit'),
    ).toMatchObject({
      limit: 'no-progress',
      steps: 5,
    })
    expect(
      ended(
        (
          await run([grow], {
            tools: [
              weather(() => {
                throw new Error('no')
              }),
            ],
          })
        ).result,
        'limit',
      ),
    ).toMatchObject({ limit: 'no-progress', steps: 4 })
  })

  test('ten steps are the most', async () => {
    let city = 0
    const { result, provider } = await run(
      [() => ({ toolCalls: [{ name: 'get_weather', arguments: { city: `c${city++}` } }] })],
      tool,
    )
    const { message, limit } = ended(result, 'limit')
    expect(limit).toBe('steps')
    expect(message).toContain(
      'Maximum inference steps (10) exceeded without producing final response',
    )
    expect(provider.requests).toHaveLength(10)
  })

  test('three rejected replies in a row end the run; two, a good one and two more do not', async () => {
    const bad = await run(['{}'], { mode: 'json' })
    expect(ended(bad.result, 'limit')).toMatchObject({ limit: 'parse-failures', steps: 3 })
    expect(
      bad
        .of('reply-rejected')
        .map(({ parseFailures, recoverable }) => [parseFailures, recoverable]),
    ).toEqual([
      [1, true],
      [2, true],
      [3, false],
    ])
    const good = await run(
      [
        'prose',
        '{}',
        weatherAction('A'),
        'prose',
        '{}',
        action({ type: 'final', content: 'Warm.' }),
      ],
      { mode: 'json' },
    )
    expect(ended(good.result, 'final').text).toBe('Warm.')
    expect(good.provider.requests.at(-1)?.messages.at(-1)?.content).toContain(
      'Action validation failed',
    )
  })

  test.each([
    { maxSteps: 0 },
    { maxParseFailures: 101 },
    { maxParseFailures: true as never },
    { repeatWindow: 1.5 },
  ])('limits %j are refused', async (limits) => {
    await expect(run(['x'], { limits })).rejects.toSatisfy((error) => isLlmError(error, 'config'))
  })

  test('an unknown limit is refused with the one that was meant', async () => {
    await expect(run(['x'], { limits: { maxstep: 4 } as never })).rejects.toThrow(
      new TypeError('infer: limits: unknown setting "maxstep"; did you mean "maxSteps"?'),
    )
  })
})

describe('budgets', () => {
  test('with a budget of one call the first call warns and is allowed, and the second is refused before the provider is asked', async () => {
    const { result, of, provider } = await run([calls('Paris'), 'Warm.'], {
      limits: { budget: { maxCalls: 1 } },
    })
    expect(ended(result, 'budget').decision).toMatchObject({
      limit: 'maxCalls',
      effect: 'deny',
      maximum: 1,
    })
    expect(
      of('budget-decision')
        .filter(({ decision }) => decision.effect === 'warn')
        .map(({ decision }) => decision.limit),
    ).toContain('maxCalls')
    expect(of('budget-decision').filter(({ decision }) => decision.effect === 'deny')).toHaveLength(
      1,
    )
    expect(provider.requests).toHaveLength(1)
    expect(roles(result)).toEqual(['user', 'assistant', 'tool'])
  })

  test('tool calls are refused before they run, and those that may run do', async () => {
    const { result, of } = await run([calls('Paris', 'Rome', 'Oslo')], {
      limits: { budget: { maxToolCalls: 2 } },
    })
    expect(ended(result, 'budget').decision.limit).toBe('maxToolCalls')
    expect(of('tool-start')).toHaveLength(2)
    expect(roles(result)).toEqual(['user', 'assistant', 'tool', 'tool', 'tool'])
  })

  test('time that runs out during a call of the model ends the run as budget, not as a failure', async () => {
    const provider = createMock({ delayMs: 200, responses: ['Warm.'] })
    const result = await infer(provider, { query: 'Hi', limits: { budget: { maxRuntimeMs: 30 } } })
    expect(ended(result, 'budget').decision).toMatchObject({
      limit: 'maxRuntimeMs',
      effect: 'deny',
      maximum: 30,
    })
    expect(provider.requests).toHaveLength(1)
  })

  test('a deadline of the application is a failure, whatever the budget has left', async () => {
    const provider = createMock({ delayMs: 200, responses: ['Warm.'] })
    const request = {
      query: 'Hi',
      limits: { budget: { maxRuntimeMs: 60_000 } },
      options: { deadlineMs: 20 },
    }
    const result = await infer(provider, request)
    expect(ended(result, 'failed').error).toMatchObject({ code: 'timeout' })
  })

  test('a reply that outgrows its room is cut, however the server counts', async () => {
    const { result, of } = await run(
      [
        {
          text: Array.from({ length: 4000 }, (_, index) => `word${index} `),
          usage: { inputTokens: 1, outputTokens: 1 },
        },
      ],
      { limits: { budget: { maxOutputTokens: 100 } } },
    )
    expect(ended(result, 'budget').decision.limit).toBe('maxOutputTokens')
    expect(of('text-delta').length).toBeLessThan(100)
    expect(result.text).toMatch(/^word0 /)
    expect(result.usage.inputTokens).toBeGreaterThan(0)
    expect(result.usage).toMatchObject({
      outputTokens: result.metrics.calls[0]?.usage.outputTokens,
      reported: false,
    })
    expect(result.usage.outputTokens).toBeGreaterThan(90)
  })

  test('an agent that runs within the run spends from the same budget', async () => {
    const ledger = new BudgetLedger({ maxCalls: 3 })
    const inner = createMock({ responses: ['inner'] })
    const helper: AgentTarget = {
      name: 'helper',
      description: 'Helps',
      call: async (request, { budget, signal }) => {
        const done = await infer(inner, {
          query: request.action === 'infer' ? request.prompt : '',
          limits: { budget },
          signal,
        })
        return done.text
      },
    }
    const delegate = (prompt: string): MockResponse => ({
      toolCalls: [{ name: 'delegate_to_agent', arguments: { agent: 'helper', prompt } }],
    })
    const { result } = await run([delegate('a'), delegate('b'), 'Done.'], {
      limits: { budget: ledger },
      agents: [helper],
    })
    ended(result, 'budget')
    expect(ledger.spent.calls).toBe(3)
    expect(inner.requests).toHaveLength(1)
  })
})
