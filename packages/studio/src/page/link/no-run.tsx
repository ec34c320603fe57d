import type { VNode } from 'preact'
import { connection } from './connection.js'

/** Shown when a run cannot be read, for example because it was deleted. */
export function NoRun({ problem }: { readonly problem: string }): VNode | null {
  // The page says above what to do.
  if (connection.value !== 'ok') return null
  return (
    <p class="problem" role="alert">
      {problem.replace(/^./, (first) => first.toUpperCase())}. Look for it under{' '}
      <a href="#/runs">Runs</a>; it may have been deleted.
    </p>
  )
}
