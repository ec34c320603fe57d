import { describe, expect, test } from 'vitest'
import { type RunEvent, toWireEvents } from '../src/index.js'
import { calls, run, weather } from './weather-run.js'

const wireOf = (events: readonly RunEvent[]) =>
  events.flatMap(toWireEvents).map((event) => JSON.parse(JSON.stringify(event)) as Record<string, unknown>)

/** The fields of each type, as Protolink has them. */
const fieldsOf = (events: readonly Record<string, unknown>[], type: string) =>
  Object.keys(events.find((event) => event['type'] === type) ?? {}).sort()

describe('events in the form of Protolink', () => {
  test('a run gives the names of Protolink in its order', async () => {
    const { events } = await run([calls('Paris', 'Rome'), 'Warm in both.'], { runId: 'run_7' })
    const step = [
      'llm_step',
      'context_prepared',
      'llm_context',
      'llm_call_started',
      'llm_call_metrics',
      'llm_call_completed',
      'llm_response',
    ]
    const requested = ['llm_action', 'action_requested']
    const wire = wireOf(events)
    expect(wire.map(({ type }) => type).filter((type) => type !== 'llm_chunk')).toEqual([
      ...step,
      ...requested,
      ...requested,
      'tool_start',
      'tool_start',
      'tool_result',
      'tool_result',
      ...step,
      'llm_action',
      'llm_final',
    ])
    expect(wire.every((event) => event['run_id'] === 'run_7' && event['step'] !== undefined)).toBe(true)
  })

  test('every event has the fields of Protolink and no others', async () => {
    const profile = { contextWindow: 1000, inputCostPerMillion: 3, outputCostPerMillion: 15 }
    const authorize = () => ({ effect: 'deny', reason: 'no' }) as const
    const wire = wireOf([
      ...(await run([calls('Paris'), 'Warm.'], { profile })).events,
      ...(await run([calls('Paris'), 'Warm.'], { authorize })).events,
      ...(await run([calls('Paris'), calls('Paris'), 'Warm.'], {})).events,
      ...(await run([calls(3), 'Warm.'], { tools: [weather()] })).events,
      ...(await run(['Warm.'], { budget: { maxCalls: 1 } })).events,
    ])
    const shared = ['run_id', 'step', 'type']
    const call = ['model', 'native', 'provider', 'streaming']
    const expected: Record<string, readonly string[]> = {
      llm_step: [],
      context_prepared: ['manifest'],
      llm_context: ['provider', 'model', 'manifest', 'context'],
      llm_call_started: [...call, 'attempt', 'manifest'],
      llm_chunk: ['content', 'kind'],
      llm_call_metrics: [...call, 'context', 'cost', 'latency_ms', 'usage'],
      llm_call_completed: [...call, 'attempts', 'budget', 'latency_ms', 'metadata', 'metrics'],
      llm_response: ['content', 'native', 'finish_reason'],
      llm_action: ['action', 'payload'],
      llm_final: ['content', 'final'],
      action_requested: ['action', 'action_id', 'payload'],
      policy_decision: ['action_id', 'effect', 'reason'],
      action_denied: ['action_id', 'reason'],
      llm_retry: ['action', 'payload', 'reason'],
      tool_start: ['action_id', 'args', 'tool'],
      tool_result: ['action_id', 'args', 'latency_ms', 'result', 'tool'],
      budget_warning: ['decision'],
    }
    for (const [type, fields] of Object.entries(expected))
      expect([type, fieldsOf(wire, type)]).toEqual([type, [...shared, ...fields].sort()])
  })

  test('what JSON cannot express is described, and the values of the application keep their names', () => {
    const base = { runId: 'r', step: 1, seq: 1, at: 0, actionId: 'c', tool: 't', latencyMs: 1 }
    const [event] = toWireEvents({ type: 'tool-result', ...base, args: { someKey: 1 }, result: 1n })
    expect(event).toMatchObject({ args: { someKey: 1 }, result: expect.stringContaining('not JSON') as string })
  })

  test('retries and approvals have both of their events', () => {
    const base = { runId: 'r', step: 1, seq: 1, at: 0 }
    const types = (event: RunEvent) => toWireEvents(event).map(({ type }) => type)
    expect(types({ type: 'policy-decision', ...base, actionId: 'c', effect: 'require-approval' })).toEqual([
      'policy_decision',
      'approval_required',
    ])
    expect(types({ type: 'approval-decision', ...base, actionId: 'c', approved: false })).toEqual([
      'approval_decision',
      'action_denied',
    ])
    expect(types({ type: 'approval-decision', ...base, actionId: 'c', approved: true })).toEqual(['approval_decision'])
    const retry = { attempt: 1, nextAttempt: 2, retryInSeconds: 0.5, errorType: 'server', message: 'no' }
    expect(toWireEvents({ type: 'model-retry', ...base, ...retry })).toEqual([
      {
        type: 'llm_retry',
        attempt: 1,
        next_attempt: 2,
        retry_in_seconds: 0.5,
        error_type: 'server',
        message: 'no',
        reason: 'transient_error',
        run_id: 'r',
        step: 1,
      },
    ])
  })
})
