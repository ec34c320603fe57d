import { AsyncLocalStorage } from 'node:async_hooks'
import { createMock, type MockConfig } from '@modelport/provider-mock'
import { defineTool, type InferRequest, infer } from '@modelport/runtime'
import { type TraceRunOptions, traceRun, traceRuns } from '@modelport/runtime/opentelemetry'
import { type Context, type ContextManager, context, ROOT_CONTEXT, trace } from '@opentelemetry/api'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

/** The context of the platform, as the SDK for Node has it. */
class Contexts implements ContextManager {
  readonly #storage = new AsyncLocalStorage<Context>()
  active() {
    return this.#storage.getStore() ?? ROOT_CONTEXT
  }
  with<Args extends unknown[], Result>(
    active: Context,
    call: (...args: Args) => Result,
    self?: unknown,
    ...args: Args
  ): Result {
    return this.#storage.run(active, () => call.apply(self, args))
  }
  bind<T>(_: Context, target: T): T {
    return target
  }
  enable() {
    return this
  }
  disable() {
    return this
  }
}
beforeAll(() => void context.setGlobalContextManager(new Contexts()))
afterAll(() => context.disable())

const secret = 'my secret'
const look = defineTool({
  name: 'look',
  description: 'Looks',
  parameters: { type: 'object', properties: { at: { type: 'string' } } },
  execute: ({ at }: { at?: string }) => {
    if (at === 'nothing') throw new Error('nothing there')
    return `found ${secret}`
  },
})
const callOf = (at: string) => ({ toolCalls: [{ name: 'look', arguments: { at } }] })

async function traced(
  config: MockConfig,
  request: Partial<InferRequest> = {},
  options: TraceRunOptions = {},
) {
  const exporter = new InMemorySpanExporter()
  const tracer = new BasicTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(exporter)],
  }).getTracer('test')
  const result = await traceRun(
    tracer,
    (onEvent) =>
      infer(createMock(config), { query: secret, tools: [look], ...request, observe: { onEvent } }),
    options,
  )
  return { result, spans: exporter.getFinishedSpans() }
}
const named = (spans: Awaited<ReturnType<typeof traced>>['spans'], name: string) =>
  spans.filter((span) => span.name === name)

