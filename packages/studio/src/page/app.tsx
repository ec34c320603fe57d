import type { VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import { Chat } from './chat/chat.js'
import { Compare } from './chat/compare.js'
import { CompareRuns } from './find/compare-runs.js'
import { Overview } from './find/overview.js'
import { Palette } from './find/palette.js'
import { RunList } from './find/runs.js'
import { connection } from './link/connection.js'
import { lastChat, route } from './link/state.js'
import { useWaiting } from './link/use-waiting.js'
import { Icon, type IconName } from './parts/icons.js'
import { Context } from './run/context.js'
import { Raw } from './run/raw.js'
import { Timeline } from './run/timeline.js'
import { Agents } from './setup/agents.js'
import { Doctor } from './setup/doctor.js'
import { Hosts } from './setup/hosts.js'
import { Tools } from './setup/tools.js'

/** The views in the order of the navigation; `begins` begins a group. */
const views: readonly (readonly [name: IconName, label: string, begins?: 'begins'])[] = [
  ['chat', 'Chat'],
  ['compare', 'Compare'],
  ['runs', 'Runs', 'begins'],
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
            <a
              class="waits"
              href="#/runs?status=waiting"
              title={`Runs that wait for you: ${waiting}`}
            >
              {waiting} <span>{waiting === 1 ? 'waits' : 'wait'} for you</span>
            </a>
          )}
        </nav>
        <Palette views={views} />
      </header>
      <Connection />
      <main id="main" tabIndex={-1}>
        <View />
      </main>
    </>
  )
}

function View(): VNode {
  const [view = 'chat', id, other] = route.value
  if (view === 'runs') return <RunList />
  if (view === 'compare' && id !== undefined && other !== undefined)
    return <CompareRuns one={id} other={other} />
  if (view === 'compare') return <Compare key={id} id={id} />
  if (view === 'overview') return <Overview />
  if (view === 'agents') return <Agents />
  if (view === 'tools') return <Tools />
  if (view === 'hosts') return <Hosts />
  if (view === 'doctor') return <Doctor />
  if (id !== undefined) {
    if (view === 'timeline') return <Timeline key={id} id={id} />
    if (view === 'raw') return <Raw key={id} id={id} request={Number(other ?? 0)} />
    if (view === 'context') return <Context key={id} id={id} />
  }
  return <Chat key={id} id={id} />
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
