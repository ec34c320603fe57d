import type { VNode } from 'preact'
import type { BudgetInfo } from '../protocol/protocol.js'
import { formatCost, formatCount, formatMs } from './format.js'
import type { Span } from './run-parts.js'
import { type Columns, TableHead } from './table-head.js'
import { useRowWindow } from './use-window.js'

/** Rows of a table that is drawn whole; of a longer one only the rows in sight are in the document. */
const mostRows = 100
/** Pixels of a row of a long table; app.css sets the same. */
const rowHeight = 34

const columns: Columns = [
  ['What'],
  ['Kind'],
  ['Start', true],
  ['First token', true],
  ['Took', true],
  ['Tokens in', true],
  ['Cached', true],
  ['Tokens out', true],
  ['Cost', true],
]

/** The rest of a budget after a call. */
function left({ spent, currency }: Span, { maxCost, maxOutputTokens }: BudgetInfo): string {
  if (!spent) return '–'
  const tokens = maxOutputTokens === undefined ? [] : `${formatCount(maxOutputTokens - spent.outputTokens)} tokens`
  const cost = maxCost === undefined ? [] : formatCost(maxCost - spent.cost, currency)
  return [tokens, cost].flat().join(', ')
}

const tokens = (count: number | undefined, { isEstimated }: Span): string =>
  `${isEstimated && count !== undefined ? '~' : ''}${formatCount(count)}`

/** Every call of a run with its numbers. */
export function SpanTable({
  spans,
  budget,
}: {
  readonly spans: readonly Span[]
  readonly budget: BudgetInfo | undefined
}): VNode {
  const isLong = spans.length > mostRows
  const { first, end, ref, onScroll } = useRowWindow(spans.length, rowHeight)
  const [from, to] = isLong ? [first, end] : [0, spans.length]
  const ofBudget = budget ? [['Budget left', true] as const] : []
  return (
    <section>
      <h2>Every call of this run</h2>
      {spans.some(({ isEstimated }) => isEstimated) && (
        <p class="muted">~ is an estimate: the vendor did not count the tokens of this call.</p>
      )}
      <div
        class={isLong ? 'scroll long' : 'scroll'}
        ref={ref}
        tabIndex={0}
        role="group"
        aria-label="Timeline as a table"
        onScroll={isLong ? onScroll : undefined}
      >
        <table aria-rowcount={spans.length + 1}>
          <TableHead columns={[...columns, ...ofBudget, ['State']]} />
          <tbody>
            <Gap rows={from} />
            {spans.slice(from, to).map((span, index) => (
              <SpanRow key={span.id} span={span} row={from + index + 2} budget={budget} />
            ))}
            <Gap rows={spans.length - to} />
          </tbody>
        </table>
      </div>
    </section>
  )
}

/** Stands for rows that are not drawn. */
function Gap({ rows }: { readonly rows: number }): VNode | null {
  return rows <= 0 ? null : <tr class="gap" aria-hidden="true" style={{ height: `${rows * rowHeight}px` }} />
}

function SpanRow({
  span,
  row,
  budget,
}: {
  readonly span: Span
  readonly row: number
  readonly budget: BudgetInfo | undefined
}): VNode {
  const { name, kind, from, to, firstTokenAt, state, detail } = span
  return (
    <tr aria-rowindex={row}>
      <th scope="row">{name}</th>
      <td>{kind}</td>
      <td class="number">{formatMs(from)}</td>
      <td class="number">{formatMs(firstTokenAt === undefined ? undefined : firstTokenAt - from)}</td>
      <td class="number">{formatMs(to === undefined ? undefined : to - from)}</td>
      <td class="number">{tokens(span.inputTokens, span)}</td>
      <td class="number">{formatCount(span.cachedTokens)}</td>
      <td class="number">{tokens(span.outputTokens, span)}</td>
      <td class="number">{formatCost(span.cost, span.currency)}</td>
      {budget && <td class="number">{left(span, budget)}</td>}
      <td>
        {state}
        {detail ? `: ${detail}` : ''}
      </td>
    </tr>
  )
}
