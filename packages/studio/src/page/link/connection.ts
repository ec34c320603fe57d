import { effect, type Signal, signal } from '@preact/signals'

/** Name of the session in the storage that all tabs of this address share. */
export const sessionKey = 'modelport-session'

/**
 * `lost`: the studio does not respond, and the page tries again. `refused`: it responds, but does
 * not know this page's session.
 */
export const connection: Signal<'ok' | 'lost' | 'refused'> = signal('ok')

/** Milliseconds between two attempts to reach the studio. */
const againMs = 1000

/** Notes that the studio does not respond, and tries again until it does. */
export function loseConnection(): void {
  if (connection.value === 'lost') return
  connection.value = 'lost'
  const again = async (): Promise<void> => {
    const session = localStorage.getItem(sessionKey) ?? ''
    const response = await fetch('/api/info', {
      headers: { 'x-modelport-session': session },
    }).catch(() => undefined)
    if (response) connection.value = response.ok ? 'ok' : 'refused'
    else setTimeout(() => void again(), againMs)
  }
  setTimeout(() => void again(), againMs)
}

/** Resolves when the studio responds again: true if it still knows this page. */
export const reconnected = (): Promise<boolean> =>
  new Promise((resolve) => {
    const stop = effect(() => {
      const state = connection.value
      if (state === 'lost') return
      resolve(state === 'ok')
      queueMicrotask(() => stop())
    })
  })

/**
 * Another tab opens a new address of the studio and thereby gives this one a session: then this
 * page starts anew.
 */
export function takeSessionsOfOtherTabs(needsOne: () => boolean): void {
  addEventListener('storage', ({ key, newValue }) => {
    if (key === sessionKey && newValue !== null && needsOne()) location.reload()
  })
}
