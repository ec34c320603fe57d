import { type ChatMessage, describeProvider } from '@modelport/core'
import { createMock, type MockConfig } from '@modelport/provider-mock'
import { defineTool, infer } from '@modelport/runtime'
import { type InstrumentOptions, instrumentProvider } from '@modelport/runtime/opentelemetry'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import { describe, expect, test } from 'vitest'

const user: ChatMessage = { role: 'user', content: 'my secret' }

function instrumented(config: MockConfig, options: InstrumentOptions = {}) {
  const exporter = new InMemorySpanExporter()
  const tracer = new BasicTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(exporter)],
  }).getTracer('test')
  const metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({
    exporter: metrics,
    exportIntervalMillis: 60_000,
  })
  const meters = new MeterProvider({ readers: [reader] })
  const provider = instrumentProvider(createMock(config), {
    tracer,
    meter: meters.getMeter('test'),
    ...options,
  })
  const points = async () => {
    await reader.forceFlush()
    const all = metrics
      .getMetrics()
      .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics))
    await meters.shutdown()
    return all.flatMap(({ descriptor, dataPoints }) =>
      dataPoints.map(({ attributes, value }) => ({
        name: descriptor.name,
        unit: descriptor.unit,
        attributes,
        count: (value as { count: number }).count,
        sum: (value as { sum?: number }).sum,
      })),
    )
  }
  return { provider, exporter, points }
}

describe('instrumentProvider', () => {
  test('instrumentProvider records request, reply and usage of a call', async () => {
    const { provider, exporter, points } = instrumented(
      {
        responses: [
          { text: 'Hello', usage: { inputTokens: 12, outputTokens: 3, cacheReadTokens: 4 } },
        ],
      },
      { baseUrl: 'https://api.example:8443/v1', providerName: 'openai' },
    )
    await provider.complete('Hi', { maxTokens: 50, temperature: 0, stop: ['x'], reasoning: 'low' })
    const [span] = exporter.getFinishedSpans()
    expect(span?.name).toBe(`chat ${provider.model}`)
    expect(span?.attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': provider.model,
      'gen_ai.request.max_tokens': 50,
      'gen_ai.request.temperature': 0,
      'gen_ai.request.stop_sequences': ['x'],
      'gen_ai.request.reasoning.level': 'low',
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.usage.input_tokens': 12,
      'gen_ai.usage.output_tokens': 3,
      'gen_ai.usage.cache_read.input_tokens': 4,
      'server.address': 'api.example',
      'server.port': 8443,
    })
    expect(JSON.stringify(span?.attributes)).not.toContain('Hello')
    const recorded = await points()
    expect(recorded.map(({ name, unit, sum }) => [name, unit, sum])).toMatchObject([
      ['gen_ai.client.token.usage', '{token}', 12],
      ['gen_ai.client.token.usage', '{token}', 3],
      ['gen_ai.client.operation.duration', 's', expect.any(Number)],
    ])
    expect(recorded.map(({ attributes }) => attributes['gen_ai.token.type'])).toEqual([
      'input',
      'output',
      undefined,
    ])
  })

  test('instrumentProvider makes a span of each turn of a stream with tools, with the time to its first chunk', async () => {
    const look = defineTool({ name: 'look', description: 'Looks', execute: () => 'seen' })
    const { provider, exporter, points } = instrumented({
      responses: [{ text: 'Let me see', toolCalls: [{ name: 'look' }] }, 'Done.'],
    })
    const reader = await provider.streamWithTools([user], [look.definition])
    for (let read = await reader.next(); !read.done; read = await reader.next())
      if (read.value.type === 'tool-call-complete') {
        const { id } = read.value.toolCall
        await reader.next()
        await reader.sendToolResults([{ callId: id, content: 'seen' }])
      }
    const spans = exporter.getFinishedSpans()
    expect(spans.map(({ attributes }) => attributes['gen_ai.response.finish_reasons'])).toEqual([
      ['tool-calls'],
      ['stop'],
    ])
    for (const { attributes } of spans) {
      expect(attributes['gen_ai.request.stream']).toBe(true)
      expect(attributes['gen_ai.response.time_to_first_chunk']).toEqual(expect.any(Number))
    }
    const firstChunks = (await points()).filter(({ name }) => name.endsWith('time_to_first_chunk'))
    expect(firstChunks.map(({ count }) => count)).toEqual([2])
  })

  test('instrumentProvider records the messages only if it is asked to', async () => {
    const { provider, exporter } = instrumented(
      { responses: [{ text: 'Hello', reasoning: 'Hm' }] },
      { content: true },
    )
    await provider.generate([user], {
      system: 'Be kind.',
      tools: [{ name: 'look', description: 'Looks' }],
    })
    const attributes = exporter.getFinishedSpans()[0]?.attributes ?? {}
    const read = (name: string) => JSON.parse(String(attributes[name])) as unknown
    expect(read('gen_ai.input.messages')).toEqual([
      { role: 'user', parts: [{ type: 'text', content: 'my secret' }] },
    ])
    expect(read('gen_ai.system_instructions')).toEqual([{ type: 'text', content: 'Be kind.' }])
    expect(read('gen_ai.tool.definitions')).toMatchObject([{ type: 'function', name: 'look' }])
    expect(read('gen_ai.output.messages')).toEqual([
      {
        role: 'assistant',
        parts: [
          { type: 'reasoning', content: 'Hm' },
          { type: 'text', content: 'Hello' },
        ],
        finish_reason: 'stop',
      },
    ])
  })

  test('instrumentProvider records the code of a failure, and readers that are closed early', async () => {
    const { provider, exporter, points } = instrumented({
      responses: [{ error: 'auth' }, { text: ['a', 'b'] }],
      defaults: { retry: { attempts: 1 } },
    })
    await expect(provider.complete('Hi')).rejects.toMatchObject({ code: 'auth' })
    const reader = await provider.stream('Hi')
    await reader.next()
    await reader.close()
    expect(exporter.getFinishedSpans().map(({ attributes }) => attributes['error.type'])).toEqual([
      'auth',
      'closed',
    ])
    const durations = (await points()).filter(({ name }) => name.endsWith('duration'))
    expect(durations.map(({ attributes }) => attributes['error.type'])).toEqual(['auth', 'closed'])
  })

  test('instrumentProvider traces every model call of a run, and keeps the description', async () => {
    const { provider, exporter } = instrumented({ responses: ['Hello'] })
    expect(describeProvider(provider)).toEqual(
      describeProvider(createMock({ responses: ['Hello'] })),
    )
    await infer(provider, { query: 'Hi' })
    expect(exporter.getFinishedSpans()).toHaveLength(1)
  })
})
