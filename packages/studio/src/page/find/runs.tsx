import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { RunSummary } from '../../protocol/protocol.js'
import { type RunGroupTotals, type RunSort, tokensOf } from '../../protocol/run-query.js'
import { get, remove } from '../link/api.js'
import { info, lastChat, parameters, setParameter } from '../link/state.js'
import { useLoaded } from '../link/use-loaded.js'
import { costOf, formatCost, formatCount, formatMs, formatTime, stateOf } from '../parts/format.js'
import { type Columns, TableHead } from '../parts/table-head.js'
import { useAction } from '../parts/use-action.js'
import { visible } from '../parts/visible.js'
import { OpenFile } from './open-file.js'
import { RunFilters } from './run-filters.js'
import { placeHere, usePlace } from './use-place.js'
import { useRunList } from './use-run-list.js'

/** A run with the runs that were forked from it. */
interface Branch {
  readonly run: RunSummary
  readonly depth: number
}

/** Runs in the order of a tree: each below the run it continues, was forked from or happened in. */
export function toTree(runs: readonly RunSummary[]): Branch[] {
  const ids = new Set(runs.map(({ id }) => id))
  const children = new Map<string, RunSummary[]>()
  for (const run of [...runs].sort((one, other) => one.at - other.at)) {
    const origin = run.parent ?? run.from?.runId ?? ''
    const parent = ids.has(origin) ? origin : ''
    children.set(parent, [...(children.get(parent) ?? []), run])
  }
  const branches: Branch[] = []
  const stack = (children.get('') ?? []).map((run) => ({ run, depth: 0 }))
  for (let branch = stack.pop(); branch; branch = stack.pop()) {
    branches.push(branch)
    const { run, depth } = branch
    for (const child of (children.get(run.id) ?? []).reverse())
      stack.push({ run: child, depth: depth + 1 })
  }
  return branches
}

/** The runs that match the filters; without filters one row for each session. */
export function RunList(): VNode {
  const file = info.value?.file
  const [version, setVersion] = useState(0)
  const { sort, ...filters } = parameters.value
  const query = new URLSearchParams(filters).toString()
  const { runs, problem, fresh, more } = useRunList(
    query || 'heads=true',
    sort as RunSort | undefined,
    version,
  )
  const reload = (): void => setVersion(version + 1)
  const { isBusy, act } = useAction()
  return (
    <div class="runs">
      <h1>Runs</h1>
      <p class="muted">
        Runs are kept{' '}
        {file === undefined
          ? 'in memory until the studio ends'
          : `in ${file}, readable by you only`}
        . Nothing is sent anywhere.
      </p>
      <OpenFile />
      <RunFilters />
      {!runs && !problem && <p class="muted working">Reading the runs…</p>}
      {problem && <p class="problem">{problem}</p>}
      {runs?.length === 0 && !query && (
        <p class="empty">
          No runs yet. <a href="#/chat">Start a conversation</a>, or open a cassette that somebody
          recorded.
        </p>
      )}
      {runs?.length === 0 && query && (
        <p class="empty">
          No run matches. Use fewer words or filters, or <a href="#/runs">show all runs</a>.
        </p>
      )}
      {runs && <Totals query={query} version={`${version} ${fresh}`} />}
      {runs && (runs.length > 0 || fresh > 0) && (
        <p class="fresh" role="status">
          {fresh > 0 && (
            <button type="button" onClick={reload}>
              Show {formatCount(fresh)} new {fresh === 1 ? 'run' : 'runs'}
            </button>
          )}
        </p>
      )}
      {runs && runs.length > 0 && (
        <RunTable key={`${query} ${sort}`} runs={runs} onDeleted={reload} />
      )}
      {more && (
        <button type="button" disabled={isBusy} onClick={() => void act(more)}>
          Show more
        </button>
      )}
    </div>
  )
}

/** The sums over all runs that match, not only those that are listed. */
function Totals({ query, version }: { readonly query: string; readonly version: string }): VNode {
  const { value } = useLoaded(`totals ${query} ${version}`, () =>
    get<RunGroupTotals[]>(`/api/runs/totals?${query}`),
  )
  const [all] = value ?? []
  if (!all) return <p class="muted">{value ? '0 runs' : '…'}</p>
  const spent = Object.entries(all.costs).map(([currency, cost]) =>
    formatCost(cost, currency, all.costBound),
  )
  return (
    <p class="muted">
      {formatCount(all.runs)} {all.runs === 1 ? 'run' : 'runs'},{' '}
      {formatCount(all.inputTokens + all.outputTokens)} tokens
      {spent.length > 0 && `, ${spent.join(' and ')}`}
      {all.errors > 0 && `, ${formatCount(all.errors)} ${all.errors === 1 ? 'error' : 'errors'}`}
    </p>
  )
}

const unseen = (title: string): Columns[number] => [<span class="visually-hidden">{title}</span>]

/** The columns; `sort` is the one that the rows are sorted by. */
const columnsOf = (sort: string | undefined): Columns => [
  unseen('Choose'),
  ['Run'],
  ['Model'],
  ['When'],
  [<SortButton sort="latency" title="Took" />, true, sort === 'latency'],
  ['First token', true],
  [<SortButton sort="tokens" title="Tokens" />, true, sort === 'tokens'],
  [<SortButton sort="cost" title="Cost" />, true, sort === 'cost'],
  ['State'],
  unseen('Delete'),
]

