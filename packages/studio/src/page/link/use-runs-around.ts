import { useRef } from 'preact/hooks'
import type { RunRecord, RunSummary } from '../../protocol/protocol.js'
import { isOver } from '../../protocol/run-status.js'
import { get } from './api.js'
import type { WatchedRun } from './state.js'
import { useLoaded } from './use-loaded.js'

/** Runs around one that are looked for. */
const mostRuns = 500

/** Only in a program do other runs begin inside of one. */
const canGrow = (record: RunRecord): boolean => record.program !== undefined && !isOver(record)

/**
 * The runs that a run is part of, follows or contains, and those that follow it, the oldest first.
 * They are looked for again while new ones can begin. None until the run is read.
 */
export function useRunsAround(run: WatchedRun | undefined): readonly RunSummary[] {
  const record = run?.record.value
  const id = record?.id
  const size = run && record && canGrow(record) ? run.view.spans.length : -1
  const { value } = useLoaded(`around ${id} ${size}`, async () =>
    id === undefined
      ? []
      : get<RunSummary[]>(
          `/api/runs?${new URLSearchParams({ session: id, limit: String(mostRuns) })}`,
        ),
  )
  // Those of the look before stay until the new ones are there.
  const latest = useRef<readonly RunSummary[]>([])
  if (value) latest.current = [...value].reverse()
  return latest.current
}

/** True for a durable run, or a task: the runs in it make the calls of models. */
export const isWrapper = ({ program, model }: RunSummary): boolean =>
  program !== undefined && /^(?:durable|task) /.test(model)
