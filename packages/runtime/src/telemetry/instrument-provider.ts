import { type CallOptions, isLlmError, type Provider, type ToolStreamReader } from '@modelport/core'
import {
  type Attributes,
  context,
  type Meter,
  SpanKind,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { ObservedToolReader } from '../middleware/observed-reader.js'
import type { ProviderCall } from '../middleware/provider-call.js'
import { wrapProvider } from '../middleware/wrap-provider.js'
import { CallSpan, createInstruments } from './call-span.js'
import { toInputContent, toOutputContent } from './message-content.js'

/** What {@link instrumentProvider} records. */
export interface InstrumentOptions {
  /**
   * Makes a span of each turn. Default: the global tracer provider's, named `@modelport/runtime`.
   */
  readonly tracer?: Tracer | undefined
  /** Records token usage and durations. Default: no metrics. */
  readonly meter?: Meter | undefined
  /**
   * True records messages, instructions and tool definitions as span attributes. They may hold
   * personal data. Default false.
   */
  readonly content?: boolean | undefined
  /**
   * The base URL of the provider, for `server.address` and `server.port`. Default: both are left
   * out.
   */
  readonly baseUrl?: string | undefined
  /** The provider's name as the conventions spell it. Default: the provider's own name. */
  readonly providerName?: string | undefined
}

/**
 * Wraps a provider so that each turn of each call makes an OpenTelemetry span and, with a meter,
 * token and duration histograms. Names and attributes are those of the conventions for generative
 * AI. Spans stand below the span that is active when the call is made, so nested runs make one
 * trace.
 * @see https://opentelemetry.io/docs/specs/semconv/gen-ai/ (read 2026-11-22; status: development)
 * @throws {LlmError} `config` — `provider` is not a provider.
 */
export function instrumentProvider(provider: Provider, options: InstrumentOptions = {}): Provider {
  const {
    tracer = trace.getTracer('@modelport/runtime'),
    meter,
    content = false,
    baseUrl,
  } = options
  const server = baseUrl === undefined ? undefined : new URL(baseUrl)
  const shared: Attributes = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': options.providerName ?? provider.name,
    'gen_ai.request.model': provider.model,
    ...(server && {
      'server.address': server.hostname,
      'server.port': Number(server.port) || (server.protocol === 'https:' ? 443 : 80),
    }),
  }
  const instruments = meter && createInstruments(meter)
  const start = (call: ProviderCall, isStreaming: boolean, startTime?: number): CallSpan => {
    const attributes: Attributes = {
      ...shared,
      ...requestOf(call.options),
      ...(isStreaming && { 'gen_ai.request.stream': true }),
      ...(content && toInputContent(call)),
    }
    const timed = startTime !== undefined && { startTime }
    const span = tracer.startSpan(`chat ${provider.model}`, {
      kind: SpanKind.CLIENT,
      attributes,
      ...timed,
    })
    return new CallSpan(span, shared, instruments, isStreaming, startTime)
  }
  return wrapProvider(provider, {
    aroundGenerate: async (call, next) => {
      const span = start(call, false)
      try {
        const generation = await context.with(span.context, () => next(call))
        const { usage, finishReason, message } = generation
        const output = content ? toOutputContent(message, finishReason) : {}
        span.end(
          {
            usage,
            finishReason,
            responseModel: message.origin?.model,
            responseId: generation.responseId,
          },
          output,
        )
        return generation
      } catch (error) {
        span.fail(typeOf(error))
        throw error
      }
    },
    aroundStream: async (call, next) => {
      const span = start(call, true)
      try {
        const reader = await context.with(span.context, () => next(call))
        return observeTurns(reader, span, content, (messages, startTime) =>
          start({ ...call, messages }, true, startTime),
        )
      } catch (error) {
        span.fail(typeOf(error))
        throw error
      }
    },
  })
}

/** Ends the span at the end of each turn and starts one for the next. */
function observeTurns(
  reader: ToolStreamReader,
  first: CallSpan,
  content: boolean,
  startNext: (messages: ProviderCall['messages'], startTime: number) => CallSpan,
): ToolStreamReader {
  let span: CallSpan | undefined = first
  let turnEndedAt = 0
  return new ObservedToolReader(reader, {
    onItem: (event) => {
      if (event.type === 'done') return
      span ??= startNext(reader.messages(), turnEndedAt)
      if (event.type !== 'turn-end') {
        span.chunk()
        return
      }
      const { responseId } = reader.details()
      const message = reader.messages().findLast(({ role }) => role === 'assistant')
      const reply = message?.role === 'assistant' ? message : undefined
      const output = content && reply ? toOutputContent(reply, event.reason) : {}
      const { usage, reason: finishReason } = event
      span.end({ usage, finishReason, responseModel: reply?.origin?.model, responseId }, output)
      span = undefined
      turnEndedAt = Date.now()
    },
    onEnd: (outcome, error) => {
      if (outcome === 'error')
        (span ?? startNext(reader.messages(), turnEndedAt)).fail(typeOf(error))
      else span?.fail('closed')
    },
  })
}

const outputTypes = { text: 'text', json: 'json', 'json-schema': 'json' } as const

/** The parameters of a request. Unset parameters have no attribute. */
function requestOf({
  maxTokens,
  temperature,
  topP,
  topK,
  stop,
  seed,
  reasoning,
  responseFormat,
}: CallOptions): Attributes {
  const all: Readonly<Record<string, unknown>> = {
    'gen_ai.request.max_tokens': maxTokens,
    'gen_ai.request.temperature': temperature,
    'gen_ai.request.top_p': topP,
    'gen_ai.request.top_k': topK,
    'gen_ai.request.stop_sequences': stop && [...stop],
    'gen_ai.request.seed': seed,
    'gen_ai.request.reasoning.level': reasoning,
    'gen_ai.output.type': responseFormat && outputTypes[responseFormat.type],
  }
  return Object.fromEntries(
    Object.entries(all).filter(([, value]) => value !== undefined && value !== null),
  ) as Attributes
}

const typeOf = (error: unknown): string =>
  isLlmError(error) ? error.code : error instanceof Error ? error.name : '_OTHER'
