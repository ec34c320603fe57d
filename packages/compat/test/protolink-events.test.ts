import type { RunEvent } from '@modelport/runtime'
import { describe, expect, test } from 'vitest'
import { calls, run, weather } from '../../runtime/test/weather-run.js'
import { toWireEvents } from '../src/protolink-events.js'

const wireOf = (events: readonly RunEvent[]) =>
  events
    .flatMap(toWireEvents)
    .map((event) => JSON.parse(JSON.stringify(event)) as Record<string, unknown>)

/** The fields of each type, as Protolink has them. */
const fieldsOf = (events: readonly Record<string, unknown>[], type: string) =>
  Object.keys(events.find((event) => event['type'] === type) ?? {}).sort()

describe('events in the form of Protolink', () => {
  test('a run gives the names of Protolink in its order', async () => {
    const { events } = await run([calls('Paris', 'Rome'), 'Warm in both.'], {
      durable: { runId: 'run_7' },
    })
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
    expect(wire.every((event) => event['run_id'] === 'run_7' && event['step'] !== undefined)).toBe(
      true,
    )
  })

  test('every event has the fields of Protolink, and few more', async () => {
    const profile = { contextWindow: 1000, prices: { input: 3, output: 15 } }
    const authorize = () => ({ effect: 'deny', reason: 'no' }) as const
    const wire = wireOf([
      ...(await run([calls('Paris'), 'Warm.'], { limits: { profile } })).events,
      ...(await run([calls('Paris'), 'Warm.'], { authorize })).events,
      ...(await run([calls('Paris'), calls('Paris'), 'Warm.'], {})).events,
      ...(await run([calls(3), 'Warm.'], { tools: [weather()] })).events,
      ...(await run(['Warm.'], { limits: { budget: { maxCalls: 1 } } })).events,
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
      llm_call_completed: [...call, 'attempts', 'budget', 'latency_ms', 'metrics'],
      llm_response: ['content', 'metadata', 'metrics', 'native', 'streaming'],
      llm_action: ['action', 'payload'],
      llm_final: ['content', 'final'],
      action_requested: ['action'],
      policy_decision: ['action_id', 'decision'],
      action_denied: ['action_id', 'message'],
      llm_retry: ['action', 'payload', 'reason'],
      tool_start: ['action_id', 'args', 'tool'],
      tool_result: ['action_id', 'args', 'latency_ms', 'result', 'tool'],
      budget_warning: ['decision'],
    }
    for (const [type, fields] of Object.entries(expected))
      expect([type, fieldsOf(wire, type)]).toEqual([type, [...shared, ...fields].sort()])
  })

  test('a requested action is written as a RunAction, with the arguments as they are', () => {
    const base = {
      type: 'action-requested',
      runId: 'r',
      step: 1,
      seq: 1,
      at: 0,
      actionId: 'c',
    } as const
    const args = { someKey: 1 }
    const actionOf = (action: Extract<RunEvent, { type: 'action-requested' }>['action']) =>
      toWireEvents({ ...base, action })[1]?.['action']
    expect(actionOf({ type: 'tool_call', tool: 't', args })).toEqual({
      action_id: 'c',
      kind: 'tool.call',
      name: 't',
      payload: { arguments: args },
    })
    expect(actionOf({ type: 'agent_call', agent: 'poet', action: 'infer', prompt: 'p' })).toEqual({
      action_id: 'c',
      kind: 'agent.call',
      name: 'poet',
      payload: { action: 'infer', prompt: 'p' },
    })
    expect(
      actionOf({ type: 'agent_call', agent: 'clerk', action: 'tool_call', tool: 't', args }),
    ).toMatchObject({
      payload: { action: 'tool_call', tool: 't', arguments: args },
    })
  })

  test('decisions about a budget have the names and units of Protolink', () => {
    const base = { type: 'budget-decision', runId: 'r', step: 1, seq: 1, at: 0 } as const
    const decision = {
      limit: 'maxRuntimeMs',
      effect: 'warn',
      observed: 1500,
      maximum: 1600,
    } as const
    expect(toWireEvents({ ...base, decision })).toMatchObject([
      {
        type: 'budget_warning',
        decision: {
          effect: 'warn',
          limit_name: 'max_runtime_seconds',
          observed: 1.5,
          limit: 1.6,
          message: 'Run budget warning: max_runtime_seconds observed 1.5 near limit 1.6',
        },
      },
    ])
    const refused = { limit: 'maxCalls', effect: 'deny', observed: 2, maximum: 1 } as const
    expect(toWireEvents({ ...base, decision: refused })).toMatchObject([
      { type: 'budget_exceeded', decision: { limit_name: 'max_llm_calls', observed: 2, limit: 1 } },
    ])
    const other = { ...refused, limit: 'maxToolCalls' } as const
    expect(toWireEvents({ ...base, decision: other })).toMatchObject([
      { decision: { limit_name: 'max_tool_calls' } },
    ])
  })

  test('what JSON cannot express is described, and the values of the application keep their names', () => {
    const base = { runId: 'r', step: 1, seq: 1, at: 0, actionId: 'c', tool: 't', latencyMs: 1 }
    const [event] = toWireEvents({ type: 'tool-result', ...base, args: { someKey: 1 }, result: 1n })
    expect(event).toMatchObject({
      args: { someKey: 1 },
      result: expect.stringContaining('not JSON') as string,
    })
  })

  test('events in the form of Protolink retries and approvals have both of their events', () => {
    const base = { runId: 'r', step: 1, seq: 1, at: 0 }
    const types = (event: RunEvent) => toWireEvents(event).map(({ type }) => type)
    expect(
      types({ type: 'policy-decision', ...base, actionId: 'c', effect: 'require-approval' }),
    ).toEqual(['policy_decision', 'approval_required'])
    expect(types({ type: 'approval-decision', ...base, actionId: 'c', approved: false })).toEqual([
      'approval_decision',
      'action_denied',
    ])
    expect(types({ type: 'approval-decision', ...base, actionId: 'c', approved: true })).toEqual([
      'approval_decision',
    ])
    expect(
      toWireEvents({
        type: 'policy-decision',
        ...base,
        actionId: 'c',
        effect: 'require-approval',
        reason: 'money',
      }),
    ).toMatchObject([
      { decision: { effect: 'require_approval', reason: 'money' } },
      { request: { request_id: 'c', reason: 'money' } },
    ])
    expect(
      toWireEvents({ type: 'approval-decision', ...base, actionId: 'c', approved: false }),
    ).toMatchObject([
      { action_id: 'c', decision: { approved: false, request_id: 'c' } },
      { action_id: 'c', message: 'approval was refused' },
    ])
    const retry = {
      attempt: 1,
      nextAttempt: 2,
      retryInSeconds: 0.5,
      errorType: 'server',
      message: 'no',
    }
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
