import type { VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import { Agents } from './agents.js'
import { Chat } from './chat.js'
import { Compare } from './compare.js'
import { Context } from './context.js'
import { Doctor } from './doctor.js'
import { Hosts } from './hosts.js'
import { Icon, type IconName } from './icons.js'
import { Raw } from './raw.js'
import { RunList } from './runs.js'
import { route } from './state.js'
import { Timeline } from './timeline.js'
import { Tools } from './tools.js'

const views: readonly (readonly [name: IconName, label: string])[] = [
  ['chat', 'Chat'],
  ['runs', 'Runs'],
  ['compare', 'Compare'],
  ['agents', 'Agents'],
  ['tools', 'Tools'],
  ['hosts', 'Hosts'],
  ['doctor', 'Doctor'],
]

/** The frame of the page and the view that its address names. */
export function App(): VNode {
  const [view = 'chat', id] = route.value
  useEffect(() => {
    const label = views.find(([name]) => name === view)?.[1] ?? view.replace(/^./, (first) => first.toUpperCase())
    document.title = `${label} · modelport studio`
  }, [view])
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
        <strong class="brand">modelport studio</strong>
        <nav aria-label="Main">
          {views.map(([name, label]) => (
            <a key={name} href={`#/${name}`} aria-current={name === view ? 'page' : undefined}>
              <Icon name={name} />
              <span>{label}</span>
            </a>
          ))}
        </nav>
      </header>
      <main id="main" tabIndex={-1}>
        <View view={view} id={id} />
      </main>
    </>
  )
}

function View({ view, id }: { readonly view: string; readonly id: string | undefined }): VNode {
  if (view === 'runs') return <RunList />
  if (view === 'compare') return <Compare key={id} id={id} />
  if (view === 'agents') return <Agents />
  if (view === 'tools') return <Tools />
  if (view === 'hosts') return <Hosts />
  if (view === 'doctor') return <Doctor />
  if (id !== undefined) {
    if (view === 'timeline') return <Timeline key={id} id={id} />
    if (view === 'raw') return <Raw key={id} id={id} />
    if (view === 'context') return <Context key={id} id={id} />
  }
  return <Chat key={id} id={id} />
}

/** Shown when the address was used before, or is too old. */
export function NoSession(): VNode {
  return (
    <main class="empty">
      <h1>This address is no longer valid</h1>
      <p>
        The address that <code>modelport studio</code> prints works once, for a minute. Start the studio again and open
        the new address.
      </p>
    </main>
  )
}
