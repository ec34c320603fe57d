import { useEffect, useState } from 'preact/hooks'
import type { RunSummary } from '../../protocol/protocol.js'
import { isOver } from '../../protocol/run-status.js'
import type { Segment, Span } from '../link/run-parts.js'
import { type WatchedRun, watch } from '../link/state.js'
import { useRunsAround } from '../link/use-runs-around.js'
import { visible } from '../parts/visible.js'

/** A row of the timeline: a part of a run, or a run that happened in it. */
export interface Row {
  /** Unique in the timeline. */
  readonly id: string
  /** Runs around it, within the run of the timeline. */
  readonly depth: number
  /** Its bar, in milliseconds since the start of the run of the timeline. */
  readonly span: Span
  /** The run that it is a part of. */
  readonly of: WatchedRun
  /** The part of that run, by its own clock. Unset for a run. */
  readonly part?: Span
  /** The run that this row is. */
  readonly run?: RunSummary
  /** True if the rows below show the parts of this run. */
  readonly isOpen?: boolean
}

/** The rows of a run with all runs in it, and the way to open and close one of those. */
export interface RunTree {
  readonly rows: readonly Row[]
  readonly toggle: (runId: string) => void
}

/** Runs that are open without a click: each is read whole. */
const mostOpened = 12
/** Milliseconds below which the start of a run inside another one is not worth a row. */
const shortStart = 100

/** What the rows are made of. */
interface Tree {
  readonly children: ReadonlyMap<string, readonly RunSummary[]>
  readonly opened: ReadonlyMap<string, WatchedRun>
}

/** The rows of a run on one time axis; none until the run is read. */
export function useRunTree(run: WatchedRun | undefined): RunTree {
  const id = run?.record.value.id ?? ''
  const around = useRunsAround(run)
  const children = new Map<string, RunSummary[]>()
  for (const one of around)
    if (one.parent !== undefined)
      children.set(one.parent, [...(children.get(one.parent) ?? []), one])
  const below = descendants(id, children)

  const [chosen, setChosen] = useState<Readonly<Record<string, boolean>>>({})
  const openAtFirst = below
    .filter((one, place) => place < mostOpened || one.error !== undefined)
    .slice(0, 2 * mostOpened)
  const open = below
    .filter((one) => chosen[one.id] ?? openAtFirst.includes(one))
    .map((one) => one.id)

  const [watched, setWatched] = useState<ReadonlyMap<string, WatchedRun>>(new Map())
  useEffect(() => {
    let isCurrent = true
    const missing = open.filter((one) => !watched.has(one))
    if (missing.length > 0)
      void Promise.all(missing.map(async (one) => [one, await watch(one)] as const)).then(
        (found) => isCurrent && setWatched(new Map([...watched, ...found])),
        () => undefined,
      )
    return () => {
      isCurrent = false
    }
  }, [open.join(' ')])

  const opened = new Map([...watched].filter(([one]) => open.includes(one)))
  return {
    rows: run ? rowsOf(run, { children, opened }, 0, 0) : [],
    toggle: (runId) => setChosen({ ...chosen, [runId]: !open.includes(runId) }),
  }
}

function descendants(
  id: string,
  children: ReadonlyMap<string, readonly RunSummary[]>,
): readonly RunSummary[] {
  const below = [...(children.get(id) ?? [])]
  // The list grows while it is walked: the children come after their parent.
  for (const one of below) below.push(...(children.get(one.id) ?? []))
  return below
}

/** The parts of a run, each followed by the runs that began during it. `start`: when it began. */
function rowsOf(of: WatchedRun, tree: Tree, start: number, depth: number): readonly Row[] {
  // Draws again whenever the run has changed.
  void of.version.value
  const { id, at } = of.record.value
  const { spans, segments } = of.view
  const places = new Map<RunSummary, number>()
  for (const run of tree.children.get(id) ?? [])
    places.set(run, placeOf(run, run.at - at, { spans, segments, taken: [...places.values()] }))
  const rowsIn = (place: number): readonly Row[] =>
    [...places]
      .filter(([, taken]) => taken === place)
      .flatMap(([run]) => runRows(run, of, tree, start + run.at - at, depth))
  return [
    ...rowsIn(-1),
    ...spans.flatMap((part, place) => [
      ...(depth > 0 && isShortStart(part)
        ? []
        : [{ id: `${id} ${part.id}`, depth, span: shifted(part, start), of, part }]),
      ...rowsIn(place),
    ]),
  ]
}

