import type { VNode } from 'preact'
import { useRun, useVersion } from './use-run.js'
import { formatCost, formatCount, formatMs } from './format.js'
import { RunFigures } from './conversation.js'
import type { Span } from './run-view.js'
import { RunTabs } from './run-tabs.js'

const rowHeight = 26
const width = 1000
const labelWidth = 240

/** A run on one time axis: model calls, tools, agents, waits and retries; below, the same as a table. */
export function Timeline({ id }: { readonly id: string }): VNode {
  const { run, problem } = useRun(id)
  useVersion(run)
  if (problem) return <p class="problem">{problem}</p>
  if (!run) return <p class="muted working">Reading the run…</p>
  const { spans } = run.view
  const end = Math.max(run.record.value.latencyMs ?? 0, ...spans.map(({ from, to }) => to ?? from), 1)
  return (
    <div class="timeline">
      <h1>{run.record.value.title}</h1>
      <RunTabs id={id} current="timeline" />
      <RunFigures run={run} />
      {spans.length === 0 ? (
        <p class="empty">Nothing has happened yet. The first model call appears here as soon as it starts.</p>
      ) : (
        <>
          <div class="scroll" tabIndex={0} role="group" aria-label="Timeline drawing; the table below has the same">
            <Waterfall spans={spans} end={end} />
          </div>
          <SpanTable spans={spans} />
        </>
      )}
    </div>
  )
}

function Waterfall({ spans, end }: { readonly spans: readonly Span[]; readonly end: number }): VNode {
  const x = (ms: number): number => labelWidth + (ms / end) * (width - labelWidth)
  const height = (spans.length + 1) * rowHeight
  const marks = [0, 0.25, 0.5, 0.75, 1]
  return (
    <svg class="waterfall" viewBox={`0 0 ${width} ${height}`} width={width} height={height} aria-hidden="true">
      {marks.map((share) => (
        <g key={share}>
          <line class="grid" x1={x(share * end)} x2={x(share * end)} y1={18} y2={height} />
          <text class="axis" x={x(share * end)} y={12} text-anchor={share === 1 ? 'end' : 'start'}>
            {formatMs(share * end)}
          </text>
        </g>
      ))}
      {spans.map((span, index) => {
        const y = (index + 1) * rowHeight
        const to = span.to ?? end
        return (
          <g key={span.id}>
            <text class="label" x={0} y={y + 15}>
              {span.name.length > 32 ? `${span.name.slice(0, 31)}…` : span.name}
            </text>
            <rect
              class={`bar ${span.kind} ${span.state}`}
              x={x(span.from)}
              y={y + 4}
              width={Math.max(x(to) - x(span.from), 2)}
              height={rowHeight - 10}
              rx={3}
            />
            {span.firstTokenAt !== undefined && (
              <line class="first-token" x1={x(span.firstTokenAt)} x2={x(span.firstTokenAt)} y1={y + 2} y2={y + 20} />
            )}
          </g>
        )
      })}
    </svg>
  )
}

function SpanTable({ spans }: { readonly spans: readonly Span[] }): VNode {
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label="Timeline as a table">
      <table>
        <caption>Every call of this run</caption>
        <thead>
          <tr>
            {['What', 'Kind', 'Start', 'First token', 'Took', 'Tokens in', 'Cached', 'Tokens out', 'Cost', 'State'].map(
              (title) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {spans.map((span) => (
            <tr key={span.id}>
              <th scope="row">{span.name}</th>
              <td>{span.kind}</td>
              <td>{formatMs(span.from)}</td>
              <td>{formatMs(span.firstTokenAt === undefined ? undefined : span.firstTokenAt - span.from)}</td>
              <td>{formatMs(span.to === undefined ? undefined : span.to - span.from)}</td>
              <td>{formatCount(span.inputTokens)}</td>
              <td>{formatCount(span.cachedTokens)}</td>
              <td>{formatCount(span.outputTokens)}</td>
              <td>{formatCost(span.cost)}</td>
              <td>
                {span.state}
                {span.detail ? `: ${span.detail}` : ''}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
