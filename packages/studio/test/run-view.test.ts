import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { LlmError, type Provider } from '@modelport/core'
import { createMock, type MockTurn } from '@modelport/provider-mock'
import { createOpenAICompatible } from '@modelport/provider-openai-compatible'
import { defineTool, type InferRequest, infer, type RunEvent } from '@modelport/runtime'
import { describe, expect, test } from 'vitest'
import { messagesBefore, messagesOf } from '../src/page/link/run-parts.js'
import { RunView } from '../src/page/link/run-view.js'
import { visible } from '../src/page/parts/visible.js'
import type { RunRecord, StudioEvent } from '../src/protocol/protocol.js'

/** The view of a run of the real loop. */
async function viewOf(provider: Provider, request: InferRequest): Promise<RunView> {
  return (await runOf(provider, request)).view
}

/** The same, with the result of the run. */
async function runOf(provider: Provider, request: InferRequest) {
  const events: RunEvent[] = []
  const result = await infer(provider, {
    ...request,
    observe: { onEvent: (event) => events.push(event) },
  })
  const view = new RunView(events[0]?.at ?? 0)
  view.add(events.map((event, index) => ({ seq: index + 1, at: event.at, type: 'run', event })))
  return { view, result }
}

describe('the view of a run', () => {
  test('the view of a run has the text of a reply once, whether it arrived in parts or whole', async () => {
    const events = (streams: boolean) => [
      { type: 'model-call-start', provider: 'p', model: 'm' },
      ...(streams ? [{ type: 'text-delta', text: 'Hello' }] : []),
      { type: 'model-call-end', metrics: { usage: {} }, native: true, text: 'Hello' },
    ]
    for (const streams of [true, false]) {
      const view = new RunView(0)
      const numbered = events(streams).map((event, at) => ({
        seq: at + 1,
        at,
        type: 'run',
        event: { step: 1, ...event },
      }))
      view.add(numbered as unknown as StudioEvent[])
      expect(view.segments).toMatchObject([{ kind: 'text', text: 'Hello' }])
    }
  })

  test('a call whose conversation was shortened shows what its request had, and what of it was new', () => {
    const about = { model: 'm', tools: [], options: {} }
    const user = (content: string) => ({ role: 'user' as const, content })
    const reply = { role: 'assistant' as const, content: 'Hi', toolCalls: [] }
    const call = (step: number) => [
      { type: 'run', event: { type: 'model-call-start', provider: 'p', model: 'm', step } },
      {
        type: 'request',
        request: [
          { same: 1, messages: [], about },
          { same: 1, messages: [reply, user('result')] },
          { same: 0, messages: [user('a summary'), user('result')] },
        ][step - 1],
      },
      { type: 'run', event: { type: 'text-delta', text: 'Hi', step } },
      { type: 'run', event: { type: 'model-call-end', metrics: { usage: {} }, step } },
    ]
    const events = [
      ...[...call(1), ...call(2)],
      { type: 'run', event: { type: 'context-compacted', step: 3 } },
      ...call(3),
    ]
    const view = new RunView(0)
    view.add(events.map((one, at) => ({ ...one, seq: at + 1, at })) as unknown as StudioEvent[])
    const record = { messages: [user('question')] } as unknown as RunRecord
    const shown = view.spans
      .filter(({ kind }) => kind === 'model')
      .map((span) => {
        const { before, sent, reply: back } = messagesOf(record, view, span)
        return [before, sent, [back]].map((list) => list.map((one) => one?.content))
      })
    expect(shown).toEqual([
      [[], ['question'], ['Hi']],
      [['question', 'Hi'], ['result'], ['Hi']],
      [[], ['a summary', 'result'], ['Hi']],
    ])
  })

  test('the view of a run names a call that is not executed because it repeats the one before', async () => {
    const call = (id: string) => ({ id, name: 'look', arguments: { at: 'moon' } })
    const responses = [{ toolCalls: [call('a')] }, { toolCalls: [call('b')] }, 'end']
    const look = defineTool({
      name: 'look',
      description: '',
      parameters: { type: 'object' },
      execute: () => 'seen',
    })
    const view = await viewOf(createMock({ responses }), { query: 'Hi', tools: [look] })
    const calls = view.segments.filter(({ kind }) => kind === 'tool')
    expect(calls).toMatchObject([
      { name: 'look', state: 'done' },
      { name: 'look', state: 'repeated', args: expect.stringContaining('moon') as string },
    ])
  })

  test('the view of a run shows what a tool reports until its result replaces it', async () => {
    const work = defineTool({
      name: 'work',
      description: 'Works',
      async *execute() {
        yield { percent: 50 }
        await new Promise((resolve) => setTimeout(resolve, 5))
        return 'done'
      },
    })
    const responses = [{ toolCalls: [{ name: 'work', arguments: {} }] }, 'end']
    const events: RunEvent[] = []
    const observe = { onEvent: (event: RunEvent) => events.push(event) }
    await infer(createMock({ responses }), { query: 'Hi', tools: [work], observe })
    const shown = events.flatMap((event, index) => {
      const view = new RunView(0)
      view.add(
        events
          .slice(0, index + 1)
          .map((one, at) => ({ seq: at + 1, at: one.at, type: 'run', event: one })),
      )
      const call = view.segments.find(({ kind }) => kind === 'tool')
      return event.type.startsWith('tool-') && call?.kind === 'tool'
        ? [[call.state, call.result]]
        : []
    })
    expect(shown.slice(-2)).toEqual([
      ['running', expect.stringContaining('50')],
      ['done', expect.stringContaining('done')],
    ])
  })

  test('the view of a run shows the wait before a request is sent again', async () => {
    let requests = 0
    const server = createServer((_request, response) => {
      requests += 1
      if (requests === 1) return response.writeHead(503, { 'retry-after': '1' }).end()
      const chunk = { choices: [{ index: 0, delta: { content: 'Hello' }, finish_reason: 'stop' }] }
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      return response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const provider = createOpenAICompatible({ baseUrl: `http://127.0.0.1:${port}/v1`, model: 'm' })
    const view = await viewOf(provider, { query: 'Hi', mode: 'native' })
    server.close()
    const retry = view.spans.find(({ kind }) => kind === 'retry')
    expect(retry).toMatchObject({ name: 'wait before attempt 2', state: 'ok' })
    expect(retry!.to! - retry!.from).toBeGreaterThanOrEqual(1000)
    expect(view.segments).toContainEqual(
      expect.objectContaining({
        kind: 'note',
        text: expect.stringContaining('Trying again in') as string,
      }),
    )
    expect(view.segments.at(-1)).toMatchObject({ kind: 'text', text: 'Hello' })
  })

  test('the view of a run shows the text of a reply that is JSON', async () => {
    const action = JSON.stringify({ type: 'final', content: 'It is 4 °C.' })
    const view = await viewOf(createMock({ responses: [action] }), { query: 'Hi', mode: 'json' })
    expect(view.segments).toEqual([expect.objectContaining({ kind: 'text', text: 'It is 4 °C.' })])
  })

  test('the view of a run notes what each call left of a budget, and the limit that ended the run', async () => {
    const tool = { name: 'again', arguments: {} }
    const usage = { inputTokens: 10, outputTokens: 90 }
    const provider = createMock({ defaultResponse: () => ({ toolCalls: [tool], usage }) })
    const view = await viewOf(provider, {
      query: 'Hi',
      limits: { budget: { maxOutputTokens: 100 } },
      options: { maxTokens: 100 },
    })
    expect(view.spans.find(({ kind }) => kind === 'model')?.spent).toMatchObject({
      outputTokens: 90,
    })
    const notes = view.segments.flatMap((one) => (one.kind === 'note' ? [one.text] : []))
    expect(notes.at(-1)).toMatch(/^The budget is spent\. maxOutputTokens: \d+ of 100\.$/)
  })
})

test('hidden characters and those that reorder text are shown as escapes, but letters and emoji are not', () => {
  expect(visible('pay \u202eeuros 1\u202c to\u200b\u0007 me')).toBe(
    'pay \\u202eeuros 1\\u202c to\\u200b\\u0007 me',
  )
  expect(visible('é 日本 👩‍🚀 שלום\n\t')).toBe('é 日本 👩‍🚀 שלום\n\t')
})

describe('the messages that the model had in a step', () => {
  const look = defineTool({
    name: 'look',
    description: '',
    parameters: { type: 'object' },
    execute: () => 'seen '.repeat(200),
  })
  const responses = ['a', 'b', 'c'].map((id) => ({
    toolCalls: [{ id, name: 'look', arguments: { at: id } }],
  }))
  /**
   * The messages of each request, and those that the page takes them for; an error is its message.
   */
  async function steps(
    request: Partial<InferRequest>,
    turns: readonly (MockTurn | string)[] = [...responses, 'end'],
  ) {
    const provider = createMock({ responses: turns })
    const { view, result } = await runOf(provider, { query: 'Hi', tools: [look], ...request })
    const [first] = provider.requests
    const record = {
      messages: first?.messages ?? [],
      transcript: result.transcript,
    } as unknown as RunRecord
    return provider.requests.map(({ messages }, index) => {
      try {
        return [messages, messagesBefore(record, view, index + 1)]
      } catch (error) {
        return [messages, (error as Error).message]
      }
    })
  }

  test('the messages of a step are those that its request had', async () => {
    const all = await steps({})
    expect(all).toHaveLength(4)
    for (const [sent, taken] of all) expect(taken).toEqual(sent)
  })

  test('the messages of a step are those that its request had, also of a run that failed there', async () => {
    const all = await steps({}, [
      ...responses.slice(0, 2),
      { error: new LlmError('auth', 'refused') },
    ])
    expect(all).toHaveLength(3)
    for (const [sent, taken] of all) expect(taken).toEqual(sent)
  })

  test('the messages of a step are not known if the conversation was shortened', async () => {
    const compaction = { strategy: 'recent', maxMessages: 4, threshold: 0.5 } as const
    const profile = { contextWindow: 600 }
    for (const [, taken] of await steps({ limits: { compaction, profile } }))
      expect(taken).toContain('Run it again from its start.')
  })
})