describe('OpenTelemetry spans of a run', () => {
  test('OpenTelemetry spans of a run have the names, kinds and attributes of the conventions, and stand below the run', async () => {
    const { spans } = await traced(
      { responses: [callOf('home'), `Here: ${secret}`], model: 'small' },
      {},
      { agentName: 'finder', conversationId: 'c1' },
    )
    expect(spans.map(({ name }) => name)).toEqual([
      'chat small',
      'execute_tool look',
      'chat small',
      'invoke_agent finder',
    ])
    const [run] = named(spans, 'invoke_agent finder')
    expect(run?.attributes).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'finder',
      'gen_ai.conversation.id': 'c1',
      'gen_ai.usage.input_tokens': 20,
      'gen_ai.usage.output_tokens': 10,
      'modelport.run.status': 'final',
    })
    for (const span of spans.slice(0, 3))
      expect(span.parentSpanContext?.spanId).toBe(run?.spanContext().spanId)
    expect(spans[0]).toMatchObject({
      kind: 2,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'mock',
        'gen_ai.request.model': 'small',
        'gen_ai.response.model': 'small',
        'gen_ai.response.finish_reasons': ['tool-calls'],
        'gen_ai.usage.input_tokens': 10,
        'gen_ai.usage.output_tokens': 5,
        'modelport.usage.source': 'provider',
      },
    })
    expect(spans[1]).toMatchObject({
      kind: 0,
      status: { code: 0 },
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'look',
        'gen_ai.tool.type': 'function',
        'gen_ai.tool.call.id': 'call_1',
      },
    })
  })

  test('OpenTelemetry spans of a run hold no text of prompt, reply, arguments or results unless asked', async () => {
    const responses = [callOf(secret), `Here: ${secret}`]
    const plain = await traced({ responses })
    expect(
      JSON.stringify(
        plain.spans.map(({ attributes, events, name }) => ({ attributes, events, name })),
      ),
    ).not.toContain(secret)
    const full = await traced({ responses }, {}, { content: true })
    expect(full.spans[1]?.attributes).toMatchObject({
      'gen_ai.tool.call.arguments': JSON.stringify({ at: secret }),
      'gen_ai.tool.call.result': `found ${secret}`,
    })
    expect(full.spans[2]?.attributes).toMatchObject({ 'modelport.output': `Here: ${secret}` })
  })

  test('OpenTelemetry spans of a run say what failed: a tool, a call, a limit', async () => {
    const tool = await traced({ responses: [callOf('nothing'), 'Sorry.'] })
    expect(named(tool.spans, 'execute_tool look')[0]).toMatchObject({
      status: { code: 2 },
      attributes: { 'error.type': 'execution' },
    })
    const refused = await traced({ responses: [{ error: 'auth' }] })
    expect(refused.spans.map(({ attributes }) => attributes['error.type'])).toEqual([
      'auth',
      'auth',
    ])
    const limited = await traced({ responses: [callOf('home')] }, { limits: { maxSteps: 2 } })
    expect(limited.spans.at(-1)).toMatchObject({
      status: { code: 2 },
      attributes: { 'error.type': 'limit' },
    })
  })

  test('all OpenTelemetry spans end when the run is cancelled', async () => {
    const controller = new AbortController()
    const response = async function* () {
      yield { text: 'a long' }
      controller.abort(new Error('enough'))
      yield { text: ' answer' }
    }
    const { result, spans } = await traced(
      { responses: [response] },
      { signal: controller.signal, tools: [] },
    )
    expect(result.status).toBe('cancelled')
    expect(spans.map(({ name, ended }) => [name, ended])).toEqual([
      ['chat mock', true],
      ['invoke_agent', true],
    ])
    expect(spans[1]?.attributes).toMatchObject({ 'error.type': 'cancelled' })
  })

  test('a result that has no JSON does not end the observing', async () => {
    const circle: Record<string, unknown> = {}
    circle['self'] = circle
    const tools = [
      defineTool({
        name: 'look',
        description: 'Looks',
        parameters: { type: 'object' },
        execute: () => circle,
      }),
    ]
    const { spans } = await traced(
      { responses: [callOf('home'), 'Here.'] },
      { tools },
      { content: true },
    )
    expect(spans.map(({ name }) => name)).toEqual([
      'chat mock',
      'execute_tool look',
      'chat mock',
      'invoke_agent',
    ])
    expect(spans[1]?.attributes['gen_ai.tool.call.result']).toMatch(/cannot be written as JSON/)
  })

  test('traceRuns alone ends the span of a call that is cancelled', async () => {
    const exporter = new InMemorySpanExporter()
    const tracer = new BasicTracerProvider({
      spanProcessors: [new SimpleSpanProcessor(exporter)],
    }).getTracer('test')
    const controller = new AbortController()
    const observe = traceRuns(tracer)
    await infer(createMock({ responses: ['Hi'] }), {
      query: '?',
      signal: controller.signal,
      observe: {
        onEvent: (event) => {
          observe(event)
          if (event.type === 'text-delta') controller.abort(new Error('enough'))
        },
      },
    })
    expect(exporter.getFinishedSpans()).toMatchObject([
      { name: 'chat mock', attributes: { 'error.type': 'cancelled' } },
    ])
  })

  test('traceRuns alone observes, below whatever span is active', async () => {
    const exporter = new InMemorySpanExporter()
    const tracer = new BasicTracerProvider({
      spanProcessors: [new SimpleSpanProcessor(exporter)],
    }).getTracer('test')
    const outer = tracer.startSpan('outer')
    await context.with(trace.setSpan(context.active(), outer), () =>
      infer(createMock({ responses: ['Hi'] }), {
        query: '?',
        observe: { onEvent: traceRuns(tracer, { providerName: (name) => `my.${name}` }) },
      }),
    )
    const [span] = exporter.getFinishedSpans()
    expect(span).toMatchObject({
      name: 'chat mock',
      attributes: { 'gen_ai.provider.name': 'my.mock' },
    })
    expect(span?.parentSpanContext?.spanId).toBe(outer.spanContext().spanId)
  })
})
