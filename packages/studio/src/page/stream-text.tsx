import type { VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

/** Maximum characters in one text node: appending to it stays cheap. */
const nodeLength = 20_000

/** A growing text: only the new part is added to the page, so that a delta costs the same in a long reply. */
export function StreamText({ text }: { readonly text: string }): VNode {
  const element = useRef<HTMLDivElement>(null)
  const shown = useRef(0)
  useEffect(() => {
    const target = element.current
    if (!target || text.length === shown.current) return
    if (text.length < shown.current) {
      target.replaceChildren()
      shown.current = 0
    }
    const added = text.slice(shown.current)
    const last = target.lastChild
    if (last instanceof Text && last.length < nodeLength) last.appendData(added)
    else target.append(document.createTextNode(added))
    shown.current = text.length
  }, [text])
  return <div class="plain" ref={element} />
}

/** Announces whole sentences of a growing text to screen readers, politely. */
export function Announcer({ text, done }: { readonly text: string; readonly done: boolean }): VNode {
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
