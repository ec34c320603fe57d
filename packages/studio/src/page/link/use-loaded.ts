import { useEffect, useState } from 'preact/hooks'
import { connection } from './connection.js'

/** The data of a view: nothing yet, the value, or the reason why loading failed. */
export interface Loaded<Value> {
  readonly value?: Value
  readonly problem?: string
}

/**
 * Loads again whenever `key` changes, and once the studio responds again; drops a response that
 * comes too late.
 */
export function useLoaded<Value>(key: string, load: () => Promise<Value>): Loaded<Value> {
  const [state, setState] = useState<Loaded<Value> & { readonly key?: string }>({})
  const isLost = connection.value === 'lost'
  useEffect(() => {
    let isCurrent = true
    load().then(
      (value) => isCurrent && setState({ key, value }),
      (error: unknown) => isCurrent && setState({ key, problem: (error as Error).message }),
    )
    return () => {
      isCurrent = false
    }
  }, [key, isLost])
  return state.key === key ? state : {}
}
