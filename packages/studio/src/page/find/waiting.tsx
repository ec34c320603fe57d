import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { RunSummary } from '../../protocol/protocol.js'
import type { StoredInfo, StoredWait } from '../../protocol/stored.js'
import { get } from '../link/api.js'
import { connection } from '../link/connection.js'
import type { PendingView } from '../link/run-parts.js'
import { info } from '../link/state.js'
import { useLoaded } from '../link/use-loaded.js'
import { useRun, useVersion } from '../link/use-run.js'
import { isWrapper } from '../link/use-runs-around.js'
import { CopyButton } from '../parts/copy-button.js'
import { formatTime, pretty } from '../parts/format.js'
import { JsonView } from '../parts/json-view.js'
import { visible } from '../parts/visible.js'
import { ContinueRun } from '../run/conversation.js'
import { ToolCallCard } from '../run/tool-call.js'

/** Milliseconds between two looks. */
const lookMs = 3000
/** Runs of each kind that are shown, the newest ones. */
const mostShown = 50

/** Everything that waits for a person, each with its action or command. */
export function Waiting(): VNode {
  const [look, setLook] = useState(0)
  const [lists, setLists] = useState<Lists>()
  const { value, problem } = useLoaded(`waiting ${look}`, loadLists)
  useEffect(() => {
    if (value) setLists(value)
  }, [value])
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden && connection.value === 'ok') setLook((before) => before + 1)
    }, lookMs)
    return () => clearInterval(timer)
  }, [])
  const { asking = [], suspended = [], cut = [], stored = [] } = lists ?? {}
  const isEmpty = asking.length + suspended.length + cut.length + stored.length === 0
  return (
    <div class="waiting-list">
      <h1>Waiting</h1>
      {problem && <p class="problem">{problem}</p>}
      {!lists && !problem && <p class="muted working">Looking for what waits…</p>}
      {lists && isEmpty && (
        <p class="empty">
          Nothing waits for you. Approvals, questions, calls whose outcome is unknown, results that
          come later, and runs that stopped or were cut off appear here.
        </p>
      )}
      <Group title="For your decision here" runs={asking}>
        {(run) => <AskingRun key={run.id} run={run} />}
      </Group>
      {storedGroups.map(([title, kinds]) => (
        <StoredGroup
          key={title}
          title={title}
          waits={stored.filter(({ kind }) => kinds.includes(kind))}
        />
      ))}
      <Group title="For a decision in a program" runs={suspended}>
        {(run) => <SuspendedRun key={run.id} run={run} stored={stored} />}
      </Group>
      <Group title="Cut off, and can be continued" runs={cut}>
        {(run) => <CutRun key={run.id} run={run} />}
      </Group>
    </div>
  )
}

/** The runs that wait, by what ends their wait. */
interface Lists {
  readonly asking: readonly RunSummary[]
  readonly suspended: readonly RunSummary[]
  readonly cut: readonly RunSummary[]
  /** What waits in the store that the studio was started with. */
  readonly stored: readonly StoredWait[]
}

async function loadLists(): Promise<Lists> {
  const list = (query: string): Promise<RunSummary[]> =>
    get<RunSummary[]>(`/api/runs?${query}&limit=${mostShown}`)
  const [asking, suspended, cut, stored] = await Promise.all([
    list('status=waiting'),
    list('status=suspended'),
    list('error=interrupted'),
    info.value?.durableStore ? get<StoredInfo>('/api/stored').then(({ waits }) => waits) : [],
  ])
  const withRuns = new Set(suspended.map(({ parent }) => parent))
  return {
    asking,
    // The run inside of a durable run or a task says what it waits for.
    suspended: suspended.filter((run) => !isWrapper(run) || !withRuns.has(run.id)),
    stored,
    cut: cut.filter(({ canContinue }) => canContinue === true),
  }
}

type StoredGroupKinds = readonly [title: string, kinds: readonly StoredWait['kind'][]]

/** The waits of a store by what ends them. */
const storedGroups: readonly StoredGroupKinds[] = [
  ['For a decision in the store', ['approval', 'question', 'uncertain']],
  ['Results that come later', ['work']],
  ['For a message of the caller', ['message']],
  ['Stopped', ['stopped', 'unserved']],
]

function StoredGroup({
  title,
  waits,
}: {
  readonly title: string
  readonly waits: readonly StoredWait[]
}): VNode | null {
  if (waits.length === 0) return null
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      {waits.map((wait, index) => (
        <StoredEntry key={`${wait.id} ${index}`} wait={wait} />
      ))}
    </section>
  )
}

/** A wait of a store, with the commands that end it. */
const StoredEntry = ({
  wait: { kind, id, name, principal, at, call, reason, who, commands },
}: {
  readonly wait: StoredWait
}): VNode => (
  <div class="entry">
    <p>
      <strong>{visible(name)}</strong> <code>{visible(id)}</code>{' '}
      <span class="muted">
        {principal !== undefined && `of ${visible(principal)} · `}
        {formatTime(at)}
      </span>
    </p>
    {call && (
      <>
        <p>
          {textOf(kind)} <code>{visible(call.name)}</code>
        </p>
        {call.args !== undefined && <JsonView text={pretty(call.args)} label="the arguments" />}
      </>
    )}
    {reason !== undefined && <p class="muted">{visible(reason)}</p>}
    <p class="muted">{visible(who)}</p>
    {commands.map((command) => (
      <Command key={command} text={command} />
    ))}
  </div>
)

