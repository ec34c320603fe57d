import type { ChatMessage } from '@modelport/core'
import { createMock, type MockResponse } from '@modelport/provider-mock'
import { describe, expect, test } from 'vitest'
import { runPresets } from '../../compat/src/presets.js'
import { toWireEvents } from '../../compat/src/protolink-events.js'
import {
  ConversationHistory,
  compact,
  createMemoryJournal,
  defineTool,
  type InferRequest,
  infer,
  inferStream,
  type RunEvent,
} from '../src/index.js'

const { lllm } = runPresets

const talk = (pairs: number): ChatMessage[] =>
  Array.from({ length: pairs * 2 }, (_, index) => ({
    role: index % 2 ? ('assistant' as const) : ('user' as const),
    content: `message ${index}`,
  }))
const tooLong: MockResponse = { error: 'context-length' }
/** Refuses conversations of more than so many messages, as a server does. */
const upTo =
  (most: number, then: MockResponse): MockResponse =>
  ({ messages }) =>
    (messages.length > most ? tooLong : then) as never

async function run(responses: readonly MockResponse[], request: Partial<InferRequest> = {}) {
  const events: RunEvent[] = []
  const provider = createMock({ responses })
  const result = await infer(provider, {
    messages: talk(10),
    query: 'Is it warm?',
    observe: { onEvent: (event) => void events.push(event) },
    ...request,
  })
  return {
    result,
    events,
    lengths: provider.requests.map(({ messages }) => messages.length),
    compactions: events.filter(({ type }) => type === 'context-compacted'),
    provider,
  }
}

