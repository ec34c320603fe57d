import type { VNode } from 'preact'
import { useRef, useState } from 'preact/hooks'
import type { Span } from '../link/run-parts.js'
import { formatCost, formatCount, formatMs } from '../parts/format.js'
import { TableHead } from '../parts/table-head.js'
import { useRowWindow } from '../parts/use-window.js'

/**
 * Rows of a table that is drawn whole; of a longer one only the rows in sight are in the document.
 */
const mostRows = 100
/** Pixels of a row; data.css sets the same. */
const rowHeight = 30
const ticks = [0, 0.25, 0.5, 0.75]

/** A part of the time of a run, in milliseconds. */
interface Range {
  readonly from: number
  readonly to: number
}

/** A number of tokens; `~` marks one that the vendor did not count. */
export const tokenCount = (count: number | undefined, { isEstimated }: Span): string =>
  `${isEstimated && count !== undefined ? '~' : ''}${formatCount(count)}`

/**
 * Every call of a run: a row with its bar on the time axis and its numbers. The axis can be zoomed,
 * a row selected.
 */
export function CallTable({
  spans,
  end,
  selected,
  onSelect,
}: {
  readonly spans: readonly Span[]
  /** When the run ended, or its latest event. */
  readonly end: number
  /** {@link Span.id} */
  readonly selected: string | undefined
  readonly onSelect: (id: string) => void
}): VNode {
  const [zoom, setZoom] = useState<Range>()
  const range = zoom ?? { from: 0, to: end }
  const isLong = spans.length > mostRows
  const { first, end: last, ref, onScroll } = useRowWindow(spans.length, rowHeight)
  const [from, to] = isLong ? [first, last] : [0, spans.length]
  /**
   * Makes the shown part of the time so many times as long, around its middle or the selected call.
   */
  const scale = (factor: number): void => {
    const chosen = spans.find(({ id }) => id === selected)
    const middle = chosen ? (chosen.from + (chosen.to ?? end)) / 2 : (range.from + range.to) / 2
    const half = Math.max(((range.to - range.from) * factor) / 2, 0.5)
    const start = Math.max(0, Math.min(middle - half, end - 2 * half))
    setZoom(2 * half >= end ? undefined : { from: start, to: start + 2 * half })
  }
  const zooms: readonly (readonly [key: string, label: string, act: () => void])[] = [
    ['+', 'Zoom in', () => scale(0.5)],
    ['-', 'Zoom out', () => scale(2)],
    ['0', 'Show all', () => setZoom(undefined)],
  ]
  const axis = <Axis range={range} onRange={setZoom} />
  return (
    <section class="waterfall">
      <div class="zoom" role="group" aria-label="Zoom of the time axis">
        {zooms.map(([key, label, act]) => (
          <button
            key={key}
            type="button"
            class="quiet"
            title={key}
            disabled={!zoom && key !== '+'}
            onClick={act}
          >
            {label}
          </button>
        ))}
        <span class="muted">
          {zoom
            ? `${formatMs(zoom.from)} to ${formatMs(zoom.to)}`
            : 'Drag over the axis to zoom. Select a call to see it.'}
        </span>
      </div>
      <div
        class={isLong ? 'scroll long' : 'scroll'}
        ref={ref}
        tabIndex={0}
        role="group"
        aria-label={`Calls of this run on a time axis: ${spans.length}`}
        onScroll={isLong ? onScroll : undefined}
        onKeyDown={(event) => {
          const [, , act] = zooms.find(([key]) => key === event.key) ?? []
          if (!act || event.ctrlKey || event.metaKey) return
          event.preventDefault()
          act()
        }}
      >
        <table aria-rowcount={spans.length + 1}>
          <TableHead
            columns={[
              ['Call'],
              [axis],
              ['Took', true],
              ['First token', true],
              ['Tokens', true],
              ['Cost', true],
              ['State'],
            ]}
          />
          <tbody>
            <Gap rows={from} />
            {spans.slice(from, to).map((span, index) => (
              <CallRow
                key={span.id}
                row={from + index + 2}
                isSelected={span.id === selected}
                span={span}
                end={end}
                range={range}
                onSelect={onSelect}
              />
            ))}
            <Gap rows={spans.length - to} />
          </tbody>
        </table>
      </div>
    </section>
  )
}

/** Stands for rows that are not drawn. */
const Gap = ({ rows }: { readonly rows: number }): VNode | null =>
  rows <= 0 ? null : (
    <tr class="gap" aria-hidden="true" style={{ height: `${rows * rowHeight}px` }} />
  )

/** Times above the bars. Dragging over them shows that part of the run alone. */
function Axis({
  range: { from, to },
  onRange,
}: {
  readonly range: Range
  readonly onRange: (range: Range) => void
}): VNode {
  const start = useRef(0)
  const timeAt = ({
    clientX,
    currentTarget,
  }: {
    clientX: number
    currentTarget: HTMLElement
  }): number => {
    const { left, width } = currentTarget.getBoundingClientRect()
    return from + Math.min(Math.max((clientX - left) / width, 0), 1) * (to - from)
  }
  return (
    <div
      class="axis"
      onPointerDown={(event) => {
        start.current = timeAt(event)
        event.currentTarget.setPointerCapture(event.pointerId)
      }}
      onPointerUp={(event) => {
        const [low = 0, high = 0] = [start.current, timeAt(event)].sort((one, other) => one - other)
        if (high - low > (to - from) / 100) onRange({ from: low, to: high })
      }}
    >
      {ticks.map((share) => (
        <span key={share} style={{ left: `${share * 100}%` }}>
          {formatMs(from + share * (to - from))}
        </span>
      ))}
    </div>
  )
}

function CallRow(props: {
  readonly span: Span
  readonly row: number
  readonly end: number
  readonly range: Range
  readonly isSelected: boolean
  readonly onSelect: (id: string) => void
}): VNode {
  const { span, row, end, range, isSelected, onSelect } = props
  const { id, name, kind, from, to, firstTokenAt, state } = span
  const share = (at: number): number => ((at - range.from) / (range.to - range.from)) * 100
  const left = Math.max(share(from), 0)
  const right = Math.min(share(to ?? end), 100)
  const count =
    span.inputTokens === undefined ? undefined : span.inputTokens + (span.outputTokens ?? 0)
  return (
    <tr aria-rowindex={row} class={isSelected ? 'selected' : ''} onClick={() => onSelect(id)}>
      <th scope="row">
        <button type="button" class="quiet" aria-pressed={isSelected}>
          <span class={`swatch of-${kind}`} aria-hidden="true" />{' '}
          <span class="visually-hidden">{kind}: </span>
          {name}
        </button>
      </th>
      <td class="track">
        {right >= 0 && left <= 100 && (
          <div
            class={`bar of-${kind} ${state}`}
            style={{ left: `${left}%`, width: `${Math.max(right - left, 0)}%` }}
          />
        )}
        {firstTokenAt !== undefined && share(firstTokenAt) >= 0 && share(firstTokenAt) <= 100 && (
          <div class="first-token" style={{ left: `${share(firstTokenAt)}%` }} />
        )}
      </td>
      <td class="number">
        {formatMs(to === undefined && state !== 'running' ? undefined : (to ?? end) - from)}
      </td>
      <td class="number">
        {formatMs(firstTokenAt === undefined ? undefined : firstTokenAt - from)}
      </td>
      <td class="number">{tokenCount(count, span)}</td>
      <td class="number">{formatCost(span.cost, span.currency, span.costBound)}</td>
      <td>{kind === 'wait' && state === 'running' ? 'waits for you' : state}</td>
    </tr>
  )
}
