import { addCounts, type ChatMessage, type TokenUsage, textOf } from '@modelport/core'
import type { RunRecord, StudioEvent } from '../../protocol/protocol.js'
import type { TraceSpan } from '../../protocol/trace-span.js'
import { titleOf } from '../live-run.js'

/** Spans by their start. If two start at once, the outer one takes longer. */
const inOrder = (spans: readonly TraceSpan[]): TraceSpan[] =>
  [...spans].sort((a, b) => a.from - b.from || b.to - a.to)

/** The run of a trace as far as its spans have arrived; there is at least one. */
export function toTraceRun(id: string, program: string, spans: readonly TraceSpan[]): RunRecord {
  const ordered = inOrder(spans)
  const ids = new Set(spans.map((span) => span.id))
  const tops = ordered.filter(({ parent }) => !ids.has(parent))

  // Spans that name each other as their parents have no top.
  const outermost = tops.length > 0 ? tops : ordered
  const last = outermost.reduce((latest, span) => (span.to > latest.to ? span : latest))

  const calls = ordered.filter(({ kind }) => kind === 'model')
  const first = calls[0] ?? last
  const usage = toUsage(calls.length > 0 ? calls : tops)
  const transcript = transcriptOf(calls)
  const at = Math.floor(Math.min(...spans.map(({ from }) => from)))

  return {
    id,
    at,
    program,
    title: toTitle(last, first.input),
    model: first.model ? `${first.provider}:${first.model}` : `${first.kind} ${first.name}`,
    messages: first.input,
    status: last.error ? 'failed' : 'final',
    latencyMs: Math.max(...spans.map(({ to }) => to)) - at,
    ...(transcript.length > first.input.length && { transcript }),
    ...(usage && { usage }),
    ...(last.error && { error: last.error }),
  }
}

/** The name of the agent that the trace is about, and the first words of its messages. */
function toTitle(last: TraceSpan, messages: readonly ChatMessage[]): string {
  if (messages.length === 0) return last.name

  const words = titleOf(messages)
  return [last.kind === 'agent' ? last.name : '', words].filter(Boolean).join(': ')
}

/** What the spans used together; undefined if none of them says it. */
function toUsage(spans: readonly TraceSpan[]): TokenUsage | undefined {
  const turns = spans.flatMap(({ usage }) => usage ?? [])
  if (turns.length === 0) return undefined

  return { ...turns.reduce(addCounts), turns, toolDefinitionTokens: 0, reported: true }
}

/** The messages of all calls, each once: a prompt repeats the messages before it. */
function transcriptOf(calls: readonly TraceSpan[]): ChatMessage[] {
  const messages = new Map<string, ChatMessage>()

  // A prompt may lack the calls and the reasoning of the reply that it repeats. Of two messages
  // the newer one counts, at the place of the older one.
  for (const message of calls.flatMap(({ input, output }) => [...input, ...output]))
    messages.set(JSON.stringify({ ...message, toolCalls: 0, reasoning: 0 }), message)

  return [...messages.values()]
}

/** An event of the studio that has no number yet. */
interface TraceEvent {
  readonly at: number
  readonly type: 'run' | 'end'
}

/** The events that the page draws a trace from. */
export function toTraceEvents(run: RunRecord, spans: readonly TraceSpan[]): StudioEvent[] {
  const events: TraceEvent[] = []
  let step = 0

  for (const span of inOrder(spans)) {
    if (span.kind === 'model') step++

    const toEvent = ([at, event]: RunEventAt): TraceEvent & { event: object } => ({
      at,
      type: 'run',
      event: { runId: run.id, step: Math.max(1, step), ...event },
    })
    const happened = span.kind === 'model' ? modelEvents(span) : callEvents(span)
    events.push(...happened.map(toEvent))
  }
  events.sort((a, b) => a.at - b.at)

  const end = { at: run.at + (run.latencyMs ?? 0), type: 'end', run } as const
  return [...events, end].map((event, index) => ({ ...event, seq: index + 1 }) as StudioEvent)
}

/** When an event of a run happened, and its fields without `runId` and `step`. */
type RunEventAt = readonly [at: number, event: object]

/** The call of a model. A trace does not say when its words came, so all come with its end. */
function modelEvents({ from, to, provider, model, output, usage, error }: TraceSpan): RunEventAt[] {
  const events: RunEventAt[] = [[from, { type: 'model-call-start', provider, model }]]

  for (const message of output) {
    if (message.role !== 'assistant') continue
    if (message.reasoning) events.push([to, { type: 'reasoning-delta', text: message.reasoning }])
    if (message.content) events.push([to, { type: 'text-delta', text: textOf(message.content) }])
  }

  if (error) events.push([to, { ...error, type: 'model-error' }])
  else events.push([to, { type: 'model-call-end', metrics: { usage: usage ?? {} } }])
  return events
}

/** The call of a tool or an agent. */
function callEvents(span: TraceSpan): RunEventAt[] {
  const { kind, name, from, to, args, result, error } = span
  const call = { actionId: span.callId || span.id, [kind]: name, args, latencyMs: to - from }
  const type = kind === 'tool' ? 'tool' : 'agent-call'
  const end = error
    ? { ...call, ...error, type: `${type}-error` }
    : { ...call, result, type: `${type}-result` }

  return [
    [from, { ...call, type: 'action-requested', action: { ...call, type: `${kind}_call` } }],
    [from, { ...call, type: `${type}-start` }],
    [to, end],
  ]
}
