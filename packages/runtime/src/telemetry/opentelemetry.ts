import {
  type Attributes,
  type Context,
  context,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import type { RunEvent } from '../events/run-event.js'
import type { RunResult } from '../loop/result/run-result.js'
import { toToolContent } from '../tools/tool-content.js'

/** The content of spans. */
export interface TraceOptions {
  /**
   * True puts texts into spans too: replies, arguments and results of tools. They may hold personal
   * data. Default false.
   */
  readonly content?: boolean | undefined
  /**
   * False makes no spans of model calls: for a provider that {@link instrumentProvider} made, which
   * makes its own. Default true.
   */
  readonly modelCalls?: boolean | undefined
  /** The name of a provider as the conventions spell it. Default: the provider's own. */
  readonly providerName?: ((provider: string) => string) | undefined
}

/** Of {@link traceRun}. */
export interface TraceRunOptions extends TraceOptions {
  /** Name of the agent that runs. */
  readonly agentName?: string | undefined
  /** Id of the conversation that the run is part of. */
  readonly conversationId?: string | undefined
}

/**
 * An observer for `onEvent` that makes a span of each model call, tool call and agent call, below
 * the span that is active when it is made. Names and attributes are those of the conventions for
 * generative AI.
 * @see https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/ (read 2026-11-21; status:
 * development)
 */
export function traceRuns(tracer: Tracer, options: TraceOptions = {}): (event: RunEvent) => void {
  return new RunSpans(tracer, options, context.active()).observe
}

/**
 * Traces a whole run: a span `invoke_agent`, with the spans of {@link traceRuns} below it. `start`
 * begins the run with the observer it is given. The span ends with the run, whatever the outcome,
 * and is active meanwhile, so that spans of HTTP clients and tools stand below it.
 */
export async function traceRun(
  tracer: Tracer,
  start: (onEvent: (event: RunEvent) => void) => Promise<RunResult>,
  options: TraceRunOptions = {},
): Promise<RunResult> {
  const { agentName, conversationId } = options
  const span = tracer.startSpan(['invoke_agent', agentName].filter(Boolean).join(' '), {
    kind: SpanKind.INTERNAL,
    attributes: defined({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': agentName,
      'gen_ai.conversation.id': conversationId,
    }),
  })
  const inside = trace.setSpan(context.active(), span)
  const spans = new RunSpans(tracer, options, inside)
  try {
    const result = await context.with(inside, start, undefined, spans.observe)
    span.setAttributes({
      ...usageOf(result.usage),
      'modelport.run.id': result.runId,
      'modelport.run.status': result.status,
      'modelport.run.steps': result.steps,
    })
    if (result.status === 'failed') fail(span, result.error.code)
    else if (result.status !== 'final') fail(span, result.status)
    return result
  } catch (error) {
    fail(span, error instanceof Error ? error.name : '_OTHER')
    throw error
  } finally {
    spans.end()
    span.end()
  }
}

type Of<Type extends RunEvent['type']> = Extract<RunEvent, { readonly type: Type }>

/** The open spans of runs, by what they are of. */
class RunSpans {
  readonly #tracer: Tracer
  readonly #options: TraceOptions
  readonly #parent: Context
  readonly #open = new Map<string, Span>()

  constructor(tracer: Tracer, options: TraceOptions, parent: Context) {
    this.#tracer = tracer
    this.#options = options
    this.#parent = parent
  }

  readonly observe = (event: RunEvent): void => {
    switch (event.type) {
      case 'model-call-start':
        if (this.#options.modelCalls !== false) this.#startCall(event)
        break
      case 'model-retry':
        this.#open.get(callKey(event))?.addEvent('modelport.retry', {
          'modelport.attempt': event.nextAttempt,
          'error.type': event.errorType,
        })
        break
      case 'model-call-end':
        this.#endCall(event)
        break
      case 'model-error':
        this.#end(callKey(event), {}, event.code)
        break
      case 'budget-decision':
        if (event.decision.effect === 'deny') this.#end(callKey(event), {}, 'budget-exceeded')
        break
      default:
        this.#observeAction(event)
    }
  }

  /** Ends the spans that a broken-off run left open. */
  end(): void {
    for (const key of [...this.#open.keys()]) this.#end(key, {}, 'cancelled')
  }

  #observeAction(event: RunEvent): void {
    switch (event.type) {
      case 'tool-start':
      case 'agent-call-start':
        this.#startAction(event)
        break
      case 'tool-result':
        this.#end(actionKey(event), { 'gen_ai.tool.call.result': this.#shown(event.result) })
        break
      case 'agent-call-result':
        this.#end(actionKey(event), {})
        break
      case 'tool-error':
      case 'agent-call-error':
        this.#end(actionKey(event), {}, event.phase)
        break
      default:
    }
  }

  #startCall(event: Of<'model-call-start'>): void {
    const { provider, model, step } = event
    this.#begin(callKey(event), `chat ${model}`, SpanKind.CLIENT, {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': this.#options.providerName?.(provider) ?? provider,
      'gen_ai.request.model': model,
      'modelport.step': step,
    })
  }

  #endCall(event: Of<'model-call-end'>): void {
    const { usage, cost, cacheBreak } = event.metrics
    this.#end(callKey(event), {
      'gen_ai.response.model': event.model,
      ...usageOf(usage),
      'modelport.usage.source': usage.source,
      'modelport.cost': cost?.totalCost,
      'modelport.cache_break': cacheBreak,
      'gen_ai.response.finish_reasons': [event.finishReason],
      'modelport.output': this.#shown(event.text),
    })
  }

  #startAction(event: Of<'tool-start'> | Of<'agent-call-start'>): void {
    const isTool = event.type === 'tool-start'
    const [operation, name] = isTool ? ['execute_tool', event.tool] : ['invoke_agent', event.agent]
    const tool = {
      'gen_ai.tool.name': name,
      'gen_ai.tool.type': 'function',
      'gen_ai.tool.call.id': event.actionId,
      'gen_ai.tool.call.arguments': this.#shown(event.args),
    }
    this.#begin(actionKey(event), `${operation} ${name}`, SpanKind.INTERNAL, {
      'gen_ai.operation.name': operation,
      ...(isTool ? tool : { 'gen_ai.agent.name': name }),
      'modelport.step': event.step,
    })
  }

  #begin(key: string, name: string, kind: SpanKind, attributes: Attributes): void {
    this.#open.get(key)?.end()
    this.#open.set(
      key,
      this.#tracer.startSpan(name, { kind, attributes: defined(attributes) }, this.#parent),
    )
  }

  #end(key: string, attributes: Attributes, error?: string): void {
    const span = this.#open.get(key)
    if (!span) return
    this.#open.delete(key)
    span.setAttributes(defined(attributes))
    if (error !== undefined) fail(span, error)
    span.end()
  }

  #shown(value: unknown): string | undefined {
    return this.#options.content ? asText(value) : undefined
  }
}

const callKey = ({ runId }: RunEvent): string => `call ${runId}`
const actionKey = ({
  runId,
  actionId,
}: {
  readonly runId: string
  readonly actionId: string
}): string => `action ${runId} ${actionId}`

const usageOf = (usage: {
  readonly inputTokens: number
  readonly outputTokens: number
}): Attributes => ({
  'gen_ai.usage.input_tokens': usage.inputTokens,
  'gen_ai.usage.output_tokens': usage.outputTokens,
})

function fail(span: Span, type: string): void {
  span.setAttribute('error.type', type)
  span.setStatus({ code: SpanStatusCode.ERROR })
}

/** The form that a model sees: text as it is, anything else as JSON. */
function asText(value: unknown): string {
  const content = toToolContent(value)
  return typeof content === 'string' ? content : JSON.stringify(content)
}

const defined = (attributes: Attributes): Attributes =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined))

export { type InstrumentOptions, instrumentProvider } from './instrument-provider.js'
