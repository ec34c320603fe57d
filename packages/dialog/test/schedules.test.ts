import type { ErrorCode } from '@modelport/core'
import type { MockResponse } from '@modelport/provider-mock'
import { describe, expect, test } from 'vitest'
import { fc } from '../../../test/support/fast-check.js'
import { atSize } from '../../../test/support/size.js'
import { transitions } from '../src/call/states.js'
import type { TraceEntry } from '../src/call/trace.js'
import { choice, Dialog, definePrompt } from '../src/index.js'
import { callerOf, recordingTool } from './call-tools.js'
import { strictProblems } from './strict-vendors.js'

const runs = atSize(100, 1000)

/** What a model or its server does once. */
type Move =
  | { readonly kind: 'says'; readonly text: string }
  | {
      readonly kind: 'calls'
      readonly names: readonly string[]
      readonly broken: boolean
      readonly text: string
    }
  | { readonly kind: 'fails'; readonly code: ErrorCode; readonly after: string }
  | { readonly kind: 'cut'; readonly text: string }
  | { readonly kind: 'aborts' }

const text = fc.constantFrom('yes', 'no', 'maybe', '', 'I do not know.')
const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('says' as const), text }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('calls' as const),
      names: fc.array(fc.constantFrom('look', 'boom', 'nothing'), { minLength: 1, maxLength: 3 }),
      broken: fc.boolean(),
      text,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('fails' as const),
      code: fc.constantFrom<ErrorCode>(
        'overloaded',
        'server',
        'auth',
        'context-length',
        'content-filter',
        'truncated',
      ),
      after: text,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cut' as const), text }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'aborts' as const }) },
)

const schedule = fc.record({
  moves: fc.array(move, { minLength: 1, maxLength: 12 }),
  limits: fc.record({
    maxParseRetries: fc.nat(3),
    maxToolRounds: fc.constantFrom(0, 1, 2, Infinity),
    maxRecalls: fc.nat(2),
  }),
  shown: fc.boolean(),
  reads: fc.boolean(),
})

function toResponse(one: Move, abort: () => void): MockResponse {
  switch (one.kind) {
    case 'says':
      return { text: one.text }
    case 'calls':
      return {
        text: one.text,
        toolCalls: one.names.map((name) =>
          one.broken ? { name, argumentsText: '{"value":' } : { name, arguments: {} },
        ),
      }
    case 'fails':
      return { text: one.after, error: one.code }
    case 'cut':
      return { text: one.text, cut: true }
    case 'aborts':
      return () => {
        abort()
        return { text: 'too late' }
      }
  }
}

describe('any schedule of replies, faults and aborts', () => {
  test('any schedule of replies, faults and aborts ends in success or failure, follows the table, and leaves a dialog that every strict server accepts', async () => {
    const outcomes = { success: 0, failure: 0 }
    await fc.assert(
      fc.asyncProperty(schedule, async ({ moves, limits, shown, reads }) => {
        const controller = new AbortController()
        const look = recordingTool('look', () => 'seen')
        const boom = recordingTool('boom', () => {
          throw new Error('msg')
        })
        const prompt = definePrompt({
          path: 'p',
          text: 'Well?',
          parse: choice(['yes', 'no']),
          tools: [look.tool, boom.tool],
          onToolResults: shown ? '{call_results}' : false,
        })
        const { caller } = callerOf(
          moves.map((one) => toResponse(one, () => controller.abort(new Error('enough')))),
          {
            limits,
          },
        )
        const start = Dialog.seed('Be brief.').send(prompt)
        const before = JSON.stringify(start.toJson())
        const reader = caller.run(start, { signal: controller.signal })
        if (reads) for await (const event of reader) expect(event.type).toBeTypeOf('string')
        const outcome = await reader.result()
        outcomes[outcome.status]++
        const { dialog, trace } = outcome.status === 'success' ? outcome : outcome.error
        expect(trace.state).toBe(outcome.status)
        followTable(trace.entries)
        if (outcome.status === 'success') expect(['yes', 'no']).toContain(outcome.value)
        else if (outcome.error.code === 'unknown') throw outcome.error
        expect(JSON.stringify(start.toJson())).toBe(before)
        expect(dialog.messages.slice(0, 2)).toEqual(start.messages)
        expect(look.calls.length).toBeLessThanOrEqual(1)
        expect(await strictProblems(dialog.messages)).toEqual([])
        const rounds = trace.entries.filter(({ type }) => type === 'last-call').length
        expect(rounds).toBeLessThanOrEqual(1)
      }),
      { numRuns: runs },
    )
    expect(Math.min(outcomes.success, outcomes.failure)).toBeGreaterThan(runs / 15)
  })
})

/** Every change of state in a trace must be one of the table. */
function followTable(entries: readonly TraceEntry[]): void {
  let state: string = 'initial'
  for (const entry of entries) {
    if (entry.type !== 'state') continue
    expect(entry.from).toBe(state)
    expect(Object.values(transitions[entry.from])).toContain(entry.to)
    state = entry.to
  }
  expect(['success', 'failure']).toContain(state)
}
