import type { VNode } from 'preact'
import type { RunSummary } from '../../protocol/protocol.js'
import { isOver } from '../../protocol/run-status.js'
import { NoRun } from '../link/no-run.js'
import type { WatchedRun } from '../link/state.js'
import { useVersion } from '../link/use-run.js'
import { isWrapper, useRunsAround } from '../link/use-runs-around.js'
import { formatTime, stateOf } from '../parts/format.js'
import { visible } from '../parts/visible.js'

/** The views of a run, and the title of each until the run is there. */
const views = [
  ['chat', 'Conversation'],
  ['timeline', 'Timeline'],
  ['raw', 'Raw'],
  ['context', 'Context'],
] as const

/** Related runs of one kind that are named. */
const mostNamed = 5

/**
 * The head of every view of a run: what it is, how it stands, which runs it belongs to, and its
 * views.
 */
export function RunHead({
  id,
  current,
  run,
  problem,
}: {
  readonly id: string
  readonly current: (typeof views)[number][0]
  readonly run: WatchedRun | undefined
  /** Why the run cannot be read. */
  readonly problem: string | undefined
}): VNode {
  useVersion(run)
  const record = run?.record.value
  return (
    <header class="run-head">
      <h1>{record ? visible(record.title) : views.find(([name]) => name === current)?.[1]}</h1>
      {run && record && (
        <>
          <p class="about">
            <State run={run} /> <span>{visible(record.model)}</span>{' '}
            {record.program !== undefined && <span class="badge">{visible(record.program)}</span>}{' '}
            {record.offTheRecord && <span class="badge">off the record</span>}{' '}
            <span>{formatTime(record.at)}</span>
          </p>
          <Related run={run} current={current} />
        </>
      )}
      <nav class="tabs" aria-label="Views of this run">
        {views.map(([name, label]) => (
          <a
            key={name}
            href={`#/${name}/${id}`}
            aria-current={name === current ? 'page' : undefined}
          >
            {label}
          </a>
        ))}
      </nav>
      {problem !== undefined && <NoRun problem={problem} />}
      {!run && problem === undefined && <p class="muted working">Reading the run…</p>}
    </header>
  )
}

/** The conversation of a durable run is that of the run in it: its timeline has both. */
const viewOf = (run: RunSummary, current: string): string =>
  current === 'chat' && isWrapper(run) ? 'timeline' : current

/**
 * The record has how a run began and how it ended; between them the events say whether it waits.
 */
function State({ run }: { readonly run: WatchedRun }): VNode {
  useVersion(run)
  const { record, view } = run
  const status = isOver(record.value)
    ? record.value.status
    : view.asking.length > 0
      ? 'waiting'
      : 'running'
  return <span class={`state is-${status}`}>{stateOf({ ...record.value, status })}</span>
}

/** The runs that this one happened in or follows, and those that happened in it or follow it. */
function Related({
  run,
  current,
}: {
  readonly run: WatchedRun
  readonly current: string
}): VNode | null {
  const { id, parent, from } = run.record.value
  const runs = useRunsAround(run)
  const kinds = [
    ['Part of', runs.filter((one) => one.id === parent)],
    ['After', runs.filter((one) => one.id === from?.runId)],
    ['Contains', runs.filter((one) => one.parent === id)],
    ['Then', runs.filter((one) => one.from?.runId === id)],
  ] as const
  const found = kinds.filter(([, of]) => of.length > 0)
  if (found.length === 0) return null
  return (
    <dl class="related">
      {found.map(([label, of]) => (
        <div key={label}>
          <dt>{label}</dt>
          {of.slice(0, mostNamed).map((one) => (
            <dd key={one.id}>
              <a href={`#/${viewOf(one, current)}/${one.id}`}>{visible(one.title)}</a>{' '}
              {one.error && <span class={`state is-${one.status}`}>{stateOf(one)}</span>}
            </dd>
          ))}
          {of.length > mostNamed && (
            <dd>
              <a href={`#/runs?${new URLSearchParams({ session: id })}`}>and others</a>
            </dd>
          )}
        </div>
      ))}
    </dl>
  )
}
