import { type Signal, signal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { RunSummary } from '../../protocol/protocol.js'
import { get } from '../link/api.js'
import { go, info, selectedModel } from '../link/state.js'
import { useLoaded } from '../link/use-loaded.js'
import { Icon, type IconName } from '../parts/icons.js'
import { walkRows } from '../parts/row-keys.js'

/** Which of the two windows is open. */
const opened: Signal<'commands' | 'keys' | undefined> = signal(undefined)
const open = (window?: 'commands' | 'keys'): void => void (opened.value = window)

const keys: readonly (readonly [key: string, effect: string])[] = [
  ['Ctrl K or ⌘ K', 'Find a view, a run, a model or an action'],
  ['/', 'Search here'],
  ['?', 'These keys'],
  ['Enter', 'Send the message, with Shift a new line; open the run'],
  ['j, k and x', 'Go to the next run or the one before, and choose it'],
  ['Escape', 'Close this; else stop the run'],
  ['+ − 0', 'Zoom the timeline that has the focus'],
]

const typed = 'input:not([type=checkbox]), textarea, select'

/** Opens the windows by their keys, anywhere on the page. No key decides on a call. */
function press(event: KeyboardEvent): void {
  const { key, ctrlKey, metaKey, altKey, target } = event
  const isCommand = key.toLowerCase() === 'k' && (ctrlKey || metaKey)
  const isPlain =
    !ctrlKey && !metaKey && !altKey && !(target instanceof Element && target.matches(typed))
  if (isPlain && walkRows(key)) event.preventDefault()
  if (!isCommand && !(isPlain && ['/', '?'].includes(key))) return
  event.preventDefault()
  const search = key === '/' && document.querySelector<HTMLElement>('main input[type=search]')
  if (search) search.focus()
  else open(key === '?' ? 'keys' : 'commands')
}

/** Something to do: its icon, its name, its kind, and what it does. */
type Command = readonly [icon: IconName, name: string, kind: string, act: () => void]
type Views = readonly (readonly [icon: IconName, name: string, ...unknown[]])[]

/** The commands that fit the words; runs are found by the studio, also by what was said in them. */
function useCommands(query: string, views: Views): readonly Command[] {
  const text = query.trim()
  const { value } = useLoaded(`commands ${text}`, () =>
    get<RunSummary[]>(`/api/runs?limit=8${text && `&text=${encodeURIComponent(text)}`}`),
  )
  // Those of the words before stay until the new ones are there: Enter chooses what is seen.
  const runs = useRef<readonly RunSummary[]>([])
  runs.current = value ?? runs.current
  const models = (info.value?.models ?? []).map(({ id }) => id)
  const commands: readonly Command[] = [
    ['chat', 'New conversation', 'Action', () => go('chat')],
    ...views.map(([icon, name]): Command => [icon, name, 'View', () => go(icon)]),
    ...models.map(
      (id): Command => ['send', id, 'Use this model', () => (selectedModel.value = id)],
    ),
    ['keys', 'Keys', 'Help', () => open('keys')],
  ]
  const words = text.toLowerCase().split(/\s+/)
  return [
    ...commands.filter(([, name, kind]) =>
      words.every((word) => `${name} ${kind}`.toLowerCase().includes(word)),
    ),
    ...runs.current.map(
      ({ id, title, model }): Command => ['runs', title, model, () => go('chat', id)],
    ),
  ]
}

/** The buttons at the end of the navigation, and the windows that they and their keys open. */
export function Palette({ views }: { readonly views: Views }): VNode {
  useEffect(() => {
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [])
  return (
    <div class="end">
      <button type="button" onClick={() => open('commands')}>
        <Icon name="search" />
        <span>Find</span>
        <kbd>Ctrl K</kbd>
      </button>
      <button type="button" onClick={() => open('keys')}>
        <Icon name="keys" />
        <span>Keys</span>
        <kbd>?</kbd>
      </button>
      {opened.value && <Window key={opened.value} views={views} />}
    </div>
  )
}

function Window({ views }: { readonly views: Views }): VNode {
  const dialog = useRef<HTMLDialogElement>(null)
  const isKeys = opened.value === 'keys'
  // Before the next key: what is typed after the opening key belongs here.
  useLayoutEffect(() => {
    const before = document.activeElement as HTMLElement | null
    const element = dialog.current
    element?.showModal()
    return () => {
      element?.close()
      // Chromium may give the focus back, but keys go nowhere until it comes anew.
      before?.blur()
      before?.focus()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      aria-label={isKeys ? 'Keys' : 'Find anything'}
      // Told late: another window may be open by then.
      onClose={() => dialog.current && open()}
      onClick={({ target }) => target === dialog.current && open()}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        // It does not stop the run behind the window.
        event.stopPropagation()
        open()
      }}
    >
      {isKeys ? (
        <div class="body" tabIndex={-1}>
          <h2>Keys</h2>
          <button type="button" class="quiet close" onClick={() => open()}>
            Close
          </button>
          <dl>
            {keys.flatMap(([key, effect]) => [
              <dt key={key}>
                <kbd>{key}</kbd>
              </dt>,
              <dd key={effect}>{effect}</dd>,
            ])}
          </dl>
        </div>
      ) : (
        <Commands views={views} />
      )}
    </dialog>
  )
}

function Commands({ views }: { readonly views: Views }): VNode {
  const [query, setQuery] = useState('')
  const [at, setAt] = useState(0)
  const commands = useCommands(query, views)
  const chosen = Math.min(at, commands.length - 1)
  const choose = ([, , , act]: Command): void => {
    open()
    act()
  }
  useEffect(
    () => document.getElementById(`command-${chosen}`)?.scrollIntoView({ block: 'nearest' }),
    [chosen],
  )
  return (
    <>
      <input
        role="combobox"
        aria-label="Find a view, a run, a model or an action"
        placeholder="Find a view, a run, a model or an action"
        aria-expanded="true"
        aria-controls="commands"
        aria-activedescendant={`command-${chosen}`}
        autocomplete="off"
        value={query}
        onInput={({ currentTarget }) => {
          setQuery(currentTarget.value)
          setAt(0)
        }}
        onKeyDown={(event) => {
          const step = { ArrowDown: 1, ArrowUp: -1, Enter: 0 }[event.key]
          const command = commands[chosen]
          if (step === undefined || !command || event.isComposing) return
          event.preventDefault()
          if (step === 0) choose(command)
          else setAt((chosen + step + commands.length) % commands.length)
        }}
      />
      <ul id="commands" role="listbox" aria-label="Commands">
        {commands.map((command, index) => (
          <li
            key={index}
            id={`command-${index}`}
            role="option"
            aria-selected={index === chosen}
            onClick={() => choose(command)}
          >
            <Icon name={command[0]} />
            <span>{command[1]}</span>
            <span class="muted">{command[2]}</span>
          </li>
        ))}
      </ul>
      {commands.length === 0 && <p class="body muted">Nothing has these words.</p>}
    </>
  )
}
