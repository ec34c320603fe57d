import type { VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

/** Announces whole sentences of a growing text to screen readers, politely. */
export function Announcer({
  text,
  done,
}: {
  readonly text: string
  readonly done: boolean
}): VNode {
  const element = useRef<HTMLParagraphElement>(null)
  const said = useRef(0)
  useEffect(() => {
    const rest = text.slice(said.current)
    const end = done ? rest.length : rest.search(/[.!?…]\s[^]*$/) + 1
    if (end <= 0 || !element.current) return
    element.current.textContent = rest.slice(0, end)
    said.current += end
  }, [text, done])
  return <p class="visually-hidden" aria-live="polite" ref={element} />
}
