import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { CallDetails } from './call-details.js'
import { CallTable } from './call-table.js'
import { RunFigures } from './conversation.js'
import { Legend } from './legend.js'
import { NoRun } from './no-run.js'
import { RunTabs } from './run-tabs.js'
import { useRun, useVersion } from './use-run.js'

/** A run on one time axis: model calls, tools, agents, waits and retries; below, the selected one. */
export function Timeline({ id }: { readonly id: string }): VNode {
  const { run, problem } = useRun(id)
  const [selected, setSelected] = useState<string>()
  useVersion(run)
  if (problem !== undefined)
    return (
      <>
        <h1>Timeline</h1>
        <NoRun problem={problem} />
      </>
    )
  if (!run) return <p class="muted working">Reading the run…</p>
  const { spans } = run.view
  const { latencyMs = 0, title } = run.record.value
  const chosen = spans.find((span) => span.id === selected)
  const end = spans.reduce((latest, { from, to }) => Math.max(latest, to ?? from), Math.max(latencyMs, 1))
  return (
    <div class="timeline">
      <h1>{title}</h1>
      <RunTabs id={id} current="timeline" />
      <RunFigures run={run} />
      {spans.length === 0 ? (
        <p class="empty">Nothing has happened yet. The first model call appears here as soon as it starts.</p>
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

const kinds = [
  ['model', 'Model call'],
  ['tool', 'Tool'],
  ['agent', 'Agent'],
  ['wait', 'Wait or retry'],
  ['start', 'Start of tools and model'],
] as const
