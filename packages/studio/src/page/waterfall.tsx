import type { VNode } from 'preact'
import { formatMs } from './format.js'
import type { Span } from './run-parts.js'
import { useRowWindow, useWidth } from './use-window.js'

/** Below this width of the drawing, in pixels, each label stands above its bar. */
const narrow = 640
const axisHeight = 22
const barHeight = 16
/** Pixels of a label in its column. */
const labelWidth = 220
/** Pixels of a character of a label, at most. */
const characterWidth = 7
const ticks = [0, 0.25, 0.5, 0.75, 1]

/** Where things are in a drawing of some width. */
interface Scale {
  readonly width: number
  readonly left: number
  readonly rowHeight: number
  readonly isNarrow: boolean
  readonly x: (ms: number) => number
}

function toScale(width: number, end: number): Scale {
  const isNarrow = width < narrow
  const left = isNarrow ? 0 : labelWidth
  return {
    width,
    left,
    isNarrow,
    rowHeight: isNarrow ? 42 : 26,
    x: (ms) => left + (ms / end) * Math.max(width - left - 2, 0),
  }
}

/** The bars of a run. In a long run only the rows in sight are in the document. */
export function Waterfall({ spans, end }: { readonly spans: readonly Span[]; readonly end: number }): VNode {
  const { ref: frame, width } = useWidth()
  const scale = toScale(width, end)
  const { rowHeight } = scale
  const { first, end: last, ref, onScroll } = useRowWindow(spans.length, rowHeight)
  return (
    <div class="waterfall" ref={frame}>
      {width > 0 && <Axis scale={scale} end={end} />}
      <div
        class="rows"
        ref={ref}
        tabIndex={0}
        role="group"
        aria-label={`Timeline drawing of ${spans.length} calls; the table below has the same`}
        onScroll={onScroll}
      >
        <div class="all-rows" style={{ height: `${spans.length * rowHeight}px` }}>
          {width > 0 && (
            <svg
              class="bars"
              style={{ top: `${first * rowHeight}px` }}
              width={width}
              height={(last - first) * rowHeight}
              aria-hidden="true"
            >
              {ticks.map((share) => (
                <line
                  key={share}
                  class="grid"
                  x1={scale.x(share * end)}
                  x2={scale.x(share * end)}
                  y1={0}
                  y2={(last - first) * rowHeight}
                />
              ))}
              {spans.slice(first, last).map((span, index) => (
                <Bar key={span.id} span={span} scale={scale} y={index * rowHeight} end={end} />
              ))}
            </svg>
          )}
        </div>
      </div>
    </div>
  )
}

function Axis({ scale, end }: { readonly scale: Scale; readonly end: number }): VNode {
  const shown = scale.isNarrow ? [0, 0.5, 1] : ticks
  return (
    <svg class="axis" width={scale.width} height={axisHeight} aria-hidden="true">
      {shown.map((share) => (
        <text
          key={share}
          x={scale.x(share * end)}
          y={14}
          text-anchor={share === 1 ? 'end' : share === 0 ? 'start' : 'middle'}
        >
          {formatMs(share * end)}
        </text>
      ))}
    </svg>
  )
}

function Bar({
  span,
  scale: { x, isNarrow, width },
  y,
  end,
}: {
  readonly span: Span
  readonly scale: Scale
  readonly y: number
  readonly end: number
}): VNode {
  const { name, kind, state, from, to = end, firstTokenAt } = span
  const characters = Math.floor((isNarrow ? width : labelWidth - 12) / characterWidth)
  const top = y + (isNarrow ? 20 : 5)
  return (
    <g>
      <text class="label" x={0} y={y + (isNarrow ? 15 : 17)}>
        {name.length > characters ? `${name.slice(0, characters - 1)}…` : name}
      </text>
      <rect
        class={`bar ${kind} ${state}`}
        x={x(from)}
        y={top}
        width={Math.max(x(to) - x(from), 2)}
        height={barHeight}
        rx={3}
      />
      {firstTokenAt !== undefined && (
        <line class="first-token" x1={x(firstTokenAt)} x2={x(firstTokenAt)} y1={top - 2} y2={top + barHeight + 2} />
      )}
    </g>
  )
}
