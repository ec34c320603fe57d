import type { VNode } from 'preact'

/** Outlines of the icons, on a grid of 16. */
const outlines = {
  chat: 'M2 3h12v8H6l-3 3v-3H2z',
  runs: 'M2 4h12M2 8h12M2 12h12',
  compare: 'M2 3h5v10H2zM9 3h5v10H9z',
  agents: 'M8 3a2.5 2.5 0 1 0 0 5a2.5 2.5 0 0 0 0-5zM3 14c0-3 2-4.5 5-4.5s5 1.5 5 4.5',
  tools: 'M10 2a4 4 0 0 0-4 5.2L2 11.2V14h2.8l4-4A4 4 0 0 0 14 6l-2 2-2-2 2-2z',
  hosts: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM2 8h12M8 2c4 4 4 8 0 12M8 2c-4 4-4 8 0 12',
  doctor: 'M1 8h3l2-5 4 10 2-5h3',
  send: 'M3 8h9M8 4l4 4-4 4',
  stop: 'M4 4h8v8H4z',
} as const

/** Name of an icon. */
export type IconName = keyof typeof outlines

/** A decorative icon, hidden from screen readers. */
export function Icon({ name }: { readonly name: IconName }): VNode {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={outlines[name]} />
    </svg>
  )
}
