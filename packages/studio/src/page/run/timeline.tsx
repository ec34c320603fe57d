import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { RunSummary } from '../../protocol/protocol.js'
import { isOver } from '../../protocol/run-status.js'
import { useRun, useVersion } from '../link/use-run.js'
import { Legend } from '../parts/legend.js'
import { CallDetails } from './call-details.js'
import { CallTable } from './call-table.js'
import { RunFigures } from './conversation.js'
import { RunHead } from './run-head.js'
import { type Row, useRunTree } from './run-tree.js'

/**
 * A run on one time axis: model calls, tools, agents, waits and retries; below, the selected one.
 */
export function Timeline({
  id,
  step,
}: {
  readonly id: string
  /** The step that is selected at first, from 1. NaN: the one that failed, if any did. */
  readonly step: number
}): VNode {
  const { run, problem } = useRun(id)
  const [selected, setSelected] = useState<string>()
  useVersion(run)
  useTick(run !== undefined && !isOver(run.record.value))
  const { rows, toggle } = useRunTree(run)
  const head = <RunHead id={id} current="timeline" run={run} problem={problem} />
  if (!run) return head
  const { latencyMs = 0 } = run.record.value
  // The step that failed is what a person who opens a failed run looks for.
  const failed = run.record.value.error && rows.findLast(isFailure)?.id
  const asked = rows.findLast((row) => isCallOf(row, id, step))?.id
  const chosen = rows.find((row) => row.id === (selected ?? asked ?? failed))
  const now = isOver(run.record.value) ? 1 : run.view.elapsed
  const end = rows.reduce(
    (latest, { span: { from, to } }) => Math.max(latest, to ?? from),
    Math.max(latencyMs, now),
  )
  return (
    <div class="timeline">
      {head}
      <RunFigures run={run} />
      {rows.length === 0 ? (
        <p class="empty">
          Nothing has happened yet. The first model call appears here as soon as it starts.
        </p>
      ) : (
        <>
          <CallTable
            rows={rows}
            end={end}
            selected={chosen?.id}
            onSelect={setSelected}
            onToggle={toggle}
          />
          {chosen && <CallDetails key={chosen.id} row={chosen} inside={runsIn(chosen, rows)} />}
          <Legend kinds={kinds}>
            <li>
              <span class="swatch of-first-token" aria-hidden="true" /> First token
            </li>
          </Legend>
        </>
      )}
    </div>
  )
}

/** A model call of this step; of several attempts, the last is looked for. */
const isCallOf = ({ part, of }: Row, id: string, step: number): boolean =>
  part?.kind === 'model' && part.step === step && of.record.value.id === id

/** A call that failed; not the run around it. */
const isFailure = ({ span, run }: Row): boolean => span.state === 'failed' && !run

/** The runs that began in a call: their rows follow its own. */
function runsIn(row: Row, rows: readonly Row[]): readonly RunSummary[] {
  const after = rows.slice(rows.indexOf(row) + 1)
  const next = after.findIndex(
    ({ depth, run }) => depth < row.depth || (depth === row.depth && !run),
  )
  return (next < 0 ? after : after.slice(0, next)).flatMap(({ depth, run }) =>
    run && depth === row.depth ? [run] : [],
  )
}

/** Milliseconds between two drawings of a run that is under way. */
const tickMs = 250

/** Draws again and again, so that the bars of what is under way grow. */
function useTick(isRunning: boolean): void {
  const [, setTick] = useState(0)
  useEffect(() => {
    if (!isRunning) return undefined
    const timer = setInterval(() => setTick((tick) => tick + 1), tickMs)
    return () => clearInterval(timer)
  }, [isRunning])
}

const kinds = [
  ['model', 'Model call'],
  ['tool', 'Tool'],
  ['agent', 'Agent'],
  ['run', 'Run inside'],
  ['wait', 'Wait or retry'],
  ['start', 'Start of tools and model'],
] as const
