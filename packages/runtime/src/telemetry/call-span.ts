import type { FinishReason, TokenUsage } from '@modelport/core'
import {
  type Attributes,
  type Context,
  context,
  type Histogram,
  type Meter,
  type Span,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'

/** The histograms of one meter. */
export interface Instruments {
  readonly tokens: Histogram
  readonly duration: Histogram
  readonly firstChunk: Histogram
  readonly perChunk: Histogram
}

const seconds = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
]
const chunkSeconds = [0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5]
const tokenCounts = [
  1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864,
]

/** Creates the histograms with the units and bucket boundaries of the conventions. */
export function createInstruments(meter: Meter): Instruments {
  const create = (
    name: string,
    description: string,
    unit: string,
    explicitBucketBoundaries: number[],
  ): Histogram =>
    meter.createHistogram(name, { description, unit, advice: { explicitBucketBoundaries } })
  return {
    tokens: create(
      'gen_ai.client.token.usage',
      'Number of input and output tokens used.',
      '{token}',
      tokenCounts,
    ),
    duration: create('gen_ai.client.operation.duration', 'GenAI operation duration.', 's', seconds),
    firstChunk: create(
      'gen_ai.client.operation.time_to_first_chunk',
      'Time from the request to the first chunk of the response stream.',
      's',
      seconds,
    ),
    perChunk: create(
      'gen_ai.client.operation.time_per_output_chunk',
      'Time between two chunks of the response stream.',
      's',
      chunkSeconds,
    ),
  }
}

/** The report of a turn that ended. */
export interface TurnEnd {
  readonly usage: TokenUsage
  readonly finishReason: FinishReason
  readonly responseModel: string | undefined
  readonly responseId: string | undefined
}

/** The span and the measurements of one turn. */
export class CallSpan {
  /** The context in which the span is active. */
  readonly context: Context
  readonly #span: Span
  readonly #shared: Attributes
  readonly #instruments: Instruments | undefined
  readonly #isStreaming: boolean
  readonly #startedAt: number
  #lastChunkAt: number | undefined

  constructor(
    span: Span,
    shared: Attributes,
    instruments: Instruments | undefined,
    isStreaming: boolean,
    startTime: number | undefined,
  ) {
    this.context = trace.setSpan(context.active(), span)
    this.#span = span
    this.#shared = shared
    this.#instruments = instruments
    this.#isStreaming = isStreaming
    this.#startedAt = performance.now() - (startTime === undefined ? 0 : Date.now() - startTime)
  }

  /** Called for each event of the stream. */
  chunk(): void {
    const now = performance.now()
    if (this.#lastChunkAt === undefined) {
      const elapsed = (now - this.#startedAt) / 1000
      this.#span.setAttribute('gen_ai.response.time_to_first_chunk', elapsed)
      this.#instruments?.firstChunk.record(elapsed, this.#shared)
    } else this.#instruments?.perChunk.record((now - this.#lastChunkAt) / 1000, this.#shared)
    this.#lastChunkAt = now
  }

  end({ usage, finishReason, responseModel, responseId }: TurnEnd, content: Attributes): void {
    if (this.#isStreaming && this.#lastChunkAt === undefined) this.chunk()
    const model = responseModel === undefined ? {} : { 'gen_ai.response.model': responseModel }
    this.#span.setAttributes({
      ...model,
      ...content,
      ...(responseId !== undefined && { 'gen_ai.response.id': responseId }),
      'gen_ai.response.finish_reasons': [finishReason],
    })
    if (usage.reported) this.#recordUsage(usage, model)
    this.#instruments?.duration.record(this.#elapsed(), { ...this.#shared, ...model })
    this.#span.end()
  }

  fail(type: string): void {
    this.#span.setAttribute('error.type', type)
    this.#span.setStatus({ code: SpanStatusCode.ERROR })
    this.#instruments?.duration.record(this.#elapsed(), { ...this.#shared, 'error.type': type })
    this.#span.end()
  }

  #recordUsage(usage: TokenUsage, model: Attributes): void {
    const { inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens, reasoningTokens } =
      usage
    this.#span.setAttributes({
      'gen_ai.usage.input_tokens': inputTokens,
      'gen_ai.usage.output_tokens': outputTokens,
      ...(cacheReadTokens > 0 && { 'gen_ai.usage.cache_read.input_tokens': cacheReadTokens }),
      ...(cacheCreationTokens > 0 && {
        'gen_ai.usage.cache_creation.input_tokens': cacheCreationTokens,
      }),
      ...(reasoningTokens > 0 && { 'gen_ai.usage.reasoning.output_tokens': reasoningTokens }),
    })
    const attributes = { ...this.#shared, ...model }
    this.#instruments?.tokens.record(inputTokens, { ...attributes, 'gen_ai.token.type': 'input' })
    this.#instruments?.tokens.record(outputTokens, { ...attributes, 'gen_ai.token.type': 'output' })
  }

  #elapsed(): number {
    return (performance.now() - this.#startedAt) / 1000
  }
}
