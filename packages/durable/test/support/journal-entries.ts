// Entries as the loop writes them, for tests that drive a journal by hand.
import type { RunCheckpoint, RunIntent, RunReceipt, RunResult } from '@modelport/runtime'

const base = (key: string, id: string) => ({
  key,
  runId: id,
  step: 1,
  attempt: 1,
  at: 0,
  seq: 0,
  budget: { spent: {}, elapsedMs: 0, warned: [] },
})

export const toolIntent = (id: string, index: number): RunIntent => ({
  ...base(`${id}/1/tool/${index}`, id),
  entry: 'intent',
  kind: 'tool',
  callId: `call-${index}`,
  action: { type: 'tool_call', tool: 'pay', args: {} },
  idempotencyKey: `${id}/1/${index}`,
  effect: 'once',
})

export const toolReceipt = (id: string, index: number): RunReceipt => ({
  ...base(`${id}/1/tool/${index}`, id),
  entry: 'receipt',
  kind: 'tool',
  callId: `call-${index}`,
  outcome: { status: 'ok', content: 'paid', latencyMs: 1 },
})

export const checkpoint = (
  id: string,
  step: number,
  pending: RunCheckpoint['pending'] = [],
): RunCheckpoint =>
  ({
    version: 1,
    runId: id,
    step,
    phase: 'step',
    transcript: { length: 0, digest: '' },
    entries: [],
    pending,
    seq: 0,
  }) as unknown as RunCheckpoint

export const finalResult = (text: string): RunResult =>
  ({
    status: 'final',
    content: text,
    text,
    transcript: [{ role: 'assistant', content: text }],
  }) as unknown as RunResult
