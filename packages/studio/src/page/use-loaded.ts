import { useEffect, useState } from 'preact/hooks'

/** A value that a view asks for: nothing yet, the value, or why it could not be had. */
export interface Loaded<Value> {
  readonly value?: Value
  readonly problem?: string
}

/** Loads again whenever `key` changes; a reply that comes too late is dropped. */
export function useLoaded<Value>(key: string, load: () => Promise<Value>): Loaded<Value> {
  const [state, setState] = useState<Loaded<Value> & { readonly key?: string }>({})
  useEffect(() => {
    let isCurrent = true
    load().then(
      (value) => isCurrent && setState({ key, value }),
      (error: unknown) => isCurrent && setState({ key, problem: (error as Error).message }),
    )
    return () => {
      isCurrent = false
    }
  }, [key])
  return state.key === key ? state : {}
}
