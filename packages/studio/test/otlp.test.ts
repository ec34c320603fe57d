import { execFile } from 'node:child_process'
import { readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { textOf } from '@modelport/core'
import { createMock } from '@modelport/provider-mock'
import { defineTool, infer } from '@modelport/runtime'
import { instrumentProvider, traceRun } from '@modelport/runtime/opentelemetry'
import { type Attributes, context, propagation, trace } from '@opentelemetry/api'

import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as BinaryExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { createDemoModel, createStudio, type StudioOptions } from '../src/index.js'
import { openFileStore, serveStudio } from '../src/node.js'
import type { RunRecord, RunSummary, StudioEvent } from '../src/protocol/protocol.js'

afterEach(() => vi.unstubAllEnvs())

/** A studio without a page, and what its API says. */
async function open(options: Partial<StudioOptions> = {}) {
  const studio = createStudio({ models: [createDemoModel()], assets: {}, ...options })
  const served = await serveStudio(studio)
  onTestFinished(() => served.close().catch(() => undefined))
  const { origin, hash } = new URL(served.programUrl)
  const token = new URL(served.url).hash.slice('#token='.length)
  const opened = await fetch(`${origin}/api/session`, {
    method: 'POST',
    body: JSON.stringify({ token }),
  })
  const { session } = (await opened.json()) as { readonly session: string }
  const get = async <Value>(path: string): Promise<Value> =>
    (await (
      await fetch(`${origin}/api/${path}`, { headers: { 'x-modelport-session': session } })
    ).json()) as Value
  const events = async (id: string): Promise<StudioEvent[]> =>
    (
      await (
        await fetch(`${origin}/api/runs/${id}/events`, {
          headers: { 'x-modelport-session': session },
        })
      ).text()
    )
      .split('\n')
      .flatMap((line) =>
        line.startsWith('data: ') ? (JSON.parse(line.slice(6)) as StudioEvent[]) : [],
      )
  const post = (body: BodyInit, headers: Record<string, string> = {}) =>
    fetch(`${origin}/v1/traces`, {
      ...{ method: 'POST', body },
      headers: {
        authorization: `Bearer ${hash.slice(1)}`,
        'content-type': 'application/json',
        ...headers,
      },
    })
  const send = async (...spans: readonly object[]): Promise<unknown> => {
    const response = await post(JSON.stringify(toRequest(spans)))
    expect(response.status).toBe(200)
    return response.json()
  }
  const runs = (query = ''): Promise<RunSummary[]> => get(`runs?${query}`)
  return {
    origin,
    token: hash.slice(1),
    post,
    send,
    runs,
    get,
    events,
    record: (id: string) => get<RunRecord>(`runs/${id}`),
    close: () => served.close(),
  }
}

const traceId = '5b8efff798038103d269b633813fc60c'
const value = (given: unknown): object =>
  Array.isArray(given)
    ? { arrayValue: { values: given.map(value) } }
    : typeof given === 'number'
      ? { intValue: String(given) }
      : { stringValue: String(given) }
const toAttributes = (given: Readonly<Record<string, unknown>>): object[] =>
  Object.entries(given).map(([key, one]) => ({ key, value: value(one) }))

/** A span of OTLP/JSON, `from` and `to` in seconds after a fixed time. */
function span(
  id: number,
  [from, to]: readonly [number, number],
  attributes: Attributes,
  more: object = {},
): object {
  const at = (seconds: number): string => String(1_700_000_000_000_000_000n + BigInt(seconds * 1e9))
  return {
    ...{
      traceId,
      spanId: `000000000000000${id}`,
      name: `span ${id}`,
      startTimeUnixNano: at(from),
      endTimeUnixNano: at(to),
    },
    ...{ attributes: toAttributes(attributes), ...more },
  }
}
const below = (id: number): object => ({ parentSpanId: `000000000000000${id}` })
const toRequest = (spans: readonly object[]): object => ({
  resourceSpans: [
    { resource: { attributes: toAttributes({ 'service.name': 'shop' }) }, scopeSpans: [{ spans }] },
  ],
})

const message = (role: string, content: string): object => ({
  role,
  parts: [{ type: 'text', content }],
})
const chat = (input: readonly object[], output: readonly object[]): Attributes => ({
  ...{
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'openai',
    'gen_ai.request.model': 'gpt',
  },
  ...{ 'gen_ai.usage.input_tokens': 10, 'gen_ai.usage.output_tokens': 5 },
  ...{
    'gen_ai.input.messages': JSON.stringify(input),
    'gen_ai.output.messages': JSON.stringify(output),
  },
})
const call = { type: 'tool_call', id: 'c1', name: 'get_weather', arguments: { city: 'Oslo' } }
const asked = message('user', 'Is it warm?')
const calling = { role: 'assistant', parts: [call] }
const answered = { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c1', result: '4 °C' }] }
const agent = span(1, [0, 9], {
  'gen_ai.operation.name': 'invoke_agent',
  'gen_ai.agent.name': 'weather',
})
const firstCall = span(2, [1, 2], chat([asked], [calling]), below(1))
const tool = span(
  3,
  [3, 4],
  {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'get_weather',
    'gen_ai.tool.call.id': 'c1',
    'gen_ai.tool.call.result': '4 °C',
  },
  below(1),
)
const lastCall = span(
  4,
  [5, 6],
  chat([asked, calling, answered], [message('assistant', 'It is cold.')]),
  below(1),
)

const typesOf = (events: readonly StudioEvent[]): string[] =>
  events.map((one) => (one.type === 'run' ? one.event.type : one.type))
const expected = [
  ...['action-requested', 'agent-call-start', 'model-call-start', 'model-call-end'],
  ...['action-requested', 'tool-start', 'tool-result'],
  ...['model-call-start', 'text-delta', 'model-call-end', 'agent-call-result', 'end'],
]

describe.each([
  ['JSON', JsonExporter],
  ['protobuf', BinaryExporter],
])('a program with the OpenTelemetry SDK that sends %s', (_name, Exporter) => {
  test('the studio shows a run of infer with its model calls, its tool call and its agent, from the two variables alone', async () => {
    const { origin, token, runs, record, events, get } = await open()
    vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', origin)
    vi.stubEnv('OTEL_EXPORTER_OTLP_HEADERS', `authorization=Bearer%20${token}`)
    vi.stubEnv('OTEL_EXPORTER_OTLP_COMPRESSION', 'gzip')
    const resource = resourceFromAttributes({ 'service.name': 'reporter' })
    const provider = new NodeTracerProvider({
      resource,
      spanProcessors: [new BatchSpanProcessor(new Exporter())],
    })
    provider.register()
    onTestFinished(() => [trace, context, propagation].forEach((api) => api.disable()))
    const tracer = provider.getTracer('test')
    const weather = defineTool({
      name: 'get_weather',
      description: '-',
      parameters: { type: 'object' },
      execute: () => '4 °C',
    })
    const mock = createMock({
      responses: [
        { toolCalls: [{ name: 'get_weather', arguments: { city: 'Oslo' } }] },
        'It is cold.',
      ],
    })
    const model = instrumentProvider(mock, { tracer, content: true })
    await traceRun(
      tracer,
      (onEvent) => infer(model, { query: 'Is it warm?', tools: [weather], observe: { onEvent } }),
      {
        ...{ modelCalls: false, agentName: 'weather', content: true },
      },
    )
    await provider.shutdown()
    const list = await runs()
    expect(list).toMatchObject([
      { title: 'weather: Is it warm?', model: 'mock:mock', status: 'final' },
    ])
    const { id = '' } = list[0] ?? {}
    // Calls that take less than a millisecond may overlap by the clocks of their spans.
    expect(typesOf(await events(id)).sort()).toEqual([...expected].sort())
    const { transcript = [], usage } = await record(id)
    expect(transcript.map(({ role }) => role)).toEqual(
      ['system', 'user', 'assistant', 'tool', 'assistant'].slice(-transcript.length),
    )
    expect(transcript.at(-1)).toMatchObject({ content: 'It is cold.' })
    expect(usage?.turns).toHaveLength(2)
    expect(await get('runs/names')).toMatchObject({ tools: ['get_weather'] })
  })
})

describe('a trace', () => {
  const all = [agent, firstCall, tool, lastCall]

  test.each<[string, readonly (readonly object[])[]]>([
    ['in one request', [all]],
    ['backwards, in one request', [[...all].reverse()]],
    ['each in a request of its own, its parent last', [[lastCall], [tool], [firstCall], [agent]]],
    [
      'twice, in requests that overlap',
      [[firstCall, tool], [tool, tool, lastCall], [agent, firstCall], all],
    ],
  ])('the spans are the same run if they come %s', async (_what, requests) => {
    const { send, runs, record, events } = await open()
    for (const spans of requests) expect(await send(...spans)).toEqual({})
    expect(await runs()).toMatchObject([
      { id: `trace-${traceId}`, program: 'shop', title: 'weather: Is it warm?' },
    ])
    expect(typesOf(await events(`trace-${traceId}`))).toEqual(expected)
    const { transcript, usage, latencyMs, at, model, status } = await record(`trace-${traceId}`)
    expect({ at, latencyMs, model, status }).toEqual({
      ...{ at: 1_700_000_000_000, latencyMs: 9000, model: 'openai:gpt', status: 'final' },
    })
    expect(transcript?.map(({ role, content }) => `${role}: ${textOf(content)}`)).toEqual([
      ...['user: Is it warm?', 'assistant: ', 'tool: 4 °C', 'assistant: It is cold.'],
    ])
    expect(usage).toMatchObject({ inputTokens: 20, outputTokens: 10 })
  })

  test('spans of requests that are sent at once are kept, and more are added after the studio was started again', async () => {
    const path = join(temporaryFolder('otlp'), 'studio.db')
    const first = await open({ store: openFileStore(path) })
    await Promise.all([agent, firstCall, tool].map((one) => first.send(one)))
    await first.close()
    const { send, events } = await open({ store: openFileStore(path) })
    await send(lastCall, firstCall)
    expect(typesOf(await events(`trace-${traceId}`))).toEqual(expected)
  })

  test('spans that name each other as their parents are shown', async () => {
    const { send, events } = await open()
    await send(span(1, [0, 1], chat([], []), below(2)), span(2, [0, 1], chat([], []), below(1)))
    await send(span(3, [2, 3], chat([], []), below(3)))
    expect(
      typesOf(await events(`trace-${traceId}`)).filter((type) => type === 'model-call-end'),
    ).toHaveLength(3)
  })

  test('the run failed if the span around them failed, with its reason', async () => {
    const { send, runs, events, get } = await open()
    const failed = { status: { code: 2, message: 'the key was refused' } }
    await send(
      span(1, [0, 9], { 'gen_ai.operation.name': 'invoke_agent', 'error.type': 'auth' }, failed),
    )
    await send(
      span(2, [1, 2], chat([asked], []), {
        ...below(1),
        status: { code: 2, message: 'status 401' },
      }),
    )
    expect(await runs()).toMatchObject([
      {
        status: 'failed',
        error: { code: 'auth', message: 'the key was refused' },
        title: 'span 1: Is it warm?',
      },
    ])
    const told = (await events(`trace-${traceId}`)).flatMap((one) =>
      one.type === 'run' ? [one.event] : [],
    )
    expect(told).toContainEqual(
      expect.objectContaining({ type: 'model-error', message: 'status 401' }),
    )
    expect(await get('runs/totals')).toMatchObject([{ runs: 1, errors: 1, inputTokens: 10 }])
  })

  test('traces are found by words, program, model and tool, and counted once, with and without the texts', async () => {
    const { send, runs, get } = await open()
    await send(agent, firstCall, tool, lastCall)
    const bare = {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'send_mail',
      'gen_ai.tool.call.result': 'bounced',
    }
    await send({ ...span(1, [0, 1], bare), traceId: `${traceId.slice(1)}0` })
    const found = async (query: string): Promise<string[]> =>
      (await runs(query)).map(({ title }) => title)
    expect(await found('text=cold')).toEqual(['weather: Is it warm?'])
    expect(await found('tool=get_weather&program=shop&model=openai:gpt')).toEqual([
      'weather: Is it warm?',
    ])
    expect(await found('tool=send_mail')).toEqual(['send_mail'])
    expect(await found('text=bounced')).toEqual(['send_mail'])
    expect(await get('runs/totals?program=shop')).toMatchObject([{ runs: 2, inputTokens: 20 }])
    expect(await get('runs/totals?by=model')).toMatchObject([
      { group: 'openai:gpt', runs: 1 },
      { group: 'tool send_mail' },
    ])
  })

  test('a trace is found by what its agent answers, and by results and errors that only its spans have', async () => {
    const studio = await open()
    const answer = JSON.stringify([message('assistant', 'It is in Bergen.')])
    const tooled = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'find_parcel' }
    await studio.send(
      span(1, [0, 9], { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'mail' }),
      span(2, [1, 2], chat([asked], [message('assistant', 'Hm.')]), below(1)),
      span(3, [3, 4], { ...tooled, 'gen_ai.tool.call.result': 'depot' }, below(1)),
      span(4, [5, 6], tooled, { ...below(1), status: { code: 2, message: 'upstream is gone' } }),
      span(
        5,
        [7, 8],
        { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.output.messages': answer },
        below(1),
      ),
    )
    for (const query of ['text=Bergen', 'text=depot', 'text=upstream', 'tool=find_parcel'])
      expect(await studio.runs(query), query).toHaveLength(1)
    const events = JSON.stringify(await studio.events((await studio.runs())[0]?.id ?? ''))
    expect(events).toContain('"result":"It is in Bergen."')
  })

  test('spans that are not about a model, a tool or an agent make no run', async () => {
    const { send, runs } = await open()
    expect(await send(span(1, [0, 1], { 'http.request.method': 'GET' }))).toEqual({})
    expect(await runs()).toEqual([])
  })

  test('an agent in an agent is shown as a call, with what it did after its start', async () => {
    const { send, events } = await open()
    const inner = { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'inner' }
    await send(agent, firstCall, span(5, [6, 8], inner, below(1)))
    await send(
      span(
        6,
        [6, 7],
        chat([message('user', 'Which city?')], [message('assistant', 'Oslo')]),
        below(5),
      ),
    )
    expect(typesOf(await events(`trace-${traceId}`)).slice(4)).toEqual([
      ...[
        'action-requested',
        'agent-call-start',
        'model-call-start',
        'text-delta',
        'model-call-end',
      ],
      ...['agent-call-result', 'agent-call-result', 'end'],
    ])
  })
})

describe('the names of other conventions', () => {
  const shown = async (
    attributes: Attributes,
    more: object = {},
  ): Promise<RunRecord & { kinds: string[] }> => {
    const { send, record, events } = await open()
    await send(span(1, [0, 1], attributes, more))
    const kinds = typesOf(await events(`trace-${traceId}`))
    return { ...(await record(`trace-${traceId}`)), kinds }
  }
  const [user, assistant] = [
    { role: 'user', content: 'Is it warm?' },
    { role: 'assistant', content: 'No.' },
  ]

  test('names of the AI SDK 6 are read', async () => {
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'Is it warm?' }] }]
    const run = await shown({
      ...{
        'ai.operationId': 'ai.generateText.doGenerate',
        'gen_ai.system': 'openai',
        'gen_ai.request.model': 'gpt',
      },
      ...{
        'ai.prompt.messages': JSON.stringify(messages),
        'ai.response.text': 'No.',
        'gen_ai.usage.input_tokens': 3,
      },
    })
    expect(run).toMatchObject({ model: 'openai:gpt', transcript: [user, assistant] })
    const called = {
      'ai.operationId': 'ai.toolCall',
      'ai.toolCall.name': 'look',
      'ai.toolCall.args': '{"at":1}',
      'ai.toolCall.result': '"x"',
    }
    expect(await shown(called)).toMatchObject({
      model: 'tool look',
      kinds: ['action-requested', 'tool-start', 'tool-result', 'end'],
    })
  })

  test('names of OpenInference are read', async () => {
    const run = await shown({
      ...{
        'openinference.span.kind': 'LLM',
        'llm.model_name': 'gpt',
        'llm.provider': 'openai',
        'llm.token_count.prompt': 3,
      },
      ...{ 'input.value': 'Is it warm?', 'output.value': 'No.' },
    })
    expect(run).toMatchObject({
      model: 'openai:gpt',
      transcript: [user, assistant],
      usage: { inputTokens: 3 },
    })
  })

  test('parts of messages are read: tool calls, results, reasoning, pictures, and a text that looks like JSON', async () => {
    const input = [
      { role: 'system', content: 'Be brief.' },
      message('user', '[1, 2]'),
      {
        role: 'assistant',
        parts: [{ type: 'tool_call', id: 'c', name: 'look', arguments: '{"at":1}' }],
      },
      { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c', response: { seen: 1 } }] },
      { role: 'user', parts: [{ type: 'blob', modality: 'image', mime_type: 'image/png' }] },
    ]
    const output = [
      {
        role: 'assistant',
        parts: [
          { type: 'reasoning', content: 'Hm.' },
          { type: 'text', content: '{"a":1}' },
        ],
      },
    ]
    expect((await shown(chat(input, output))).transcript).toEqual([
      ...[
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: '[1, 2]' },
      ],
      {
        role: 'assistant',
        content: '',
        toolCalls: [{ id: 'c', name: 'look', arguments: { at: 1 }, argumentsText: '{"at":1}' }],
      },
      ...[
        { role: 'tool', toolCallId: 'c', content: '{"seen":1}' },
        { role: 'user', content: '[image]' },
      ],
      { role: 'assistant', content: '{"a":1}', reasoning: 'Hm.' },
    ])
  })

  test('messages whose JSON the exporter has cut off are shown as text', async () => {
    const run = await shown({ ...chat([], []), 'gen_ai.input.messages': '[{"role":"user","par' })
    expect(run.messages).toEqual([{ role: 'user', content: '[{"role":"user","par' }])
  })
})

