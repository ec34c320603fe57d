import { createMock } from '@modelport/provider-mock'
import { expect, test } from 'vitest'
import {
  BudgetLedger,
  ConversationHistory,
  compact,
  defineTool,
  generateObject,
  infer,
} from '../src/index.js'

// The compiler checks these under exactOptionalPropertyTypes, the tests that undefined means "not
// set".
const city = { type: 'object', properties: { name: { type: 'string' } } } as const

test('every optional field of a run may be undefined', async () => {
  const provider = createMock({ responses: ['Hi'] })
  const unset = undefined
  const result = await infer(provider, {
    query: 'Hello',
    messages: unset,
    history: unset,
    system: unset,
    tools: unset,
    sources: unset,
    agents: unset,
    mode: unset,
    limits: {
      maxSteps: unset,
      concurrency: 2,
      capabilities: unset,
      preset: {
        actionPrompt: unset,
        limits: { maxSteps: unset },
        options: unset,
        lastCallText: unset,
        temperaturePerFailure: unset,
      },
      budget: { maxCalls: unset, maxCost: unset, maxRuntimeMs: unset },
      profile: unset,
      compaction: { threshold: unset, onContextLength: unset, strategy: unset, maxTokens: unset },
    },
    authorize: unset,
    observe: { onEvent: unset, sink: unset, agentName: unset },
    outputSchema: unset,
    output: unset,
    afterTools: unset,
    options: unset,
    signal: unset,
    durable: {
      runId: unset,
      scope: { sessionId: unset, traceId: unset, keyPrefix: unset },
      journal: unset,
      resume: unset,
      decisions: unset,
      repeatFailed: unset,
      policyVersion: unset,
    },
  })
  expect(result).toMatchObject({ status: 'final', text: 'Hi' })
})

test('optional fields of tools, objects, ledgers and compactions may be undefined', async () => {
  const unset = undefined
  const tool = defineTool({
    name: 'look',
    description: 'Looks',
    parameters: unset,
    timeoutMs: unset,
    exclusive: unset,
    strict: unset,
    execute: () => 'seen',
  })
  expect(tool).not.toHaveProperty('timeoutMs')
  const provider = createMock({ responses: ['{"name":"Rome"}'] })
  const object = await generateObject(provider, {
    schema: city,
    prompt: 'x',
    messages: unset,
    maxAttempts: unset,
  })
  expect(object.object).toEqual({ name: 'Rome' })
  expect(
    new BudgetLedger({ maxCalls: unset }, { onDecision: unset, now: unset }).remaining().calls,
  ).toBe(Infinity)
  const history = ConversationHistory.fromList([{ role: 'user', content: 'Hi' }])
  const report = await compact(
    history,
    { strategy: unset, maxMessages: unset },
    { estimate: () => 1, signal: unset },
  )
  expect(report.strategy).toBe('recent')
})
