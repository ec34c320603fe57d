import type { VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { RunNames } from '../../protocol/run-query.js'
import { get } from '../link/api.js'
import { parameters, setParameter } from '../link/state.js'
import { useLoaded } from '../link/use-loaded.js'
import { statusText } from '../parts/format.js'

/** Milliseconds that a person pauses before the search begins. */
const pauseMs = 200

/** A time as the field for it has it, in the time zone of the page. */
const toField = (at: string | undefined): string =>
  at
    ? new Date(Number(at) - new Date(Number(at)).getTimezoneOffset() * 60_000)
        .toISOString()
        .slice(0, 16)
    : ''

/**
 * The search box and the filters. Their state is in the address, so that a reload and the back
 * button keep it.
 */
export function RunFilters(): VNode {
  const set = parameters.value
  const { value: names } = useLoaded('names', () => get<RunNames>('/api/runs/names'))
  const selects: readonly (readonly [
    name: string,
    label: string,
    values: readonly (readonly [string, string])[],
  ])[] = [
    ['program', 'Program', (names?.programs ?? []).map((one) => [one, one])],
    ['model', 'Model', (names?.models ?? []).map((one) => [one, one])],
    ['tool', 'Tool', (names?.tools ?? []).map((one) => [one, one])],
    ['status', 'State', Object.entries(statusText)],
    [
      'error',
      'Error',
      [['any', 'any error'], ...(names?.errors ?? []).map((one) => [one, one] as const)],
    ],
  ]
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <SearchBox />
      <label class="fold">
        <input type="checkbox" /> More filters
      </label>
      {selects.map(
        ([name, label, values]) =>
          (values.length > 0 || set[name] !== undefined) && (
            <label key={name}>
              <span>{label}</span>
              <select
                value={set[name] ?? ''}
                onChange={(event) => setParameter(name, event.currentTarget.value)}
              >
                <option value="">any</option>
                {values.map(([value, text]) => (
                  <option key={value} value={value} selected={value === set[name]}>
                    {text}
                  </option>
                ))}
              </select>
            </label>
          ),
      )}
      {Object.entries({ minCost: 1, minMs: 1000 }).map(([name, unit]) => (
        <label key={name}>
          <span>{unit === 1 ? 'Cost from' : 'Took from, seconds'}</span>
          <input
            type="number"
            min={0}
            step="any"
            value={set[name] && Number(set[name]) / unit}
            onChange={({ currentTarget: { value } }) =>
              setParameter(name, value && `${+(+value * unit).toFixed(9)}`)
            }
          />
        </label>
      ))}
      {(['since', 'until'] as const).map((name) => (
        <label key={name}>
          <span>{name === 'since' ? 'From' : 'Before'}</span>
          <input
            type="datetime-local"
            value={toField(set[name])}
            onChange={({ currentTarget: { value } }) =>
              setParameter(name, value && String(new Date(value).getTime()))
            }
          />
        </label>
      ))}
      {Object.keys(set).length > 0 && <a href="#/runs">Clear</a>}
    </form>
  )
}

function SearchBox(): VNode {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const box = useRef<HTMLInputElement>(null)
  const text = parameters.value['text'] ?? ''
  // The address changes by the back button too; a text that is being typed stays.
  useEffect(() => {
    if (box.current && !timer.current) box.current.value = text
  }, [text])
  const search = (value: string): void => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      timer.current = undefined
      setParameter('text', value, text !== '')
    }, pauseMs)
  }
  return (
    <label class="search">
      <span>Search</span>
      <input
        ref={box}
        type="search"
        placeholder="Words of messages, tool calls, results, errors"
        onInput={(event) => search(event.currentTarget.value)}
      />
    </label>
  )
}
