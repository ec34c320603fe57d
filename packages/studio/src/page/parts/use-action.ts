import { useCallback, useState } from 'preact/hooks'

/** Something that a person does here, and that may fail. */
export interface Action {
  readonly isBusy: boolean
  /** Why the last attempt failed; empty if it did not. */
  readonly problem: string
  /** Does the work; resolves with false if it failed. */
  readonly act: (work: () => Promise<unknown>) => Promise<boolean>
}

/** Notes whether an action is under way, and why it failed. */
export function useAction(): Action {
  const [state, setState] = useState({ isBusy: false, problem: '' })
  const act = useCallback(async (work: () => Promise<unknown>): Promise<boolean> => {
    setState({ isBusy: true, problem: '' })
    const problem = await work().then(
      () => '',
      (error: unknown) => (error as Error).message,
    )
    setState({ isBusy: false, problem })
    return problem === ''
  }, [])
  return { ...state, act }
}
