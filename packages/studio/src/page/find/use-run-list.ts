import { useEffect, useState } from 'preact/hooks'
import type { RunSummary } from '../../protocol/protocol.js'
import type { RunSort } from '../../protocol/run-query.js'
import { get } from '../link/api.js'
import { connection } from '../link/connection.js'
import { useLoaded } from '../link/use-loaded.js'
import { placeHere } from './use-place.js'

/** Runs that are loaded at once. */
const pageSize = 100
/** Milliseconds between two looks for changes. */
const lookMs = 2000

/** The list of runs as far as it was loaded. */
export interface RunListState {
  readonly runs: readonly RunSummary[] | undefined
  readonly problem: string | undefined
  /**
   * Number of runs that began since: they are shown when the person asks for them, so that no row
   * moves under the pointer.
   */
  readonly fresh: number
  /** Loads the next page; unset when all are there. */
  readonly more: (() => Promise<void>) | undefined
}

/**
 * Loads the runs that match `filters`, page by page, and looks whether those that are shown have
 * changed.
 */
export function useRunList(
  filters: string,
  sort: RunSort | undefined,
  version: number,
): RunListState {
  const query = sort ? `${filters}&sort=${sort}` : filters
  const key = `runs ${query} ${version}`
  const path = (more = `&limit=${pageSize}`): string =>
    `/api/runs?${new URLSearchParams(query + more)}`
  const { value: first, problem } = useLoaded(key, () =>
    get<RunSummary[]>(path(`&limit=${placeHere().limit}`)),
  )
  const [rest, setRest] = useState<{ readonly key: string; readonly runs: readonly RunSummary[] }>({
    key,
    runs: [],
  })
  const [news, setNews] = useState<{ readonly key: string; readonly runs: readonly RunSummary[] }>({
    key,
    runs: [],
  })
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.hidden || connection.value !== 'ok') return
      // Sorting all runs again and again is not worth it: what changes is among the newest.
      get<RunSummary[]>(`/api/runs?${filters}`).then(
        (runs) => setNews({ key, runs }),
        () => undefined,
      )
    }, lookMs)
    return () => clearInterval(timer)
  }, [key])
  const isSame = rest.key === key
  const loaded = first && [...first, ...(isSame ? rest.runs : [])]
  const latest = new Map((news.key === key ? news.runs : []).map((run) => [run.id, run]))
  const last = isSame && rest.runs.length > 0 ? rest.runs : first
  const newest = first?.[0]?.key ?? 0
  const isFull = last !== undefined && last.length > 0 && (loaded?.length ?? 0) % pageSize === 0
  return {
    runs: loaded?.map((run) => latest.get(run.id) ?? run),
    problem,
    fresh: sort ? 0 : [...latest.values()].filter(({ key: at = 0 }) => at > newest).length,
    more: isFull
      ? async () => {
          const next = await get<RunSummary[]>(
            path(
              `&limit=${pageSize}&${sort ? `skip=${loaded?.length ?? 0}` : `before=${last.at(-1)?.key ?? 0}`}`,
            ),
          )
          setRest({ key, runs: [...(isSame ? rest.runs : []), ...next] })
        }
      : undefined,
  }
}
