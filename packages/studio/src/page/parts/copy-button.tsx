import type { VNode } from 'preact'
import { useState } from 'preact/hooks'

/** Copies a text; `of` says to screen readers which one. */
export function CopyButton({ text, of }: { readonly text: string; readonly of: string }): VNode {
  const [label, setLabel] = useState('Copy')
  const copy = (): void =>
    void navigator.clipboard.writeText(text).then(
      () => setLabel('Copied'),
      () => setLabel('The browser refused; select the text and copy it'),
    )
  return (
    <button type="button" class="quiet" onClick={copy}>
      {label}
      <span class="visually-hidden"> {of}</span>
    </button>
  )
}
