import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { ModelInfo, RunSummary } from '../protocol/protocol.js'
import { get, post, remove } from './api.js'
import { formatCost, formatMs, formatTime } from './format.js'
import { go, info, refreshInfo, selectedModel } from './state.js'
import { useLoaded } from './use-loaded.js'

/** A run with the runs that were forked from it. */
interface Branch {
  readonly run: RunSummary
  readonly depth: number
}

/** Runs in the order of a tree: each below the run it continues or was forked from. */
export function toTree(runs: readonly RunSummary[]): Branch[] {
  const ids = new Set(runs.map(({ id }) => id))
  const children = new Map<string, RunSummary[]>()
  for (const run of [...runs].sort((one, other) => one.at - other.at)) {
    const parent = run.from && ids.has(run.from.runId) ? run.from.runId : ''
    children.set(parent, [...(children.get(parent) ?? []), run])
  }
  const branches: Branch[] = []
  const stack = (children.get('') ?? []).map((run) => ({ run, depth: 0 }))
  for (let branch = stack.pop(); branch; branch = stack.pop()) {
    branches.push(branch)
    const { run, depth } = branch
    for (const child of (children.get(run.id) ?? []).reverse()) stack.push({ run: child, depth: depth + 1 })
  }
  return branches
}

/** Every run that is kept, as a tree of forks. */
export function RunList(): VNode {
  const [version, setVersion] = useState(0)
  const { value: runs, problem } = useLoaded(`runs ${version}`, () => get<RunSummary[]>('/api/runs'))
  return (
    <div class="runs">
      <h1>Runs</h1>
      <p class="muted">
        {info.value?.file === undefined
          ? 'Runs are kept in memory until the studio ends.'
          : `Runs are kept in ${info.value.file}, readable by you only.`}{' '}
        Nothing is sent anywhere.
      </p>
      <OpenCassette />
      {problem && <p class="problem">{problem}</p>}
      {runs?.length === 0 && (
        <p class="empty">
          No runs yet. <a href="#/chat">Start a conversation.</a>
        </p>
      )}
      {runs && runs.length > 0 && <RunTable runs={runs} onDeleted={() => setVersion(version + 1)} />}
    </div>
  )
}

function RunTable({
  runs,
  onDeleted,
}: {
  readonly runs: readonly RunSummary[]
  readonly onDeleted: () => void
}): VNode {
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label="Runs">
      <table>
        <caption>A run stands below the run that it continues or was forked from</caption>
        <thead>
          <tr>
            {['Run', 'Model', 'When', 'Took', 'First token', 'Cost', 'State', ''].map((title) => (
              <th key={title} scope="col">
                {title || <span class="visually-hidden">Delete</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {toTree(runs).map(({ run, depth }) => (
            <tr key={run.id}>
              <th scope="row" class={`depth-${Math.min(depth, 8)}`}>
                <a href={`#/chat/${run.id}`}>{run.title}</a>
                {run.offTheRecord && <span class="badge">off the record</span>}
              </th>
              <td>{run.model}</td>
              <td>{formatTime(run.at)}</td>
              <td>{formatMs(run.latencyMs)}</td>
              <td>{formatMs(run.firstTokenMs)}</td>
              <td>{formatCost(run.cost)}</td>
              <td>{run.error ? `${run.status}: ${run.error.code}` : run.status}</td>
              <td>
                <button
                  type="button"
                  class="quiet"
                  aria-label={`Delete ${run.title}`}
                  onClick={() => void remove(`/api/runs/${run.id}`).then(onDeleted)}
                >
                  Delete
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function OpenCassette(): VNode {
  const [problem, setProblem] = useState('')
  const open = async (file: File | undefined): Promise<void> => {
    if (!file) return
    try {
      const { id } = await post<ModelInfo>('/api/cassettes', JSON.parse(await file.text()))
      await refreshInfo()
      selectedModel.value = id
      go('chat')
    } catch (error) {
      setProblem(error instanceof SyntaxError ? `${file.name} is not JSON` : (error as Error).message)
    }
  }
  return (
    <p>
      <label class="file">
        Open a cassette
        <input
          type="file"
          accept=".json,application/json"
          onChange={(event) => void open(event.currentTarget.files?.[0])}
        />
      </label>{' '}
      <span class={problem ? 'problem' : 'muted'} role="status">
        {problem || 'It becomes a model that replays what was recorded: no network, no key.'}
      </span>
    </p>
  )
}