describe('a conversation that the server finds too long', () => {
  test('a conversation that the server finds too long ends the run when nobody asked for compaction', async () => {
    const { result, lengths, compactions } = await run([tooLong, 'never'])
    expect(result).toMatchObject({ status: 'failed', error: { code: 'context-length' } })
    expect([lengths, compactions]).toEqual([[21], []])
  })

  test('a conversation that the server finds too long is compacted, reported, and sent once more', async () => {
    const { result, lengths, compactions, events } = await run(
      [upTo(8, 'Warm.'), upTo(8, 'Warm.')],
      {
        limits: { compaction: { maxMessages: 8 } },
      },
    )
    expect(result).toMatchObject({ status: 'final', text: 'Warm.', steps: 1 })
    expect(lengths).toEqual([21, 8])
    expect(compactions).toMatchObject([
      {
        reason: 'context-length',
        step: 1,
        report: {
          strategy: 'recent',
          beforeMessages: 21,
          afterMessages: 8,
          removedMessages: 13,
          changed: true,
        },
      },
    ])
    expect(events.filter(({ type }) => type === 'model-error')).toMatchObject([
      { code: 'context-length', recoverable: true },
    ])
    expect(toWireEvents(compactions[0]!)[0]).toMatchObject({
      type: 'context_compacted',
      reason: 'context-length',
      report: { before_messages: 21 },
    })
    expect(result.transcript).toHaveLength(9)
  })

  test('a conversation is compacted once a call, and one that is still too long ends the run', async () => {
    const { result, lengths } = await run([tooLong, tooLong, 'never'], {
      limits: { compaction: { maxMessages: 8 } },
    })
    expect(result).toMatchObject({ status: 'failed', error: { code: 'context-length' } })
    expect(lengths).toEqual([21, 8])
  })

  test.each<[string, NonNullable<InferRequest['limits']>['compaction'], number[]]>([
    [
      'not where it is switched off',
      { threshold: 0.9, maxMessages: 8, onContextLength: false },
      [21],
    ],
    ['not where nothing can go', { maxMessages: 30 }, [21]],
    [
      'with settings of its own',
      { threshold: 0.9, maxMessages: 15, onContextLength: { strategy: 'recent', maxMessages: 3 } },
      [21, 3],
    ],
    ['with those of the automatic one', { threshold: 0.9, maxMessages: 15 }, [21, 15]],
  ])(
    'a conversation that the server finds too long is compacted %s',
    async (_, compaction, expected) => {
      const { lengths } = await run(
        [tooLong, 'Warm.'],
        compaction ? { limits: { compaction } } : {},
      )
      expect(lengths).toEqual(expected)
    },
  )

  test('nothing is said twice: a reply that has begun is not requested again', async () => {
    const { result, lengths } = await run([{ text: ['It is'], error: 'context-length' }, 'never'], {
      limits: { compaction: { maxMessages: 8 } },
    })
    expect(result).toMatchObject({ status: 'failed', error: { code: 'context-length' } })
    expect(lengths).toEqual([21])
  })

  test('the budget pays for the call that is made again, and for a summary', async () => {
    const one = await run([tooLong, 'Warm.'], {
      limits: { compaction: { maxMessages: 8 }, budget: { maxCalls: 1 } },
    })
    expect(one.result).toMatchObject({
      status: 'budget',
      decision: { limit: 'maxCalls', observed: 2, maximum: 1 },
    })
    expect(one.lengths).toEqual([21])
    const summary = { strategy: 'summary', preserveRecent: 2 } as const
    const refused = await run([tooLong, 'They talked.', 'Warm.'], {
      limits: { compaction: summary, budget: { maxCalls: 1 } },
    })
    expect([refused.result.status, refused.lengths]).toEqual(['budget', [21]])
    const short = await run([tooLong, 'They talked.', 'Warm.'], {
      limits: { compaction: summary, budget: { maxCalls: 2 } },
    })
    expect([short.result.status, short.lengths]).toEqual(['budget', [21, 2]])
    const paid = await run([tooLong, 'They talked.', 'Warm.'], {
      limits: { compaction: summary, budget: { maxCalls: 3 } },
    })
    expect(paid.result).toMatchObject({ status: 'final', text: 'Warm.' })
    expect(JSON.stringify(paid.provider.requests[2]?.messages[0])).toContain('They talked.')
  })

  test('the metrics and the usage of the run have the call of the summary', async () => {
    const profile = { prices: { input: 10, output: 10 } }
    const { result } = await run(
      [tooLong, { text: 'They talked.', usage: { inputTokens: 100, outputTokens: 20 } }, 'Warm.'],
      { limits: { compaction: { strategy: 'summary', preserveRecent: 2 }, profile } },
    )
    const { calls, totalCost } = result.metrics
    expect(calls.map(({ kind, error }) => kind ?? error ?? 'reply')).toEqual([
      'context-length',
      'summary',
      'reply',
    ])
    expect(calls[1]).toMatchObject({
      usage: { inputTokens: 100, outputTokens: 20, source: 'provider' },
      cost: { totalCost: 0.0012 },
    })
    expect(totalCost).toBe(calls.reduce((sum, { cost }) => sum + (cost?.totalCost ?? 0), 0))
    expect(result.usage.inputTokens).toBeGreaterThanOrEqual(100)
  })

  test('the metrics have the call of a summary that failed, and that of one which was recorded', async () => {
    const compaction = { strategy: 'summary', preserveRecent: 2 } as const
    const failed = await run([tooLong, { error: 'invalid-request' }], { limits: { compaction } })
    expect(failed.result.metrics.calls).toMatchObject([
      { error: 'context-length' },
      { kind: 'summary', error: 'invalid-request' },
    ])

    const journal = createMemoryJournal()
    const controller = new AbortController()
    const usage = { inputTokens: 100, outputTokens: 20 }
    await run([tooLong, { text: 'They talked.', usage }, 'never'], {
      limits: { compaction },
      durable: {
        runId: 'r',
        journal: {
          ...journal,
          // The process ends right after the summary is stored.
          writeReceipt: (receipt) => {
            void journal.writeReceipt(receipt)
            if (receipt.kind === 'summary') controller.abort(new Error('the process ends'))
          },
        },
      },
      signal: controller.signal,
    })
    const stored = journal.load('r')
    if (!stored) throw new Error('the journal does not know the run')
    const second = createMock({ responses: ['Warm.'] })
    const { messages, resume } = stored
    const result = await infer(second, {
      messages,
      limits: { compaction },
      durable: { resume, journal },
    })
    expect(result).toMatchObject({ status: 'final', text: 'Warm.' })
    expect(result.metrics.calls).toMatchObject([
      { error: 'context-length' },
      { kind: 'summary', usage: { inputTokens: 100 } },
      { usage: {} },
    ])
    expect(second.requests).toHaveLength(1)
  })

  test('a summary that fails leaves the conversation, and the first error stands', async () => {
    const { result, events } = await run([tooLong, { error: 'invalid-request' }, 'never'], {
      limits: { compaction: { strategy: 'summary', preserveRecent: 2 } },
    })
    expect(result).toMatchObject({ status: 'failed', error: { code: 'context-length' } })
    expect(result.transcript).toHaveLength(21)
    expect(events.filter(({ type }) => type === 'model-error')).toMatchObject([
      { code: 'context-length', recoverable: true },
      { code: 'compaction', recoverable: true },
      { code: 'context-length', recoverable: false },
    ])
  })

  test('a summary that is empty is named in the warnings of the result', async () => {
    const { result } = await run([tooLong, '{"summary": ""}'], {
      limits: { compaction: { strategy: 'summary', preserveRecent: 2 } },
    })
    expect(result.details.warnings).toEqual([
      'the conversation stays as it was: compaction: the summary is empty; nothing was compacted',
    ])
  })

  test('in the middle of a run no call loses its results, and the task stays', async () => {
    const look = defineTool({
      name: 'look',
      description: 'Looks',
      parameters: { type: 'object' },
      execute: ({ at }) => `found ${String(at)}`,
    })
    const calls = (...places: number[]): MockResponse => ({
      toolCalls: places.map((at) => ({ id: `c${at}`, name: 'look', arguments: { at } })),
    })
    for (const maxMessages of [5, 6, 7]) {
      const { result, provider, lengths } = await run(
        [calls(1, 2), calls(3, 4), calls(5), upTo(7, 'Found.'), upTo(7, 'Found.')],
        { tools: [look], limits: { compaction: { maxMessages } } },
      )
      expect(result.status).toBe('final')
      expect(lengths).toHaveLength(5)
      const sent = provider.requests[4]?.messages ?? []
      const asked = sent.flatMap((message) =>
        message.role === 'assistant' ? (message.toolCalls ?? []).map(({ id }) => id) : [],
      )
      expect(
        sent.flatMap((message) => (message.role === 'tool' ? [message.toolCallId] : [])),
      ).toEqual(asked)
      expect(sent.some(({ content }) => content === 'Is it warm?')).toBe(true)
      expect(sent.length).toBeLessThanOrEqual(maxMessages)
    }
  })

  test('an abort while it is compacted cancels the run', async () => {
    const controller = new AbortController()
    const { result } = await run(
      [
        tooLong,
        () => {
          controller.abort(new Error('stop'))
          return 'late'
        },
      ],
      {
        limits: { compaction: { strategy: 'summary', preserveRecent: 2 } },
        signal: controller.signal,
      },
    )
    expect(result).toMatchObject({ status: 'cancelled', reason: { message: 'stop' } })
  })

  test('the reader of events behaves the same', async () => {
    const reader = inferStream(createMock({ responses: [tooLong, 'Warm.'] }), {
      messages: talk(10),
      query: 'Is it warm?',
      limits: { compaction: { maxMessages: 8 } },
    })
    const types: string[] = []
    for await (const { type } of reader) types.push(type)
    expect(
      types.filter((type) => type === 'context-compacted' || type === 'model-call-start'),
    ).toEqual(['model-call-start', 'context-compacted', 'model-call-start'])
    expect((await reader.result()).status).toBe('final')
  })
})