const Command = ({ text }: { readonly text: string }): VNode => (
  <p class="command">
    <code>{visible(text)}</code> <CopyButton text={text} of="the command" />
  </p>
)

function Group({
  title,
  runs,
  children: draw,
}: {
  readonly title: string
  readonly runs: readonly RunSummary[]
  readonly children: (run: RunSummary) => VNode
}): VNode | null {
  if (runs.length === 0) return null
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      {runs.map(draw)}
    </section>
  )
}

/** The head of an entry: which run it is. */
const About = ({ run }: { readonly run: RunSummary }): VNode => (
  <p>
    <a href={`#/chat/${run.id}`}>{visible(run.title)}</a>{' '}
    {run.program !== undefined && <span class="badge">{visible(run.program)}</span>}{' '}
    <span class="muted">
      {visible(run.model)} · {formatTime(run.at)}
    </span>
  </p>
)

/** A run of a studio that asks: the decision is made right here, if it is this studio's. */
function AskingRun({ run: summary }: { readonly run: RunSummary }): VNode {
  const { run, problem } = useRun(summary.id)
  useVersion(run)
  const tools = (run?.view.segments ?? []).flatMap((one) =>
    one.kind === 'tool' && one.state === 'asking' ? [one] : [],
  )
  return (
    <div class="entry">
      <About run={summary} />
      {problem && <p class="problem">{problem}</p>}
      {tools.map((tool) => (
        <ToolCallCard
          key={tool.id}
          runId={summary.id}
          tool={tool}
          ended={false}
          elsewhere={summary.elsewhere === true}
        />
      ))}
      {summary.elsewhere && (
        <p class="muted">Another studio that uses the same file runs it: decide on its page.</p>
      )}
      {run && tools.length === 0 && <p class="muted">Decided: it continues.</p>}
    </div>
  )
}

/** A run of a program: only its program, or a command on its store, ends the wait. */
function SuspendedRun({
  run: summary,
  stored,
}: {
  readonly run: RunSummary
  readonly stored: readonly StoredWait[]
}): VNode | null {
  const { run, problem } = useRun(summary.id)
  const { run: outer } = useRun(summary.parent)
  useVersion(run)
  const wrapper = [summary, outer?.record.value].find((one) => one && isWrapper(one))
  const name = wrapper?.model ?? summary.model
  const newest = useNewest(name.startsWith('durable ') ? name : undefined)
  // A durable run that was continued since waits no more: the newest of its name says how it is.
  if (newest && newest.id !== (wrapper?.id ?? summary.id)) return null
  const id = wrapper && (wrapper.task?.taskId ?? name.replace(/^durable /, ''))
  // The store knows more about it.
  if (stored.some((one) => one.id === id)) return null
  return (
    <div class="entry">
      <About run={summary} />
      {problem && <p class="problem">{problem}</p>}
      {(run?.view.pending ?? []).map((one) => (
        <PendingItem key={one.id} pending={one} id={id} />
      ))}
      {run?.view.pending.length === 0 && (
        <>
          <p class="muted">It does not say what it waits for. Its program knows.</p>
          {id !== undefined && <Command text="modelport agent tasks --store FILE" />}
        </>
      )}
    </div>
  )
}

/** The newest run of a durable run: it is worked on again after each decision. */
const useNewest = (model: string | undefined): RunSummary | undefined =>
  useLoaded(`newest ${model}`, async () =>
    model === undefined
      ? []
      : get<RunSummary[]>(`/api/runs?${new URLSearchParams({ model, limit: '1' })}`),
  ).value?.[0]

function PendingItem({
  pending: { type, name },
  id,
}: {
  readonly pending: PendingView
  /** The durable run or task; undefined for a run that nothing stores. */
  readonly id: string | undefined
}): VNode {
  const command = id === undefined ? undefined : commandOf(type, id)
  return (
    <>
      <p>
        {textOf(type)} <code>{visible(name)}</code>
      </p>
      {command === undefined ? (
        <p class="muted">Only its program can end this wait.</p>
      ) : (
        <Command text={command} />
      )}
    </>
  )
}

const textOf = (type: string): string =>
  ({
    approval: 'Needs an approval of',
    question: 'Asks a question:',
    uncertain: 'Nobody knows what became of',
    work: 'Waits for the result of',
    wait: 'Waits for the result of',
  })[type] ?? 'Waits for work elsewhere:'

/** The command that ends the wait; the person has to name the store. */
function commandOf(type: string, id: string): string | undefined {
  const quoted = `'${id.replaceAll("'", "'\\''")}'`
  if (type === 'approval') return `modelport agent approve ${quoted} --store FILE`
  if (type === 'uncertain' || type === 'wait')
    return `modelport agent reconcile ${quoted} --happened RESULT --store FILE`
  if (type === 'question') return `modelport agent send URL --task ${quoted}`
  return 'modelport agent tasks --store FILE'
}

/** A run of a studio that ended: it never continues by itself. */
function CutRun({ run: summary }: { readonly run: RunSummary }): VNode {
  const { run, problem } = useRun(summary.id)
  useVersion(run)
  return (
    <div class="entry">
      <About run={summary} />
      {problem && <p class="problem">{problem}</p>}
      {run?.record.value.canContinue ? (
        <ContinueRun run={run} />
      ) : (
        run && <p class="muted">It continues.</p>
      )}
    </div>
  )
}