/** Sorts the rows, the most first; the next click brings the newest first again. */
function SortButton({ sort, title }: { readonly sort: RunSort; readonly title: string }): VNode {
  const isSorted = parameters.value['sort'] === sort
  return (
    <button
      type="button"
      class="quiet sort"
      title={isSorted ? 'Sort by time' : `Sort by ${title.toLowerCase()}`}
      onClick={() => setParameter('sort', isSorted ? '' : sort)}
    >
      {title}
      <span aria-hidden="true">{isSorted ? ' ↓' : ''}</span>
    </button>
  )
}

interface RunTableProps {
  readonly runs: readonly RunSummary[]
  readonly onDeleted: () => void
}

function RunTable({ runs, onDeleted }: RunTableProps): VNode {
  const place = usePlace()
  const [chosen, setChosen] = useState(place.chosen)
  const [unfolded, setUnfolded] = useState(place.unfolded)
  Object.assign(place, {
    limit: Math.min(500, Math.ceil(runs.length / 100) * 100),
    chosen,
    unfolded,
  })
  const choose = (id: string): void =>
    setChosen(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id].slice(-2))
  const unfold = async (session: string, isAgain = false): Promise<void> => {
    const path = `/api/runs?${new URLSearchParams({ session, limit: '500' })}`
    const of = isAgain || !unfolded[session] ? await get<RunSummary[]>(path) : undefined
    setUnfolded((before) => ({ ...before, [session]: of }))
  }
  // More runs may belong to them since the person left.
  useEffect(() => {
    for (const [session, of] of Object.entries(unfolded)) if (of) void unfold(session, true)
  }, [])
  const rows = runs.flatMap((run) => {
    const session = unfolded[run.session ?? '']
    // The newest of them is the one that may still change.
    return session && run.runs
      ? toTree(session.map((one) => (one.id === run.id ? run : one)))
      : [{ run, depth: 0 }]
  })
  const sizes = new Map(runs.map(({ session, runs: size = 1 }) => [session, size]))
  return (
    <>
      <p class="chosen" role="status">
        {chosen.length === 1 && 'Choose another run to compare it with.'}
        {chosen.length === 2 && (
          <a class="button" href={`#/compare/${chosen.join('/')}`}>
            Compare the two chosen runs
          </a>
        )}
      </p>
      <div
        class="scroll"
        tabIndex={0}
        role="group"
        aria-label="Runs; an unfolded one has those that continue it or were forked from it below"
      >
        <table>
          <TableHead columns={columnsOf(parameters.value['sort'])} />
          <tbody>
            {rows.map(({ run, depth }) => (
              <tr key={run.id}>
                <td>
                  <input
                    type="checkbox"
                    aria-label={`Choose: ${run.title}`}
                    checked={chosen.includes(run.id)}
                    onChange={() => choose(run.id)}
                  />
                </td>
                <th
                  scope="row"
                  title={visible(run.title)}
                  class={depth > 0 ? `fork depth-${Math.min(depth, 8)}` : ''}
                >
                  {depth === 0 && (sizes.get(run.session) ?? 1) > 1 && (
                    <button
                      type="button"
                      class="quiet unfold"
                      aria-expanded={unfolded[run.session ?? ''] !== undefined}
                      onClick={() => void unfold(run.session ?? '')}
                    >
                      {sizes.get(run.session)} runs
                    </button>
                  )}
                  <a href={`#/chat/${run.id}`}>{visible(run.title)}</a>
                  {run.program !== undefined && <span class="badge">{visible(run.program)}</span>}
                  {run.offTheRecord && <span class="badge">off the record</span>}
                  {run.found !== undefined && (
                    <Found text={run.found} search={parameters.value['text'] ?? ''} />
                  )}
                </th>
                <td>{run.model}</td>
                <td>{formatTime(run.at)}</td>
                <td class="number">{formatMs(run.latencyMs)}</td>
                <td class="number">{formatMs(run.firstTokenMs)}</td>
                <td class="number">{formatCount(tokensOf(run))}</td>
                <td class="number">{costOf(run)}</td>
                <td class={`state is-${run.status}`}>
                  {run.error ? (
                    <a href={`#/timeline/${run.id}`} title="Open the step that failed">
                      {stateOf(run)}
                    </a>
                  ) : (
                    stateOf(run)
                  )}
                  {run.elsewhere &&
                    (run.program === undefined ? ' (another studio)' : ' (in the program)')}
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
    </>
  )
}

/** Where the words were found, marked unless they are written with other accents. */
function Found({ text, search }: { readonly text: string; readonly search: string }): VNode {
  const words = search.match(/[\p{L}\p{N}]+/gu) ?? []
  const pieces = text.split(new RegExp(`(${words.join('|')})`, 'iu'))
  return (
    <p class="found">
      {pieces.map((piece, index) =>
        index % 2 ? <mark key={index}>{piece}</mark> : visible(piece),
      )}
    </p>
  )
}

/** Deletes a run on the second click. */
function DeleteButton({
  run,
  onDeleted,
}: {
  readonly run: RunSummary
  readonly onDeleted: () => void
}): VNode {
  const [state, setState] = useState<'idle' | 'asking' | 'failed'>('idle')
  const click = async (): Promise<void> => {
    try {
      await remove(`/api/runs/${run.id}`)
      placeHere().chosen = placeHere().chosen.filter((id) => id !== run.id)
      if (lastChat.value === run.id) lastChat.value = ''
      onDeleted()
    } catch {
      setState('failed')
    }
  }
  const text = { idle: 'Delete', asking: 'Delete for good', failed: 'Not deleted; try again' }[
    state
  ]
  return (
    <button
      type="button"
      class={state === 'idle' ? 'quiet delete' : 'danger'}
      aria-label={`${text}: ${run.title}`}
      onClick={state === 'asking' ? () => void click() : () => setState('asking')}
      onBlur={() => setState('idle')}
    >
      {text}
    </button>
  )
}
