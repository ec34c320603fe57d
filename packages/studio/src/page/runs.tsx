import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { ModelInfo, RunSummary } from '../protocol/protocol.js'
import { get, post, remove } from './api.js'
import { formatCost, formatCount, formatMs, formatTime, stateOf } from './format.js'
import { go, info, lastChat, refreshInfo, selectedModel } from './state.js'
import { type Columns, TableHead } from './table-head.js'
import { useLoaded } from './use-loaded.js'

/** Maximum runs that the studio lists. */
const mostListed = 500

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
      {!runs && !problem && <p class="muted working">Reading the runs…</p>}
      {problem && <p class="problem">{problem}</p>}
      {runs?.length === 0 && (
        <p class="empty">
          No runs yet. <a href="#/chat">Start a conversation</a>, or open a cassette that somebody recorded.
        </p>
      )}
      {runs && runs.length > 0 && <Totals runs={runs} />}
      {runs && runs.length > 0 && <RunTable runs={runs} onDeleted={() => setVersion(version + 1)} />}
    </div>
  )
}

/** The total cost of the listed runs, and a note that older ones are not listed. */
function Totals({ runs }: { readonly runs: readonly RunSummary[] }): VNode {
  const costs = new Map<string, number>()
  for (const { cost, currency = 'USD' } of runs)
    if (cost !== undefined) costs.set(currency, (costs.get(currency) ?? 0) + cost)
  const tokens = runs.reduce((sum, { usage }) => sum + (usage ? usage.inputTokens + usage.outputTokens : 0), 0)
  const spent = [...costs].map(([currency, cost]) => formatCost(cost, currency)).join(' and ')
  return (
    <p class="muted">
      {runs.length === mostListed &&
        `Only the newest ${formatCount(mostListed)} runs are listed; older ones stay in the file. `}
      {formatCount(runs.length)} {runs.length === 1 ? 'run' : 'runs'}, {formatCount(tokens)} tokens
      {spent && `, ${spent}`}
    </p>
  )
}

const columns: Columns = [
  ['Run'],
  ['Model'],
  ['When'],
  ['Took', true],
  ['First token', true],
  ['Tokens', true],
  ['Cost', true],
  ['State'],
  [<span class="visually-hidden">Delete</span>],
]

function RunTable({
  runs,
  onDeleted,
}: {
  readonly runs: readonly RunSummary[]
  readonly onDeleted: () => void
}): VNode {
  return (
    <div
      class="scroll"
      tabIndex={0}
      role="group"
      aria-label="Runs, each below the run that it continues or was forked from"
    >
      <table>
        <TableHead columns={columns} />
        <tbody>
          {toTree(runs).map(({ run, depth }) => (
            <tr key={run.id}>
              <th scope="row" class={depth > 0 ? `fork depth-${Math.min(depth, 8)}` : ''}>
                <a href={`#/chat/${run.id}`}>{run.title}</a>
                {run.offTheRecord && <span class="badge">off the record</span>}
              </th>
              <td>{run.model}</td>
              <td>{formatTime(run.at)}</td>
              <td class="number">{formatMs(run.latencyMs)}</td>
              <td class="number">{formatMs(run.firstTokenMs)}</td>
              <td class="number">{formatCount(run.usage && run.usage.inputTokens + run.usage.outputTokens)}</td>
              <td class="number">{formatCost(run.cost, run.currency)}</td>
              <td>
                {stateOf(run)}
                {run.elsewhere && ' (another studio)'}
                {run.notKept !== undefined && ' (not saved)'}
              </td>
              <td>
                <DeleteButton run={run} onDeleted={onDeleted} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Deletes a run on the second click. */
function DeleteButton({ run, onDeleted }: { readonly run: RunSummary; readonly onDeleted: () => void }): VNode {
  const [state, setState] = useState<'idle' | 'asking' | 'failed'>('idle')
  const click = async (): Promise<void> => {
    if (state !== 'asking') {
      setState('asking')
      return
    }
    try {
      await remove(`/api/runs/${run.id}`)
      if (lastChat.value === run.id) lastChat.value = ''
      onDeleted()
    } catch {
      setState('failed')
    }
  }
  const text = { idle: 'Delete', asking: 'Delete for good', failed: 'Not deleted; try again' }[state]
  return (
    <button
      type="button"
      class={state === 'idle' ? 'quiet delete' : 'danger'}
      aria-label={`${text}: ${run.title}`}
      onClick={() => void click()}
      onBlur={() => setState('idle')}
    >
      {text}
    </button>
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
      setProblem(
        error instanceof SyntaxError
          ? `${file.name} is not JSON. Choose a file that “Save as a cassette” or modelport chat --record wrote.`
          : (error as Error).message,
      )
    }
  }
  return (
    <div class="file-row kept">
      <label class="button file">
        Open a cassette…
        <input
          class="visually-hidden"
          type="file"
          accept=".json,application/json"
          onChange={(event) => void open(event.currentTarget.files?.[0])}
        />
      </label>
      <span class={problem ? 'problem' : 'muted'} role="status">
        {problem || 'It becomes a model that replays what was recorded, without a network and without a key.'}
      </span>
    </div>
  )
}