describe('an export', () => {
  const good = JSON.stringify(toRequest([agent]))

  test.each<[string, BodyInit, Record<string, string>, number, RegExp]>([
    ['without the token', good, { authorization: '' }, 403, /not the token of this studio/],
    ['with a wrong token', good, { authorization: 'Bearer 0' }, 403, /OTEL_EXPORTER_OTLP_HEADERS/],
    [
      'of a form of another page',
      good,
      { 'content-type': 'text/plain' },
      415,
      /content type must be/,
    ],
    [
      'without a content type',
      new Uint8Array([1]),
      { 'content-type': '' },
      415,
      /content type must be/,
    ],
    ['packed in another way', good, { 'content-encoding': 'br' }, 415, /must be gzip/],
    [
      'that is not packed as it says',
      good,
      { 'content-encoding': 'gzip' },
      400,
      /not an ExportTraceServiceRequest/,
    ],
    ['that is not JSON', '{', {}, 400, /not an ExportTraceServiceRequest/],
    [
      'that is longer than 20 MiB',
      'x'.repeat(20 * 1024 * 1024 + 1),
      {},
      413,
      /longer than 20971520 bytes/,
    ],
    [
      'that is longer when it is unpacked',
      gzipSync(Buffer.alloc(64 * 1024 * 1024)),
      { 'content-encoding': 'gzip' },
      413,
      /longer/,
    ],
  ])(
    'a request %s is refused with a status that says why',
    async (_what, body, headers, status, reason) => {
      const { post, runs } = await open()
      const response = await post(body, headers)
      expect(response.status).toBe(status)
      expect(response.headers.get('content-type')).toBe('application/json')
      expect((await response.json()) as object).toMatchObject({
        message: expect.stringMatching(reason) as string,
      })
      expect(await runs()).toEqual([])
    },
  )

  test.each([
    ['origin', 'http://evil.example'],
    ['sec-fetch-site', 'cross-site'],
  ])('a request of another page is refused by its %s, also with the token', async (name, given) => {
    expect((await (await open()).post(good, { [name]: given })).status).toBe(403)
  })

  test.each([
    ['a field that is cut off', [0x0a, 0x05, 0x01]],
    ['a number without an end', [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]],
    ['a group that never ends', [0x0b]],
  ])(
    'a request of protobuf with %s is refused, with a status in protobuf',
    async (_what, bytes) => {
      const { post } = await open()
      const response = await post(new Uint8Array(bytes), {
        'content-type': 'application/x-protobuf',
      })
      expect(response.status).toBe(400)
      expect(response.headers.get('content-type')).toBe('application/x-protobuf')
      const body = Buffer.from(await response.arrayBuffer())
      expect([...body.subarray(0, 2)]).toEqual([0x12, body.length - 2])
      expect(body.subarray(2).toString()).toBe('the body is not an ExportTraceServiceRequest')
    },
  )

  test('a request of protobuf with a value in 20,000 others is refused, and the next one is taken', async () => {
    const { post, send } = await open()
    const parts: number[][] = [[0x10, 1]]
    let size = 2
    const wrap = (field: number): void => {
      const part = [(field << 3) | 2]
      for (let left = size; ; left >>>= 7) {
        part.push((left & 0x7f) | (left > 0x7f ? 0x80 : 0))
        if (left <= 0x7f) break
      }
      parts.push(part)
      size += part.length
    }
    for (let depth = 0; depth < 20_000; depth++) for (const field of [1, 5]) wrap(field)
    // The value of an attribute of a span of a scope of a resource.
    for (const field of [2, 9, 2, 2, 1]) wrap(field)
    const response = await post(Buffer.from(parts.reverse().flat()), {
      'content-type': 'application/x-protobuf',
    })
    expect(response.status).toBe(400)
    expect(await send(agent)).toEqual({})
  })

  test('a request with some spans that are wrong keeps the others, and says how many were not, and why', async () => {
    const { send, post, runs } = await open()
    const wrong = [
      { traceId: 'x' },
      { traceId: '0'.repeat(32) },
      { spanId: '' },
      { startTimeUnixNano: 'now' },
      { parentSpanId: 'x' },
    ]
    expect(
      await send(
        agent,
        ...wrong.map((fields) => ({ ...tool, ...fields })),
        {},
        7 as never,
        null as never,
      ),
    ).toEqual({
      ...{
        partialSuccess: {
          rejectedSpans: '8',
          errorMessage: 'the field traceId of a span is not as OTLP defines it',
        },
      },
    })
    let deep: object = value('x')
    for (let depth = 0; depth < 40; depth++) deep = { arrayValue: { values: [deep] } }
    const spans = [{ ...tool, attributes: [{ key: 'a', value: deep }] }]
    expect(await send(...spans)).toMatchObject({ partialSuccess: { rejectedSpans: '1' } })
    expect(
      await (await post('{"resourceSpans":[{"scopeSpans":[{"spans":[{}]}]}]}')).json(),
    ).toMatchObject({
      ...{ partialSuccess: { rejectedSpans: '1' } },
    })
    expect(await runs()).toMatchObject([{ title: 'weather' }])
    for (const empty of ['{}', '{"resourceSpans":[]}', '[]', '7', 'null'])
      expect(await (await post(empty)).json()).toEqual({})
  })

  test('a request with more spans than a trace, or a request, may have keeps the first, and says so', async () => {
    const { send, get } = await open()
    const many = Array.from({ length: 10_001 }, (_, index) => ({
      ...tool,
      spanId: String(index + 1).padStart(16, '0'),
    }))
    expect(await send(...many)).toEqual({
      ...{
        partialSuccess: {
          rejectedSpans: '8001',
          errorMessage: 'a request has at most 10000 spans here',
        },
      },
    })
    expect(await send({ ...firstCall, spanId: 'f'.repeat(16) })).toEqual({
      ...{
        partialSuccess: { rejectedSpans: '1', errorMessage: 'a trace has at most 2000 spans here' },
      },
    })
    expect(await get('runs/totals')).toMatchObject([{ runs: 1 }])
  })

  test('a request must come again later while the studio still writes those before it, and none is lost', async () => {
    const { post, runs } = await open()
    const responses = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        post(
          JSON.stringify(toRequest([{ ...agent, traceId: String(index + 1).padStart(32, '0') }])),
        ),
      ),
    )
    const later = responses.filter(({ status }) => status === 429)
    for (const { headers } of later) expect(headers.get('retry-after')).toBe('1')
    expect(responses.filter(({ status }) => status === 200).length + later.length).toBe(40)
    expect((await runs('limit=100')).length).toBe(40 - later.length)
  })

  test('a request that the store cannot write must come again', async () => {
    const store = openFileStore(join(temporaryFolder('otlp'), 'studio.db'))
    store.append = () => Promise.reject(new Error('the disk is full'))
    const response = await (await open({ store })).post(good)
    expect(response.status).toBe(503)
    expect(await response.text()).toContain('the disk is full')
  })

  test('a very long text is cut, and says so', async () => {
    const { send, events } = await open()
    const result = 'x'.repeat(1_500_000)
    await send(
      span(1, [0, 1], {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.call.result': result,
      }),
    )
    expect(JSON.stringify(await events(`trace-${traceId}`))).toContain(
      '… (500000 more characters were left out)',
    )
  })
})

test('the program in docs/studio.md is shown as the page says', async () => {
  const { origin, token, runs } = await open()
  const page = await readFile(new URL('../../../docs/studio.md', import.meta.url), 'utf8')
  const [, code = ''] = /```js\n(\/\/ app\.mjs\n[\s\S]*?)```/.exec(page) ?? []
  const folder = temporaryFolder('otlp-docs')
  await symlink(
    fileURLToPath(new URL('../node_modules', import.meta.url)),
    join(folder, 'node_modules'),
  )
  await writeFile(join(folder, 'app.mjs'), code)
  const env = {
    ...{ PATH: process.env['PATH'], OTEL_EXPORTER_OTLP_ENDPOINT: origin },
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${token}`,
  }
  await promisify(execFile)(process.execPath, ['app.mjs'], { cwd: folder, env })
  expect(await runs()).toMatchObject([
    {
      title: 'Where is parcel 7?',
      program: 'shop',
      model: 'openai:gpt-5-mini',
      usage: { inputTokens: 12, outputTokens: 3 },
    },
  ])
})
