import { type WatchedRun, watch } from './state.js'
import { type Loaded, useLoaded } from './use-loaded.js'

/**
 * Watches the run of this id; undefined until its record is there. Read again once the studio
 * responds again.
 */
export function useRun(
  id: string | undefined,
): { readonly run: WatchedRun | undefined } & Pick<Loaded<unknown>, 'problem'> {
  const { value: run, ...rest } = useLoaded(id ?? '', async () =>
    id === undefined ? undefined : watch(id),
  )
  return { run, ...rest }
}

/** Draws again whenever the run has changed; gives the number of the change. */
export const useVersion = (run: WatchedRun | undefined): number => run?.version.value ?? 0
