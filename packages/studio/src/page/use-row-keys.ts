import { useEffect } from 'preact/hooks'

/** j and k go to the next and the previous run, and x chooses it. */
export function useRowKeys(): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const isTyping =
        event.target instanceof HTMLElement && event.target.matches('input:not([type=checkbox]), select, textarea')
      if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return
      const rows = [...document.querySelectorAll<HTMLElement>('.runs tbody tr')]
      const at = rows.findIndex((row) => row.contains(document.activeElement))
      const go = { j: rows[at + 1], k: rows[at - 1], x: rows[at] }[event.key]
      if (event.key === 'x') go?.querySelector('input')?.click()
      else if (go) go.querySelector('a')?.focus()
      else return
      event.preventDefault()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [])
}
