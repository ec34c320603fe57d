import type { VNode } from 'preact'

const tabs = [
  ['chat', 'Conversation'],
  ['timeline', 'Timeline'],
  ['raw', 'Raw'],
  ['context', 'Context'],
] as const

/** The views of one run. */
export function RunTabs({ id, current }: { readonly id: string; readonly current: string }): VNode {
  return (
    <nav class="tabs" aria-label="Views of this run">
      {tabs.map(([name, label]) => (
        <a key={name} href={`#/${name}/${id}`} aria-current={name === current ? 'page' : undefined}>
          {label}
        </a>
      ))}
    </nav>
  )
}
