import { widerBound } from '@modelport/core'
import type { VNode } from 'preact'
import type { RunGroupTotals } from '../../protocol/run-query.js'
import { get } from '../link/api.js'
import { info, parameters, setParameter } from '../link/state.js'
import { useLoaded } from '../link/use-loaded.js'
import { formatCost, formatCount, formatMs } from '../parts/format.js'
import { TableHead } from '../parts/table-head.js'
import { SharedBudgets } from './shared-budgets.js'

const hourMs = 3_600_000
const dayMs = 86_400_000

/** A number of a group of runs, drawn as a chart and listed in the table. */
type Figure = readonly [
  title: string,
  value: (totals: RunGroupTotals) => number | undefined,
  format: (value: number | undefined) => string,
]

const figures: readonly Figure[] = [
  ['Runs', ({ runs }) => runs, formatCount],
  ['Errors', ({ errors }) => errors, formatCount],
  ['Tokens', ({ inputTokens, outputTokens }) => inputTokens + outputTokens, formatCount],
  [
    'Prompt from cache',
    ({ cachedTokens, inputTokens }) => (inputTokens > 0 ? cachedTokens / inputTokens : undefined),
    (share) => (share === undefined ? '–' : `${Math.round(share * 100)} %`),
  ],
  ['Time, p50', ({ p50 }) => p50, formatMs],
  ['Time, p95', ({ p95 }) => p95, formatMs],
]

/** Days or hours that an axis has at least. */
const leastPeriods = 6

/** Milliseconds from the time of the page to UTC. */
const zoneOffset = (): number => new Date().getTimezoneOffset() * 60_000

const groupings = ['day', 'hour', 'model', 'program'] as const
type Grouping = (typeof groupings)[number]

/** The sums of a grouping, and the time that they are over. */
interface GroupSums {
  readonly by: Grouping
  readonly periodMs: number
  readonly since: number
  readonly end: number
  readonly sums: readonly RunGroupTotals[]
}

async function loadSums(by: Grouping): Promise<GroupSums> {
  const [periodMs, periods] = by === 'hour' ? [hourMs, 48] : [dayMs, 30]
  const offset = zoneOffset()
  const end = Math.ceil((Date.now() - offset) / periodMs) * periodMs + offset
  const since = end - periods * periodMs
  const group = by === 'model' || by === 'program' ? by : periodMs
  const query = `since=${since}&until=${end}&offset=${offset}&by=${group}`
  const sums = await get<RunGroupTotals[]>(`/api/runs/totals?${query}`)
  return { by, periodMs, since, end, sums }
}

/** The sums of the last days; those of hours, if all of it is of one recent day. */
async function loadRecentSums(): Promise<GroupSums> {
  const days = await loadSums('day')
  const [first, ...others] = days.sums
  const isOneDay = first && others.length === 0 && Number(first.group) > Date.now() - 2 * dayMs
  return isOneDay ? loadSums('hour') : days
}

/** Sums of runs by day, hour, model or program; each bar leads to its runs. */
export function Overview(): VNode {
  const chosen = groupings.find((name) => name === parameters.value['by'])
  const { value, problem } = useLoaded(`totals ${chosen}`, () =>
    chosen ? loadSums(chosen) : loadRecentSums(),
  )
  const by = value?.by ?? chosen
  return (
    <div class="overview">
      <h1>Overview</h1>
      <p class="grouping">
        {groupings.map((name) => (
          <button
            key={name}
            type="button"
            aria-pressed={name === by}
            onClick={() => setParameter('by', name)}
          >
            By {name}
          </button>
        ))}
        {by && (
          <span class="muted">{by === 'hour' ? 'the last 48 hours' : 'the last 30 days'}</span>
        )}
      </p>
      {problem && <p class="problem">{problem}</p>}
      {!value && !problem && <p class="muted working">Adding up the runs…</p>}
      {value?.sums.length === 0 && <p class="empty">No runs in this time.</p>}
      {value && value.sums.length > 0 && <Sums {...value} />}
      {info.value?.durableStore && <SharedBudgets />}
    </div>
  )
}

