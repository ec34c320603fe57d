import type { VNode } from 'preact'

/** Outlines of the icons, on a grid of 16. */
const outlines = {
  brand: 'M2 13V5l3-2 3 3 3-3 3 2v8M5 13V8M8 13v-3M11 13V8',
  chat: 'M2 3h12v8H6l-3 3v-3H2z',
  runs: 'M5 4h9M5 8h9M5 12h9M2 4h.1M2 8h.1M2 12h.1',
  waiting: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 5v3l2.5 1.5',
  overview: 'M2 14h12M4 11V8M8 11V3M12 11V6',
  compare: 'M2 3h5v10H2zM9 3h5v10H9z',
  agents: 'M8 3a2.5 2.5 0 1 0 0 5a2.5 2.5 0 0 0 0-5zM3 14c0-3 2-4.5 5-4.5s5 1.5 5 4.5',
  tools: 'M10 2a4 4 0 0 0-4 5.2L2 11.2V14h2.8l4-4A4 4 0 0 0 14 6l-2 2-2-2 2-2z',
  hosts: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM2 8h12M8 2c4 4 4 8 0 12M8 2c-4 4-4 8 0 12',
  doctor: 'M1 8h3l2-5 4 10 2-5h3',
  send: 'M3 8h9M8 4l4 4-4 4',
  stop: 'M4 4h8v8H4z',
  search: 'M7 2.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 0 0 0-9zM10.5 10.5L14 14',
  keys: 'M1.5 4h13v8h-13zM4 7h.1M7 7h.1M10 7h.1M5 10h6',
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
