import { useEffect, useState } from 'preact/hooks'
import type { RunSummary } from '../../protocol/protocol.js'
import { get } from './api.js'
import { connection } from './connection.js'

/** Milliseconds between two looks. */
const lookMs = 3000

/** How many runs wait for a person, also while the page is in the background: its title says it. */
export function useWaiting(): number {
  const [count, setCount] = useState(0)
  useEffect(() => {
    const look = async (): Promise<void> => {
      if (connection.value !== 'ok') return
      await get<RunSummary[]>('/api/runs?status=waiting&limit=99').then(
        ({ length }) => setCount(length),
        () => undefined,
      )
    }
    void look()
    const timer = setInterval(() => void look(), lookMs)
    return () => clearInterval(timer)
  }, [])
  return count
}
