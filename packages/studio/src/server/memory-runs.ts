import type { RunRecord, RunSummary, StudioEvent } from '../protocol/protocol.js'
import type { RunGrouping, RunNames, RunQuery, RunTotals } from '../protocol/run-query.js'
import { slotsPerMs, toSummary } from './run-summary.js'
import { findWords, toRunText, toWords } from './run-text.js'

/** A run in memory, with its position in the list. */
export interface ListedRun {
  readonly run: RunRecord
  readonly events: readonly StudioEvent[]
  readonly key: number
  readonly session: string
}

const textOf = ({ run, events }: ListedRun): ReturnType<typeof toRunText> => toRunText(run, () => events)

/** A key for a run of this time that no other run has. */
export function newKey(at: number, taken: ReadonlySet<number>): number {
  let key = Math.floor(at) * slotsPerMs + slotsPerMs / 2
  while (taken.has(key)) key++
  return key
}

function matches(one: ListedRun, query: RunQuery): boolean {
  const { run, key } = one
  const { session, program, model, status, error, minCost, since, until, before, tool } = query
  const wanted = { session, program, model, status, error: error === 'any' ? run.error?.code : error }
  const actual = { ...run, session: one.session, error: run.error?.code }
  return (
    Object.entries(wanted).every(
      ([name, value]) => value === undefined || actual[name as keyof typeof wanted] === value,
    ) &&
    (error === undefined || run.error !== undefined) &&
    (minCost === undefined || (run.cost ?? -1) >= minCost) &&
    (since === undefined || run.at >= since) &&
    (until === undefined || run.at < until) &&
    (before === undefined || key < before) &&
    (tool === undefined || textOf(one).tools.includes(tool))
  )
}

/** The newest runs that match, by a scan of all. */
export function listRuns(all: readonly ListedRun[], limit: number, query: RunQuery): RunSummary[] {
  const words = toWords(query.text)
  const summaries: RunSummary[] = []
  for (const one of [...all].sort((a, b) => b.key - a.key)) {
    if (!matches(one, query)) continue
    const found = words && findWords(textOf(one).text, words)
    if (words && found === undefined) continue
    const { key, session } = one
    const others = query.heads ? all.filter((other) => other.session === session) : []
    if (others.some((other) => comesFirst(other, one))) continue
    const more = { key, session, ...(query.heads && { runs: others.length }), ...(found !== undefined && { found }) }
    if (summaries.push({ ...toSummary(one.run), ...more }) === limit) break
  }
  return summaries
}

const isChild = ({ run }: ListedRun): number => (run.parent === undefined ? 0 : 1)

/** True if the other run stands for the session rather than this one. */
const comesFirst = (other: ListedRun, one: ListedRun): boolean =>
  isChild(other) < isChild(one) || (isChild(other) === isChild(one) && other.key > one.key)

/** Sums over all runs that match. */
export function totalRuns(all: readonly ListedRun[], query: RunQuery, by?: RunGrouping): RunTotals[] {
  const runs = listRuns(all, Infinity, { ...query, heads: false, before: undefined })
  const groupOf = ({ model, at }: RunSummary): string | number | undefined => {
    if (by === undefined || by === 'model') return by && model
    return Math.floor((at - by.offset) / by.periodMs) * by.periodMs + by.offset
  }
  const groups = new Map<string | number | undefined, RunSummary[]>()
  for (const run of runs) groups.set(groupOf(run), [...(groups.get(groupOf(run)) ?? []), run])
  return [...groups].sort(([a = 0], [b = 0]) => (a < b ? -1 : 1)).map(([group, of]) => toTotals(of, group))
}

function toTotals(runs: readonly RunSummary[], group: string | number | undefined): RunTotals {
  const costs: Record<string, number> = {}
  for (const { cost, currency = 'USD' } of runs) if (cost !== undefined) costs[currency] = (costs[currency] ?? 0) + cost
  const sum = (count: (run: RunSummary) => number | undefined): number =>
    runs.reduce((total, run) => total + (count(run) ?? 0), 0)
  const times = runs.flatMap(({ latencyMs }) => latencyMs ?? []).sort((a, b) => a - b)
  const rank = (share: number): number => times[Math.ceil(share * times.length) - 1] ?? 0
  return {
    ...(group !== undefined && { group }),
    ...{ runs: runs.length, errors: sum(({ error }) => (error ? 1 : 0)), costs },
    inputTokens: sum(({ usage }) => usage?.inputTokens),
    outputTokens: sum(({ usage }) => usage?.outputTokens),
    cachedTokens: sum(({ usage }) => usage?.cacheReadTokens),
    ...(group !== undefined && times.length > 0 && { p50: rank(0.5), p95: rank(0.95) }),
  }
}

/** The values that filters can have. */
export function namesOf(all: readonly ListedRun[]): RunNames {
  const distinct = (values: readonly (string | undefined)[]): string[] =>
    [...new Set(values)].filter((value) => value !== undefined).sort()
  return {
    programs: distinct(all.map(({ run }) => run.program)),
    models: distinct(all.map(({ run }) => run.model)),
    tools: distinct(all.flatMap((one) => textOf(one).tools)),
    errors: distinct(all.map(({ run }) => run.error?.code)),
  }
}
