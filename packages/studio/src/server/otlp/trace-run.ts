import { addCounts, type ChatMessage, textOf } from '@modelport/core'
import type { RunRecord, StudioEvent } from '../../protocol/protocol.js'
import type { TraceSpan } from '../../protocol/trace-span.js'
import { titleOf } from '../live-run.js'

/** The spans in the order of their start, those that happened in no other one, and the agent that the whole trace is. */
function toTree(spans: readonly TraceSpan[]) {
  const ids = new Set(spans.map(({ id }) => id))
  // If two start at once, the outer one takes longer.
  const ordered = [...spans].sort((a, b) => a.from - b.from || b.to - a.to)
  const tops = ordered.filter(({ parent }) => !ids.has(parent))
  const agent = tops.length === 1 && tops[0]?.kind === 'agent' ? tops[0] : undefined
  // Spans that name each other as their parents have no top.
  return { ordered, agent, tops: tops.length > 0 ? tops : ordered }
}

/** The run of a trace as far as its spans have arrived; there is at least one. */
export function toTraceRun(id: string, program: string, spans: readonly TraceSpan[]): RunRecord {
  const { ordered, tops, agent } = toTree(spans)
  const calls = ordered.filter(({ kind }) => kind === 'model')
  const last = tops.reduce((latest, span) => (span.to > latest.to ? span : latest))
  const [first = agent ?? last] = calls
  const { input: messages, provider, model, kind, name, firstTextAt } = first
  const at = Math.floor(Math.min(...spans.map(({ from }) => from)))
  const counts = (calls.some(({ usage }) => usage) ? calls : agent ? [agent] : []).flatMap(({ usage }) => usage ?? [])
  const transcript = transcriptOf(calls)
  const title = [agent?.name ?? (messages[0] ? '' : last.name), messages[0] ? titleOf(messages) : '']
  return {
    ...{ id, at, program, messages, status: last.error ? 'failed' : 'final', title: title.filter(Boolean).join(': ') },
    model: model ? `${provider}:${model}` : `${kind} ${name}`,
    latencyMs: Math.max(...spans.map(({ to }) => to)) - at,
    ...(transcript.length > messages.length && { transcript }),
    ...(firstTextAt !== undefined && { firstTokenMs: firstTextAt - at }),
    ...(counts.length > 0 && {
      usage: { ...counts.reduce(addCounts), turns: counts, toolDefinitionTokens: 0, reported: true },
    }),
    ...(last.error && { error: last.error }),
  }
}

/** The messages of all calls in order, each once: a prompt repeats those before it. */
function transcriptOf(calls: readonly TraceSpan[]): ChatMessage[] {
  const messages = new Map<string, ChatMessage>()
  for (const message of calls.flatMap(({ input, output }) => [...input, ...output])) {
    const key = JSON.stringify([message.role, message.content, 'toolCallId' in message && message.toolCallId])
    messages.set(key, messages.get(key) ?? message)
  }
  return [...messages.values()]
}

/** The events that the page draws a trace from. */
export function toTraceEvents(run: RunRecord, spans: readonly TraceSpan[]): StudioEvent[] {
  const events: { readonly at: number }[] = []
  const shown = new Set(run.messages.map(({ content }) => textOf(content)))
  const requested = new Set<string>()
  const { ordered, agent } = toTree(spans)
  let step = 0
  const tell = (at: number, event: object): unknown =>
    events.push({ at, ...{ type: 'run', event: { runId: run.id, step: Math.max(1, step), ...event } } })
  for (const span of ordered) {
    const { kind, name, from, to, callId, args, result, error } = span
    if (kind === 'model') {
      step++
      const question = textOf(span.input.findLast(({ role }) => role === 'user')?.content ?? '')
      if (!shown.has(question))
        events.push({ at: from, ...{ type: 'note', text: `${name}: ${question.slice(0, 2000)}` } })
      tellCall(span, requested, tell)
      shown.add(question)
    } else if (span !== agent) {
      const isRequested = requested.delete(callId)
      const about = { actionId: isRequested ? callId : span.id, [kind]: name, args, latencyMs: to - from }
      const type = kind === 'tool' ? 'tool' : 'agent-call'
      const action = { ...about, type: `${kind}_call` }
      if (!isRequested) tell(from, { type: 'action-requested', actionId: span.id, action })
      tell(from, { ...about, type: `${type}-start` })
      tell(to, error ? { ...about, ...error, type: `${type}-error` } : { ...about, result, type: `${type}-result` })
    }
  }
  events.sort((a, b) => a.at - b.at)
  events.push({ at: run.at + (run.latencyMs ?? 0), ...{ type: 'end', run } })
  return events.map((event, index) => ({ ...event, seq: index + 1 }) as StudioEvent)
}

function tellCall(span: TraceSpan, requested: Set<string>, tell: (at: number, event: object) => unknown): void {
  const { from, to, firstTextAt = to, provider, model, output, usage = {}, error } = span
  tell(from, { type: 'model-call-start', provider, model })
  for (const message of output) {
    if (message.role !== 'assistant') continue
    if (message.reasoning) tell(firstTextAt, { type: 'reasoning-delta', text: message.reasoning })
    if (message.content) tell(firstTextAt, { type: 'text-delta', text: textOf(message.content) })
    for (const { id: actionId, name: tool, arguments: args } of message.toolCalls ?? []) {
      requested.add(actionId)
      tell(to, { type: 'action-requested', actionId, action: { type: 'tool_call', tool, args } })
    }
  }
  tell(to, error ? { ...error, type: 'model-error' } : { type: 'model-call-end', metrics: { usage } })
}
