import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { isOver } from '../../protocol/run-status.js'
import { useRun, useVersion } from '../link/use-run.js'
import { Legend } from '../parts/legend.js'
import { CallDetails } from './call-details.js'
import { CallTable } from './call-table.js'
import { RunFigures } from './conversation.js'
import { RunHead } from './run-head.js'

/**
 * A run on one time axis: model calls, tools, agents, waits and retries; below, the selected one.
 */
export function Timeline({ id }: { readonly id: string }): VNode {
  const { run, problem } = useRun(id)
  const [selected, setSelected] = useState<string>()
  useVersion(run)
  useTick(run !== undefined && !isOver(run.record.value))
  const head = <RunHead id={id} current="timeline" run={run} problem={problem} />
  if (!run) return head
  const { spans } = run.view
  const { latencyMs = 0 } = run.record.value
  const chosen = spans.find((span) => span.id === selected)
  const now = isOver(run.record.value) ? 1 : run.view.elapsed
  const end = spans.reduce(
    (latest, { from, to }) => Math.max(latest, to ?? from),
    Math.max(latencyMs, now),
  )
  return (
    <div class="timeline">
      {head}
      <RunFigures run={run} />
      {spans.length === 0 ? (
        <p class="empty">
          Nothing has happened yet. The first model call appears here as soon as it starts.
        </p>
      ) : (
        <>
          <CallTable spans={spans} end={end} selected={selected} onSelect={setSelected} />
          {chosen && <CallDetails key={chosen.id} span={chosen} run={run} />}
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
  ['wait', 'Wait or retry'],
  ['start', 'Start of tools and model'],
] as const
