import type { ComponentChildren, VNode } from 'preact'

/** Says what the colours of a picture mean: the class of each kind with its label. */
export function Legend({
  kinds,
  children,
}: {
  readonly kinds: readonly (readonly [kind: string, label: string])[]
  readonly children?: ComponentChildren
}): VNode {
  return (
    <ul class="legend">
      {kinds.map(([kind, label]) => (
        <li key={kind}>
          <span class={`swatch of-${kind}`} aria-hidden="true" /> {label}
        </li>
      ))}
      {children}
    </ul>
  )
}
