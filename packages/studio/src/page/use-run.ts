import { useEffect, useState } from 'preact/hooks'
import { connection } from './connection.js'
import { type WatchedRun, watch } from './state.js'

/** Watches the run of this id; undefined until its record is there. */
export function useRun(id: string | undefined): { readonly run?: WatchedRun; readonly problem?: string } {
  // A run that could not be read is read again once the studio responds.
  const isLost = connection.value === 'lost'
  const [state, setState] = useState<{ id?: string; run?: WatchedRun; problem?: string }>({})
  useEffect(() => {
    if (id === undefined) return
    let isCurrent = true
    watch(id).then(
      (run) => isCurrent && setState({ id, run }),
      (error: unknown) => isCurrent && setState({ id, problem: (error as Error).message }),
    )
    return () => {
      isCurrent = false
    }
  }, [id, isLost])
  return state.id === id ? state : {}
}

/** Draws again whenever the run has changed; gives the number of the change. */
export const useVersion = (run: WatchedRun | undefined): number => run?.version.value ?? 0
