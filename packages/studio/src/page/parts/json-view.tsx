import type { VNode } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { CopyButton } from './copy-button.js'
import { visible } from './visible.js'

/** Lines up to which JSON is shown as text; more become a tree. */
const mostLines = 14
/** Children of a value that are drawn at first, and that each click adds. */
const shownChildren = 100
/** Characters up to which a text that is not a JSON object or list is too short to be copied. */
const shortText = 200

const tokens = /("(?:\\.|[^"\\])*"\s*:|"(?:\\.|[^"\\])*"|\b(?:true|false|null)\b|-?\b\d[\d.eE+-]*)/

const kindOf = (token: string): string =>
  token.endsWith(':')
    ? 'attr'
    : token.startsWith('"')
      ? 'string'
      : /^[tfn]/.test(token)
        ? 'literal'
        : 'number'

/** JSON text with colours; what the pattern takes for a token is at each second place. */
const colored = (text: string): readonly (VNode | string)[] =>
  text.split(tokens).map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      <span key={index} class={`hljs-${kindOf(part)}`}>
        {part}
      </span>
    ),
  )

/**
 * The value of JSON text. A number that would be rounded is reason enough to leave the text as it
 * is.
 */
function parse(text: string): unknown {
  if (/[:[,]\s*-?\d{16}/.test(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Text of a program: short JSON with colours, longer JSON as a tree with a search, anything else as
 * it is. Each with a button that copies.
 */
export function JsonView({
  text,
  label,
}: {
  readonly text: string
  readonly label: string
}): VNode {
  const value = useMemo(() => parse(text), [text])
  const [query, setQuery] = useState('')
  const isTree = typeof value === 'object' && value !== null
  const shown = isTree ? JSON.stringify(value, undefined, 2) : text
  const isLong = isTree && shown.split('\n', mostLines + 1).length > mostLines
  const found = useMemo(
    () => (isLong && query ? search(value, query.toLowerCase()) : undefined),
    [value, query, isLong],
  )
  if (!isTree && text.length < shortText) return <pre tabIndex={0}>{visible(text)}</pre>
  return (
    <div class="json">
      <div class="json-bar">
        {isLong && (
          <input
            type="search"
            placeholder="Search"
            aria-label={`Search in ${label}`}
            value={query}
            onInput={({ currentTarget }) => setQuery(currentTarget.value)}
          />
        )}
        {found?.size === 0 && <span class="muted">Nothing found.</span>}
        <CopyButton text={text} of={label} />
      </div>
      {isLong ? (
        <div class="tree" tabIndex={0} role="group" aria-label={label}>
          <Branch value={value} depth={0} found={found} />
        </div>
      ) : (
        <pre tabIndex={0}>{isTree ? colored(visible(shown)) : visible(shown)}</pre>
      )}
    </div>
  )
}

const childrenOf = (value: object): readonly (readonly [string, unknown])[] => Object.entries(value)

/**
 * The values that contain the text themselves or below them, and the keys of leaves that do, by
 * their place.
 */
function search(value: unknown, text: string, place = ''): Set<string> {
  const found = new Set<string>()
  if (typeof value !== 'object' || value === null)
    return JSON.stringify(value).toLowerCase().includes(text) ? found.add(place) : found
  for (const [key, child] of childrenOf(value)) {
    const below = search(child, text, `${place}/${key}`)
    if (key.toLowerCase().includes(text)) below.add(`${place}/${key}`)
    if (below.size > 0) found.add(place)
    for (const one of below) found.add(one)
  }
  return found
}

/**
 * One value: a leaf, or its children, which can be folded. With a search only what was found is
 * there.
 */
function Branch(props: {
  readonly name?: string
  readonly value: unknown
  readonly depth: number
  readonly place?: string
  readonly found?: ReadonlySet<string> | undefined
}): VNode {
  const { name, value, depth, place = '', found } = props
  const [most, setMost] = useState(shownChildren)
  const [isOpen, setOpen] = useState(depth < 3)
  const key = name !== undefined && <span class="hljs-attr">{visible(name)}: </span>
  if (typeof value !== 'object' || value === null)
    return (
      <div class="leaf">
        {key}
        {colored(visible(JSON.stringify(value)))}
      </div>
    )
  const children = childrenOf(value).filter(([child]) => !found || found.has(`${place}/${child}`))
  const isShown = isOpen || found !== undefined
  return (
    <details open={isShown} onToggle={({ currentTarget: { open } }) => setOpen(open)}>
      <summary>
        {key}
        <span class="muted">
          {Array.isArray(value) ? `[${value.length}]` : `{${Object.keys(value).length}}`}
        </span>
      </summary>
      {isShown &&
        children
          .slice(0, most)
          .map(([child, below]) => (
            <Branch
              key={child}
              name={child}
              value={below}
              depth={depth + 1}
              place={`${place}/${child}`}
              found={found}
            />
          ))}
      {isShown && children.length > most && (
        <button type="button" class="quiet" onClick={() => setMost(most + shownChildren)}>
          Show {Math.min(shownChildren, children.length - most)} of {children.length - most} more
        </button>
      )}
    </details>
  )
}
