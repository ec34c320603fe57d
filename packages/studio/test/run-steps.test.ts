import { expect, test } from 'vitest'
import { toSteps } from '../src/page/find/run-steps.js'
import type { StudioEvent } from '../src/protocol/protocol.js'

const base = { runId: 'r', step: 1, seq: 1, at: 1, attempt: 1 }

test('a later attempt of a step replaces the text of an earlier one, and a denied call has its reason as the result', () => {
  const event = (at: number, of: object): StudioEvent =>
    ({ seq: at, at, type: 'run', event: { ...base, ...of } }) as StudioEvent
  const steps = toSteps([
    event(1, { type: 'model-call-start' }),
    event(2, { type: 'text-delta', text: 'lost' }),
    event(3, { type: 'model-call-start' }),
    event(4, { type: 'text-delta', text: 'kept' }),
    event(5, {
      type: 'action-requested',
      actionId: 'a',
      action: { type: 'tool_call', tool: 'look', args: { n: 1 } },
    }),
    event(6, { type: 'tool-error', actionId: 'a', tool: 'look', args: {}, message: 'not allowed' }),
  ])
  expect(steps).toMatchObject([
    { text: 'kept', calls: [{ args: 'look {\n  "n": 1\n}', result: 'not allowed' }] },
  ])
})

test('each step has the bound of its own cost, whatever the run has', () => {
  const end = (step: number, bound?: string): StudioEvent =>
    ({
      ...{ seq: step, at: step, type: 'run' },
      event: {
        ...{ ...base, step, type: 'model-call-end' },
        metrics: { usage: {}, cost: { totalCost: 1, bound } },
      },
    }) as StudioEvent
  expect(toSteps([end(1), end(2, 'at-most')]).map(({ costBound }) => costBound)).toEqual([
    undefined,
    'at-most',
  ])
})

test('a run of a remote agent is one step with its reply, which may begin anew', () => {
  const delta = (at: number, text: string, first: boolean): StudioEvent =>
    ({
      seq: at,
      at,
      type: 'agent',
      event: { type: 'text-delta', text, first },
    }) as unknown as StudioEvent
  expect(
    toSteps([delta(1, 'draft', true), delta(2, 'The ', true), delta(3, 'end', false)]),
  ).toMatchObject([{ text: 'The end', calls: [] }])
})
