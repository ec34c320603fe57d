import { effect, type Signal, signal } from '@preact/signals'

/** A text that outlives a reload of this tab. */
export function kept(name: string): Signal<string> {
  const text = signal(sessionStorage.getItem(name) ?? '')
  effect(() => {
    try {
      sessionStorage.setItem(name, text.value)
    } catch {
      // A text that is too long for the storage is kept until the page is closed.
    }
  })
  return text
}
