import type { VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import { Chat } from './chat/chat.js'
import { Palette } from './find/palette.js'
import { connection } from './link/connection.js'
import { lastChat, route } from './link/state.js'
import { useLoaded } from './link/use-loaded.js'
import { useWaiting } from './link/use-waiting.js'
import { Icon, type IconName } from './parts/icons.js'

/** The views in the order of the navigation; `begins` begins a group. */
const views: readonly (readonly [name: IconName, label: string, begins?: 'begins'])[] = [
  ['chat', 'Chat'],
  ['compare', 'Compare'],
  ['runs', 'Runs', 'begins'],
  ['waiting', 'Waiting'],
  ['overview', 'Overview'],
  ['agents', 'Agents', 'begins'],
  ['tools', 'Tools'],
  ['hosts', 'Hosts'],
  ['doctor', 'Doctor'],
]

/** The frame of the page and the view that its address names. */
export function App(): VNode {
  const [view = 'chat'] = route.value
  const current = ['timeline', 'raw', 'context'].includes(view) ? 'chat' : view
  const waiting = useWaiting()
  useEffect(() => {
    const label =
      views.find(([name]) => name === view)?.[1] ??
      view.replace(/^./, (first) => first.toUpperCase())
    document.title = `${waiting > 0 ? `(${waiting}) ` : ''}${label} · modelport studio`
  }, [view, waiting])
  return (
    <>
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault()
          document.getElementById('main')?.focus()
        }}
      >
        Skip to the content
      </a>
      <header class="top">
        <strong class="brand">
          <Icon name="brand" />
          <span>modelport studio</span>
        </strong>
        <nav aria-label="Main">
          {views.map(([name, label, begins]) => (
            <a
              key={name}
              class={begins}
              title={label}
              href={name === 'chat' && lastChat.value ? `#/chat/${lastChat.value}` : `#/${name}`}
              aria-current={name === current ? 'page' : undefined}
            >
              <Icon name={name} />
              <span>{label}</span>
            </a>
          ))}
          {waiting > 0 && (
            <a class="waits" href="#/waiting" title={`Runs that wait for you: ${waiting}`}>
              {waiting} <span>{waiting === 1 ? 'waits' : 'wait'} for you</span>
            </a>
          )}
        </nav>
        <Palette views={views} />
      </header>
      <Connection />
      <main id="main" tabIndex={-1}>
        <CurrentView />
      </main>
    </>
  )
}

/** What a view needs of the address: the run, and what follows it. */
interface ViewProps {
  readonly id: string
  readonly other: string
}

type View = (props: ViewProps) => VNode

/** The views that most people do not open first: each is loaded when it is needed. */
const laterViews: Readonly<Record<string, () => Promise<View>>> = {
  runs: async () => (await import('./find/runs.js')).RunList,
  timeline: async () => {
    const { Timeline } = await import('./run/timeline.js')
    return ({ id, other }) => (
      <Timeline key={`${id} ${other}`} id={id} step={Number(other || 'none')} />
    )
  },
  tools: async () => (await import('./setup/tools.js')).Tools,
  agents: async () => (await import('./setup/agents.js')).Agents,
  hosts: async () => (await import('./setup/hosts.js')).Hosts,
  doctor: async () => (await import('./setup/doctor.js')).Doctor,
  overview: async () => (await import('./find/overview.js')).Overview,
  waiting: async () => (await import('./find/waiting.js')).Waiting,
  compare: async () => {
    const { Compare } = await import('./chat/compare.js')
    return ({ id }) => <Compare key={id} id={id || undefined} />
  },
  'compare-runs': async () => {
    const { CompareRuns } = await import('./find/compare-runs.js')
    return ({ id, other }) => <CompareRuns one={id} other={other} />
  },
  raw: async () => {
    const { Raw } = await import('./run/raw.js')
    return ({ id, other }) => <Raw key={id} id={id} request={Number(other)} />
  },
  context: async () => {
    const { Context } = await import('./run/context.js')
    return ({ id }) => <Context key={id} id={id} />
  },
}

function CurrentView(): VNode {
  const [view = 'chat', id, other] = route.value
  const name = view === 'compare' && other !== undefined ? 'compare-runs' : view
  const needsRun = ['timeline', 'raw', 'context'].includes(name)
  const load = Object.hasOwn(laterViews, name) ? laterViews[name] : undefined
  if (load && (id !== undefined || !needsRun))
    return <LaterView key={name} load={load} id={id ?? ''} other={other ?? ''} />
  return <Chat key={id} id={id} />
}

function LaterView({
  load,
  ...props
}: ViewProps & { readonly load: () => Promise<View> }): VNode | null {
  const { value: Found, problem } = useLoaded('view', load)
  if (problem !== undefined) return <p class="problem">{problem}</p>
  return Found ? <Found {...props} /> : null
}

/** Says at the first failure that the studio does not respond, and what to do. */
function Connection(): VNode | null {
  if (connection.value === 'ok') return null
  return (
    <p class="connection" role="alert">
      {connection.value === 'lost' ? (
        <>
          <strong>Connection lost, trying again.</strong> If the studio has ended, start it with{' '}
          <code>modelport studio</code> and open the address that it prints. What you typed is kept.
        </>
      ) : (
        <>
          <strong>The studio was started again and does not know this page.</strong> Press Enter in
          its terminal and open the address that it prints: this page then continues by itself.
        </>
      )}
    </p>
  )
}

/** Shown when the address was used before, or is too old. */
export function NoSession(): VNode {
  return (
    <main class="empty">
      <h1>This page is not connected to the studio</h1>
      <p>
        The address that <code>modelport studio</code> prints works once, for a minute. Press Enter
        in its terminal and open the address that it prints then. If you open it in this browser,
        this page continues by itself.
      </p>
    </main>
  )
}