test.each(['json', 'text'] as const)(
  'in mode %s a result stays with its call, and it is not taken for the task',
  async (mode) => {
    const call = (at: number): MockResponse =>
      mode === 'json'
        ? `{"type":"tool_call","tool":"look","args":{"at":${at}}}`
        : `<tool_call>{"name":"look","arguments":{"at":${at}}}</tool_call>`
    const look = defineTool({
      name: 'look',
      description: 'Looks',
      parameters: { type: 'object' },
      execute: ({ at }) => `found ${String(at)}`,
    })
    const { provider, lengths } = await run([call(1), call(2), call(3), tooLong, 'never mind'], {
      mode,
      tools: [look],
      limits: { maxSteps: 4, compaction: { maxMessages: 4 } },
    })
    expect(lengths).toEqual([22, 24, 26, 28, 4])
    const sent = (provider.requests[4]?.messages ?? []).map(({ role }) => role)
    expect(sent).toEqual(['system', 'user', 'assistant', 'user'])
    expect(JSON.stringify(provider.requests[4]?.messages)).toMatch(/Is it warm\?.*"at.*found 3/)
  },
)

test.each(['json', 'text', 'native'] as const)(
  'in mode %s a correction is not taken for the task, whatever it says',
  async (mode) => {
    const look = defineTool({
      name: 'look',
      description: 'Looks',
      parameters: { type: 'object' },
      execute: () => 'found',
    })
    const wrong = mode === 'native' ? 'Warm.' : mode === 'json' ? '{"type":"tool' : '<tool_call>{'
    const { provider, result, events } = await run(
      [wrong, wrong, tooLong, upTo(6, '{"type":"final","content":"{\\"warm\\":true}"}'), 'never'],
      {
        mode,
        tools: [look],
        limits: {
          maxParseFailures: 9,
          maxSteps: 4,
          compaction: { maxMessages: 4 },
          preset: { parseFailureText: 'Once more: {error_message}' },
        },
        outputSchema: { type: 'object', properties: { warm: { type: 'boolean' } } },
      },
    )
    const sent = provider.requests[3]?.messages ?? []
    expect(sent.map(({ content }) => content)).toContain('Is it warm?')
    expect(JSON.stringify(sent.at(-1))).toContain('Once more: ')
    expect(sent).toHaveLength(4)
    expect(result.status).not.toBe('failed')
    const prepared = events.flatMap((event) =>
      event.type === 'context-prepared' ? [event.manifest.userTokens] : [],
    )
    expect(new Set(prepared)).toEqual(new Set([prepared[0]]))
    expect(prepared[0]).toBeGreaterThan(0)
  },
)

test.each(['json', 'text'] as const)(
  'in mode %s a question that begins like a result is still a question, and a result stays one when the conversation was stored',
  async (mode) => {
    const call: MockResponse =
      mode === 'json'
        ? '{"type":"tool_call","tool":"look","args":{}}'
        : '<tool_call>{"name":"look","arguments":{}}</tool_call>'
    const look = defineTool({
      name: 'look',
      description: 'Looks',
      parameters: { type: 'object' },
      execute: () => 'found',
    })
    const final = (text: string): MockResponse =>
      mode === 'json' ? `{"type":"final","content":"${text}"}` : text
    const wrong: MockResponse = mode === 'json' ? '{"type":"tool' : '<tool_call>{'
    const { result } = await run([call, wrong, final('There.')], {
      mode,
      tools: [look],
      messages: [],
    })
    const stored: unknown = JSON.parse(
      JSON.stringify(ConversationHistory.fromList(result.transcript)),
    )
    const history = ConversationHistory.fromJson(stored)
    expect(history.toList()).toEqual(result.transcript)
    await compact(history, { maxMessages: 5 }, { estimate: (text) => text.length })
    expect(history.toList().map(({ content }) => content)).toContain('Is it warm?')

    const pasted =
      mode === 'json'
        ? '{"type":"tool_result","tool":"look","result":"found"} is what I see. Why?'
        : '<tool_response>\nfound\n</tool_response> is what I see. Why?'
    const { provider } = await run([call, tooLong, final('So.')], {
      mode,
      tools: [look],
      query: pasted,
      limits: { compaction: { maxMessages: 3 } },
    })
    expect(provider.requests.at(-1)?.messages.map(({ content }) => content)).toEqual([
      expect.anything(),
      pasted,
      expect.anything(),
      expect.anything(),
    ])
  },
)

test('what is said with the last call is not taken for the task either', async () => {
  const look = defineTool({
    name: 'look',
    description: 'Looks',
    parameters: { type: 'object' },
    execute: () => 'found',
  })
  const call = (at: number): MockResponse => ({ toolCalls: [{ name: 'look', arguments: { at } }] })
  const { provider } = await run([call(1), call(2), tooLong, 'Warm.'], {
    tools: [look],
    limits: { maxSteps: 2, compaction: { maxMessages: 4 }, preset: { lastCallText: 'The end.' } },
  })
  expect(provider.requests.at(-1)?.messages.map(({ content }) => content)).toEqual([
    'Is it warm?',
    '',
    'found',
    'The end.',
  ])
})

test('compaction at the threshold is reported too; rejected replies are still removed afterwards', async () => {
  const { compactions, result } = await run(['oops', '{"type":"final","content":"ok"}'], {
    mode: 'json',
    limits: {
      preset: lllm,
      profile: { contextWindow: 4000 },
      compaction: { threshold: 0.01, maxMessages: 8 },
    },
  })
  expect(compactions).toMatchObject([
    { reason: 'threshold', report: { beforeMessages: 21, afterMessages: 8 } },
    { reason: 'threshold' },
  ])
  expect(result).toMatchObject({ status: 'final', text: 'ok' })
  expect(JSON.stringify(result.transcript)).not.toContain('oops')
  expect(JSON.stringify(result.transcript)).not.toContain('Please fix')
})
