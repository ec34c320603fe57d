import { type Attributes, type Context, context, type Span, SpanKind, SpanStatusCode, trace, type Tracer } from '@opentelemetry/api'
import type { RunEvent } from './run-event.js'
import type { RunResult } from './run-result.js'

/** What spans hold. */
export interface TraceOptions {
  /** True puts texts into spans too: answers, arguments and results of tools. They may hold personal data. Default false. */
  readonly content?: boolean
  /** The name of a provider as the conventions spell it. Default: the provider's own. */
  providerName?(provider: string): string
}

/** Of {@link traceRun}. */
export interface TraceRunOptions extends TraceOptions {
  /** Name of the agent that runs. */
  readonly agentName?: string
  /** Id of the conversation that the run is part of. */
  readonly conversationId?: string
}

/**
 * An observer for `onEvent` that makes a span of each model call, tool call and agent call, below the span that is active when it is made.
 * Names and attributes are those of the conventions for generative AI.
 * @see https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/ (read 2026-11-21; status: development)
 */
export function traceRuns(tracer: Tracer, options: TraceOptions = {}): (event: RunEvent) => void {
  return observe(tracer, options, context.active()).observe
}

/**
 * Traces a whole run: a span `invoke_agent`, with the spans of {@link traceRuns} below it. `start` begins the run with the observer it is given.
 * The span ends with the run, whatever the outcome, and is active meanwhile, so that spans of HTTP clients and tools stand below it.
 */
export async function traceRun(tracer: Tracer, start: (onEvent: (event: RunEvent) => void) => Promise<RunResult>, options: TraceRunOptions = {}): Promise<RunResult> {
  const { agentName, conversationId } = options
  const span = tracer.startSpan(['invoke_agent', agentName].filter(Boolean).join(' '), {
    kind: SpanKind.INTERNAL,
    attributes: defined({ 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': agentName, 'gen_ai.conversation.id': conversationId }),
  })
  const inside = trace.setSpan(context.active(), span)
  const spans = observe(tracer, options, inside)
  try {
    const result = await context.with(inside, start, undefined, spans.observe)
    span.setAttributes({ ...usageOf(result.usage), 'modelport.run.id': result.runId, 'modelport.run.status': result.status, 'modelport.run.steps': result.steps })
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

interface Spans {
  readonly observe: (event: RunEvent) => void
  /** Ends what a run that was broken off left open. */
  readonly end: () => void
}

type Of<Type extends RunEvent['type']> = Extract<RunEvent, { readonly type: Type }>

function observe(tracer: Tracer, options: TraceOptions, parent: Context): Spans {
  const open = new Map<string, Span>()
  const begin = (key: string, name: string, kind: SpanKind, attributes: Attributes): void => {
    open.get(key)?.end()
    open.set(key, tracer.startSpan(name, { kind, attributes: defined(attributes) }, parent))
  }
  const end = (key: string, attributes: Attributes = {}, error?: string): void => {
    const span = open.get(key)
    if (!span) return
    open.delete(key)
    span.setAttributes(defined(attributes))
    if (error !== undefined) fail(span, error)
    span.end()
  }
  const call = (event: RunEvent): string => `call ${event.runId}`
  const action = (event: { readonly runId: string; readonly actionId: string }): string => `action ${event.runId} ${event.actionId}`
  const shown = (value: unknown): string | undefined => (options.content ? asText(value) : undefined)
  const startCall = (event: Of<'llm_call_started'>): void => {
    const { provider, model } = event
    begin(call(event), `chat ${model}`, SpanKind.CLIENT, {
      'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': options.providerName?.(provider) ?? provider, 'gen_ai.request.model': model, 'modelport.step': event.step,
    })
  }
  const startAction = (event: Of<'tool_start'> | Of<'agent_call_start'>): void => {
    const name = event.type === 'tool_start' ? event.tool : event.agent
    const operation = event.type === 'tool_start' ? 'execute_tool' : 'invoke_agent'
    begin(action(event), `${operation} ${name}`, SpanKind.INTERNAL, {
      'gen_ai.operation.name': operation,
      ...(event.type === 'tool_start'
        ? { 'gen_ai.tool.name': name, 'gen_ai.tool.type': 'function', 'gen_ai.tool.call.id': event.actionId, 'gen_ai.tool.call.arguments': shown(event.args) }
        : { 'gen_ai.agent.name': name }),
      'modelport.step': event.step,
    })
  }
  const observeEvent = (event: RunEvent): void => {
    switch (event.type) {
      case 'llm_call_started': return startCall(event)
      case 'llm_retry':
        if (event.reason === 'transient_error') open.get(call(event))?.addEvent('modelport.retry', { 'modelport.attempt': event.nextAttempt, 'error.type': event.errorType })
        return
      case 'llm_call_metrics':
        open.get(call(event))?.setAttributes(defined({ 'gen_ai.response.model': event.model, ...usageOf(event.usage), 'modelport.usage.source': event.usage.source, 'modelport.cost': event.cost?.totalCost }))
        return
      case 'llm_response': return end(call(event), { 'gen_ai.response.finish_reasons': [event.finishReason], 'modelport.output': shown(event.content) })
      case 'llm_error': return end(call(event), {}, event.code)
      case 'budget_exceeded': return end(call(event), {}, 'budget-exceeded')
      case 'tool_start': case 'agent_call_start': return startAction(event)
      case 'tool_result': return end(action(event), { 'gen_ai.tool.call.result': shown(event.result) })
      case 'agent_call_result': return end(action(event))
      case 'tool_error': case 'agent_call_error': return end(action(event), {}, event.phase)
      default:
    }
  }
  return {
    observe: observeEvent,
    end: () => {
      for (const key of [...open.keys()]) end(key, {}, 'cancelled')
    },
  }
}

const usageOf = (usage: { readonly inputTokens: number; readonly outputTokens: number }): Attributes => ({
  'gen_ai.usage.input_tokens': usage.inputTokens,
  'gen_ai.usage.output_tokens': usage.outputTokens,
})

function fail(span: Span, type: string): void {
  span.setAttribute('error.type', type)
  span.setStatus({ code: SpanStatusCode.ERROR })
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

const defined = (attributes: Attributes): Attributes => Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined))
