import { addCounts, textOf } from '@modelport/core'
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
  const last = (tops[0] ? tops : ordered).reduce((latest, span) =>
    span.to > latest.to ? span : latest,
  )
  const calls = ordered.filter(({ kind }) => kind === 'model')
  const { input: messages, provider, model, kind, name } = calls[0] ?? last
  const at = Math.floor(Math.min(...spans.map(({ from }) => from)))
  const counts = (calls[0] ? calls : tops).flatMap(({ usage }) => usage ?? [])
  const said = calls.flatMap(({ input, output }) => [...input, ...output])
  // Each once: a prompt repeats the messages before it.
  const once = new Map(
    said.map((one) => [JSON.stringify({ ...one, toolCalls: 0, reasoning: 0 }), one]),
  )
  const transcript = [...once.values()]
  return {
    ...{ id, at, program, messages, status: last.error ? 'failed' : 'final' },
    title: [
      last.kind === 'agent' || !messages[0] ? last.name : '',
      messages[0] ? titleOf(messages) : '',
    ]
      .filter(Boolean)
      .join(': '),
    model: model ? `${provider}:${model}` : `${kind} ${name}`,
    latencyMs: Math.max(...spans.map(({ to }) => to)) - at,
    ...(transcript.length > messages.length && { transcript }),
    ...(counts[0] && {
      usage: {
        ...counts.reduce(addCounts),
        turns: counts,
        toolDefinitionTokens: 0,
        reported: true,
      },
    }),
    ...(last.error && { error: last.error }),
  }
}

/** The events that the page draws a trace from. */
export function toTraceEvents(run: RunRecord, spans: readonly TraceSpan[]): StudioEvent[] {
  const events: { readonly at: number }[] = []
  let step = 0
  const tell = (at: number, event: object): unknown =>
    events.push({
      at,
      ...{ type: 'run', event: { runId: run.id, step: Math.max(1, step), ...event } },
    })
  for (const { kind, name, from, to, id, callId, args, result, error, ...call } of inOrder(spans)) {
    const { provider, model, output, usage = {} } = call
    if (kind === 'model') {
      step++
      tell(from, { type: 'model-call-start', provider, model })
      for (const message of output) {
        if (message.role !== 'assistant') continue
        if (message.reasoning) tell(to, { type: 'reasoning-delta', text: message.reasoning })
        if (message.content) tell(to, { type: 'text-delta', text: textOf(message.content) })
      }
      tell(
        to,
        error ? { ...error, type: 'model-error' } : { type: 'model-call-end', metrics: { usage } },
      )
    } else {
      const about = { actionId: callId || id, [kind]: name, args, latencyMs: to - from }
      const type = kind === 'tool' ? 'tool' : 'agent-call'
      tell(from, { ...about, type: 'action-requested', action: { ...about, type: `${kind}_call` } })
      tell(from, { ...about, type: `${type}-start` })
      tell(
        to,
        error
          ? { ...about, ...error, type: `${type}-error` }
          : { ...about, result, type: `${type}-result` },
      )
    }
  }
  events.sort((a, b) => a.at - b.at)
  events.push({ at: run.at + (run.latencyMs ?? 0), ...{ type: 'end', run } })
  return events.map((event, index) => ({ ...event, seq: index + 1 }) as StudioEvent)
}