/** The row of a run, and those of its parts if it is open. */
function runRows(
  run: RunSummary,
  of: WatchedRun,
  tree: Tree,
  start: number,
  depth: number,
): readonly Row[] {
  const opened = tree.opened.get(run.id)
  const latest: RunSummary = { ...run, ...opened?.record.value }
  const row = { id: run.id, depth, span: spanOf(latest, start), of, run: latest }
  const isOpen = opened !== undefined
  return [{ ...row, isOpen }, ...(opened ? rowsOf(opened, tree, start, depth + 1) : [])]
}

const isShortStart = ({ kind, from, to = Infinity }: Span): boolean =>
  kind === 'start' && to - from < shortStart

/**
 * The call in which a run began. Of several that were under way at once, the one whose arguments
 * the title of the run repeats, then the one with the fewest runs so far. Without a call it is the
 * part that began last.
 */
function placeOf(
  { title }: RunSummary,
  at: number,
  of: {
    readonly spans: readonly Span[]
    readonly segments: readonly Segment[]
    readonly taken: readonly number[]
  },
): number {
  const candidates = of.spans.flatMap(({ kind, from, to = Infinity, callId }, place) => {
    if ((kind !== 'tool' && kind !== 'agent') || from > at || at > to) return []
    const call = of.segments.find((one) => one.id === callId)
    const texts = call?.kind === 'tool' ? (call.args.match(/"[^"\n]{3,}"(?!:)/g) ?? []) : []
    const isNamed = texts.some((text) => title.includes(text.slice(1, -1)))
    return { place, isNamed, runs: of.taken.filter((one) => one === place).length }
  })
  const [best] = candidates.sort(
    (one, other) => Number(other.isNamed) - Number(one.isNamed) || one.runs - other.runs,
  )
  return best?.place ?? of.spans.findLastIndex(({ from }) => from <= at)
}

function shifted(span: Span, by: number): Span {
  const { from, to, firstTokenAt } = span
  return {
    ...span,
    from: from + by,
    ...(to !== undefined && { to: to + by }),
    ...(firstTokenAt !== undefined && { firstTokenAt: firstTokenAt + by }),
  }
}

/** A run as a bar, with the sums of all runs in it. */
function spanOf(run: RunSummary, from: number): Span {
  const { title, status, tree, usage, latencyMs, waitedMs = 0, firstTokenMs, cost, currency } = run
  const counts = tree ?? usage
  const [sum, ...others] = Object.entries(tree?.costs ?? {})
  const total = tree ? (others.length === 0 ? sum?.[1] : undefined) : cost
  const bound = tree ? tree.costBound : run.costBound
  return {
    id: run.id,
    kind: 'run',
    name: visible(title),
    step: 0,
    from,
    state: stateOf(run),
    ...(isOver(run) && { to: from + (latencyMs ?? 0) + waitedMs }),
    ...(firstTokenMs !== undefined && { firstTokenAt: from + firstTokenMs }),
    ...(counts && { inputTokens: counts.inputTokens, outputTokens: counts.outputTokens }),
    ...(total !== undefined && { cost: total, currency: sum?.[0] ?? currency ?? 'USD' }),
    ...(bound && { costBound: bound }),
    ...(status === 'suspended' && { detail: 'waits' }),
  }
}

function stateOf({ status, error }: RunSummary): Span['state'] {
  if (status === 'running' || status === 'waiting') return 'running'
  if (error || status === 'failed') return 'failed'
  return status === 'cancelled' ? 'stopped' : 'ok'
}