function Sums({ by, periodMs, since, end, sums }: GroupSums): VNode {
  const isNamed = by === 'model' || by === 'program'
  // The axis begins with the first run: a few days are not lost in an empty month.
  const first = Math.min(end - leastPeriods * periodMs, Number(sums[0]?.group ?? end))
  const from = isNamed ? since : Math.max(since, first)
  const currencies = [...new Set(sums.flatMap(({ costs }) => Object.keys(costs)))]
  const bound = sums.map(({ costBound }) => costBound).reduce(widerBound, undefined)
  const all = [
    ...figures,
    ...currencies.map(
      (one): Figure => [
        `Cost, ${one}`,
        ({ costs }) => costs[one],
        (cost) => formatCost(cost, one, bound),
      ],
    ),
  ]
  const isHour = by === 'hour'
  const linkOf = ({ group = 0 }: RunGroupTotals): readonly [href: string, name: string] =>
    typeof group === 'string'
      ? [
          `#/runs?${new URLSearchParams({ ...(group && { [by]: group }), since: `${since}` })}`,
          group || 'this studio',
        ]
      : [`#/runs?since=${group}&until=${group + periodMs}`, timeOf(group, isHour)]
  const ends = isNamed
    ? sums.map((one) => linkOf(one)[1])
    : [from, end - periodMs].map((at) => timeOf(at, isHour))
  const count = isNamed ? sums.length : (end - from) / periodMs
  // Time runs from left to right in equal steps; models stand in a row.
  const place = ({ group }: RunGroupTotals, index: number) =>
    isNamed ? index : (Number(group) - from) / periodMs
  const charts = (
    <div key="charts" class="charts">
      {all.map((figure) => (
        <Chart
          key={figure[0]}
          figure={figure}
          totals={sums}
          place={place}
          count={count}
          linkOf={linkOf}
          ends={ends}
        />
      ))}
    </div>
  )
  const table = (
    <div
      key="table"
      class="scroll"
      tabIndex={0}
      role="group"
      aria-label="The numbers of the charts"
    >
      <table>
        <TableHead columns={[['Runs of'], ...all.map(([title]) => [title, true] as const)]} />
        <tbody>
          {sums.map((totals) => (
            <tr key={totals.group}>
              <th scope="row">
                <a href={linkOf(totals)[0]}>{linkOf(totals)[1]}</a>
              </th>
              {all.map(([title, valueOf, format]) => (
                <td key={title} class="number">
                  {format(valueOf(totals))}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
  return <>{isNamed ? [table, charts] : [charts, table]}</>
}

const timeOf = (at: number, isHour: boolean): string =>
  new Date(at).toLocaleString('en', {
    month: 'short',
    day: 'numeric',
    hour: isHour ? '2-digit' : undefined,
  })

const width = 300
const height = 80

/** What the charts of one grouping share. `ends`: the text below the bars. */
interface ChartProps {
  readonly figure: Figure
  readonly totals: readonly RunGroupTotals[]
  readonly place: (totals: RunGroupTotals, index: number) => number
  readonly count: number
  readonly linkOf: (totals: RunGroupTotals) => readonly [href: string, name: string]
  readonly ends: readonly string[]
}

/** Bars as links in an SVG, which needs no inline style. */
function Chart({
  figure: [title, valueOf, format],
  totals,
  place,
  count,
  linkOf,
  ends,
}: ChartProps): VNode {
  const most = Math.max(...totals.map((one) => valueOf(one) ?? 0))
  const step = width / count
  return (
    <figure>
      <figcaption>
        {title} <span class="muted">up to {format(most)}</span>
      </figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} role="group" aria-label={title}>
        {totals.map((one, index) => {
          const tall = most > 0 ? ((valueOf(one) ?? 0) / most) * height : 0
          const x = place(one, index) * step
          const label = `${linkOf(one)[1]}: ${format(valueOf(one))}`
          const isError = title === 'Errors'
          return (
            <a
              key={label}
              href={`${linkOf(one)[0]}${isError ? '&error=any' : ''}`}
              aria-label={label}
            >
              <title>{label}</title>
              <rect class="reach" x={x} y="0" width={step} height={height} />
              <rect
                class={`bar ${isError ? 'failed' : 'model'}`}
                x={x + step / 10}
                y={height - tall}
                width={step * 0.8}
                height={tall}
              />
            </a>
          )
        })}
      </svg>
      <p class={`ends muted ${ends.length === count ? 'each' : ''}`} aria-hidden="true">
        {ends.map((end) => (
          <span key={end} title={end}>
            {end}
          </span>
        ))}
      </p>
    </figure>
  )
}
