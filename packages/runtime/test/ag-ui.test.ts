import { verifyEvents } from '@ag-ui/client'
import { EventSchemas } from '@ag-ui/core/schemas'
import { createMock, type MockResponse } from '@modelport/provider-mock'
import { defineTool, type InferRequest, infer, type RunEvent } from '@modelport/runtime'
import { toAgUiEvents } from '@modelport/runtime/ui'
import { from, lastValueFrom, toArray } from 'rxjs'
import { describe, expect, test } from 'vitest'

const look = defineTool({ name: 'look', description: 'Looks', execute: () => ({ seen: 'a door' }) })
const turns: readonly MockResponse[] = [
  { text: 'Let me look.', reasoning: 'Hm', toolCalls: [{ name: 'look', arguments: {} }] },
  'A door.',
]

async function* each<T>(list: readonly T[]): AsyncGenerator<T, void> {
  yield* list
}
const all = async <T>(source: AsyncIterable<T>): Promise<T[]> => {
  const list: T[] = []
  for await (const one of source) list.push(one)
  return list
}

async function eventsOf(
  responses: readonly MockResponse[],
  request: Partial<InferRequest> = {},
): Promise<RunEvent[]> {
  const events: RunEvent[] = []
  const provider = createMock({ responses, defaults: { retry: { attempts: 1 } } })
  await infer(provider, {
    query: 'Hi',
    tools: [look],
    observe: { onEvent: (event) => events.push(event) },
    ...request,
  })
  return events
}
const runs: readonly [string, readonly MockResponse[], Partial<InferRequest>][] = [
  ['with a tool', turns, {}],
  ['in JSON mode', [JSON.stringify({ type: 'final', content: 'Fine.' })], { mode: 'json' }],
  ['that fails', [{ error: 'auth' }], {}],
  [
    'that waits for approval',
    turns,
    { authorize: () => ({ effect: 'require-approval', reason: 'ask' }) },
  ],
  ['with a denied call', turns, { authorize: () => ({ effect: 'deny', reason: 'no' }) }],
]

describe.each(runs)('a run %s', (_name, responses, request) => {
  test('a run is written as AG-UI events that its client accepts', async () => {
    const events = await eventsOf(responses, request)
    const written = await all(toAgUiEvents(each(events), { threadId: 't' }))
    const parsed = written.map((one) => EventSchemas.parse(one))
    const verified = await lastValueFrom(
      verifyEvents(false)(from(parsed as never[])).pipe(toArray()),
    )
    expect(verified).toHaveLength(written.length)
    expect(written[0]?.type).toBe('RUN_STARTED')
    expect(['RUN_FINISHED', 'RUN_ERROR']).toContain(written.at(-1)?.type)
  })
})

test('a run with a tool becomes messages, reasoning and a tool call', async () => {
  const written = await all(toAgUiEvents(each(await eventsOf(turns)), { threadId: 't' }))
  const types = written.map(({ type }) => type).filter((type, at, list) => type !== list[at - 1])
  expect(types).toEqual([
    'RUN_STARTED',
    'STEP_STARTED',
    'REASONING_START',
    'REASONING_MESSAGE_START',
    'REASONING_MESSAGE_CONTENT',
    'REASONING_MESSAGE_END',
    'REASONING_END',
    'TEXT_MESSAGE_START',
    'TEXT_MESSAGE_CONTENT',
    'TEXT_MESSAGE_END',
    'TOOL_CALL_START',
    'TOOL_CALL_ARGS',
    'TOOL_CALL_END',
    'TOOL_CALL_RESULT',
    'STEP_FINISHED',
    'STEP_STARTED',
    'TEXT_MESSAGE_START',
    'TEXT_MESSAGE_CONTENT',
    'TEXT_MESSAGE_END',
    'STEP_FINISHED',
    'RUN_FINISHED',
  ])
  expect(written.at(-1)).toMatchObject({ threadId: 't', outcome: { type: 'success' } })
})

test('no two messages of a thread have the same id, in several runs and in one that is resumed', async () => {
  const runs = [await eventsOf(turns), await eventsOf(turns)]
  const [first = []] = runs
  // A page reads the events of a resumed run from where it stopped.
  const rest = first.slice(first.findIndex(({ type }) => type === 'tool-result') + 1)
  const idsOf = async (events: readonly RunEvent[]) =>
    (await all(toAgUiEvents(each(events), { threadId: 't' })))
      .filter(({ type }) =>
        ['TEXT_MESSAGE_START', 'REASONING_START', 'TOOL_CALL_RESULT'].includes(type),
      )
      .map(({ messageId }) => messageId)
  const whole = await idsOf(first)
  const ids = [...whole, ...(await idsOf(runs[1] ?? []))]
  expect(ids).toHaveLength(8)
  expect(new Set(ids).size).toBe(8)
  expect(await idsOf(rest)).toEqual(whole.slice(-1))
})

test('no two calls of a thread have the same id, also where the run makes them itself', async () => {
  const action = JSON.stringify({ type: 'tool_call', tool: 'look', args: {} })
  const final = JSON.stringify({ type: 'final', content: 'A door.' })
  const ids: unknown[] = []
  for (const _ of [1, 2]) {
    const events = await eventsOf([action, final], { mode: 'json' })
    const written = await all(toAgUiEvents(each(events), { threadId: 't' }))
    const of = written.flatMap(({ type, toolCallId }) =>
      /^TOOL_CALL_(START|RESULT)$/.test(type) ? [toolCallId] : [],
    )
    expect(new Set(of).size).toBe(1)
    ids.push(of[0])
  }
  expect(new Set(ids).size).toBe(2)
})

test('a run that waits ends with an interrupt', async () => {
  const events = await eventsOf(turns, {
    authorize: () => ({ effect: 'require-approval', reason: 'ask' }),
  })
  const written = await all(toAgUiEvents(each(events), { threadId: 't' }))
  expect(written.at(-1)).toMatchObject({
    type: 'RUN_FINISHED',
    outcome: {
      type: 'interrupt',
      interrupts: [
        {
          reason: 'approval',
          message: 'ask',
          metadata: { digest: expect.stringMatching(/^[\da-f]{64}$/) as string },
        },
      ],
    },
  })
})

test('a tool that fails tells the page nothing but what onError makes of it', async () => {
  const broken = defineTool({
    name: 'look',
    description: 'Looks',
    execute: () => {
      throw new Error('connect postgres://admin:hunter2@db.internal')
    },
  })
  const events = await eventsOf(turns, { tools: [broken] })
  const plain = await all(toAgUiEvents(each(events), { threadId: 't' }))
  expect(JSON.stringify(plain)).not.toContain('hunter2')
  expect(plain.find(({ type }) => type === 'TOOL_CALL_RESULT')).toMatchObject({
    content: 'error: An error occurred.',
  })
  const told = await all(
    toAgUiEvents(each(events), { threadId: 't', onError: ({ code }) => `see ${code}` }),
  )
  expect(told.find(({ type }) => type === 'TOOL_CALL_RESULT')).toMatchObject({
    content: 'error: see tool',
  })
})

test.each([{}, { pending: [null, 1] }, { pending: [{ id: 'a', type: 'wait', expiresAt: 1e20 }] }])(
  'a damaged suspension %j ends with an interrupt',
  async (fields) => {
    const events = each([{ type: 'run-suspended', runId: 'r', ...fields } as unknown as RunEvent])
    expect((await all(toAgUiEvents(events, { threadId: 't' }))).at(-1)).toMatchObject({
      type: 'RUN_FINISHED',
      outcome: { type: 'interrupt' },
    })
  },
)
