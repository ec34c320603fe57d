import type { RefObject, VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Span } from '../link/run-parts.js'
import { formatCost, formatCount, formatMs } from '../parts/format.js'
import { TableHead } from '../parts/table-head.js'
import { useRowWindow } from '../parts/use-window.js'
import type { Row } from './run-tree.js'

/**
 * Rows of a table that is drawn whole; of a longer one only the rows in sight are in the document.
 */
const mostRows = 100
/** Pixels of a row; data.css sets the same. */
const rowHeight = 30
/** Marks of the time axis, at most. */
const mostTicks = 5

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
  rows,
  end,
  selected,
  onSelect,
  onToggle,
}: {
  readonly rows: readonly Row[]
  /** When the run ended, or its latest event. */
  readonly end: number
  /** {@link Row.id} */
  readonly selected: string | undefined
  readonly onSelect: (id: string) => void
  /** Shows or hides the parts of a run. */
  readonly onToggle: (runId: string) => void
}): VNode {
  const [zoom, setZoom] = useState<Range>()
  const range = zoom ?? { from: 0, to: end }
  const isLong = rows.length > mostRows
  const { first, end: last, ref, onScroll } = useRowWindow(rows.length, rowHeight)
  const [from, to] = isLong ? [first, last] : [0, rows.length]
  useSelectedInSight(
    ref,
    rows.findIndex(({ id }) => id === selected),
  )
  /**
   * Makes the shown part of the time so many times as long, around its middle or the selected call.
   */
  const scale = (factor: number): void => {
    const chosen = rows.find(({ id }) => id === selected)?.span
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
        aria-label={`Calls of this run on a time axis: ${rows.length}`}
        onScroll={isLong ? onScroll : undefined}
        onKeyDown={(event) => {
          const [, , act] = zooms.find(([key]) => key === event.key) ?? []
          if (!act || event.ctrlKey || event.metaKey) return
          event.preventDefault()
          act()
        }}
      >
        <table aria-rowcount={rows.length + 1}>
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
            {rows.slice(from, to).map((row, index) => (
              <CallRow
                key={row.id}
                row={row}
                place={from + index + 2}
                isSelected={row.id === selected}
                end={end}
                range={range}
                onSelect={onSelect}
                onToggle={onToggle}
              />
            ))}
            <Gap rows={rows.length - to} />
          </tbody>
        </table>
      </div>
    </section>
  )
}

/** Scrolls to the row that is selected when the table appears, such as the step that failed. */
function useSelectedInSight(ref: RefObject<HTMLDivElement | null>, place: number): void {
  const isDone = useRef(false)
  useEffect(() => {
    if (place < 0 || isDone.current || !ref.current) return
    isDone.current = true
    ref.current.scrollTop = Math.max(0, (place - 3) * rowHeight)
  }, [place])
}

/** Round times of a part of the axis, as shares of it. */
export function ticksOf({ from, to }: Range): readonly (readonly [at: number, share: number])[] {
  const least = (to - from) / mostTicks
  const power = 10 ** Math.floor(Math.log10(least))
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= least) ?? least
  const first = Math.ceil(from / step)
  const count = Math.max(0, Math.floor(to / step) - first + 1)
  return Array.from({ length: count }, (_, index) => {
    const at = (first + index) * step
    return [at, (at - from) / (to - from)] as const
    // The last one would stand beyond the end.
  }).filter(([, share]) => share < 0.96)
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
      {ticksOf({ from, to }).map(([at, share]) => (
        <span key={at} style={{ left: `${share * 100}%` }}>
          {formatMs(at)}
        </span>
      ))}
    </div>
  )
}

function CallRow(props: {
  readonly row: Row
  /** Number of the row in the table. */
  readonly place: number
  readonly end: number
  readonly range: Range
  readonly isSelected: boolean
  readonly onSelect: (id: string) => void
  readonly onToggle: (runId: string) => void
}): VNode {
  const { row, place, end, range, isSelected, onSelect, onToggle } = props
  const { id, span, depth, run, isOpen } = row
  const { name, kind, from, to, firstTokenAt, state, step } = span
  const share = (at: number): number => ((at - range.from) / (range.to - range.from)) * 100
  const left = Math.max(share(from), 0)
  const right = Math.min(share(to ?? end), 100)
  const count =
    span.inputTokens === undefined ? undefined : span.inputTokens + (span.outputTokens ?? 0)
  return (
    <tr aria-rowindex={place} class={isSelected ? 'selected' : ''} onClick={() => onSelect(id)}>
      <th scope="row">
        <div class={`call depth-${Math.min(depth, 8)}`}>
          {run && (
            <button
              type="button"
              class="quiet fold-run"
              aria-expanded={isOpen}
              aria-label={`Parts of ${name}`}
              onClick={(event) => {
                event.stopPropagation()
                onToggle(run.id)
              }}
            >
              {isOpen ? '▾' : '▸'}
            </button>
          )}
          <button type="button" class="quiet name" aria-pressed={isSelected} title={name}>
            <span class={`swatch of-${kind}`} aria-hidden="true" />{' '}
            <span class="visually-hidden">{kind}: </span>
            {kind === 'model' ? `${step} · ${name}` : name}
          </button>
        </div>
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
      <td class={state === 'failed' ? 'state is-failed' : ''}>
        {kind === 'wait' && state === 'running' ? 'waits for you' : state}
      </td>
    </tr>
  )
}
