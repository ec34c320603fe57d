import { useLayoutEffect, useState } from 'preact/hooks'
import type { RunSummary } from '../../protocol/protocol.js'

/**
 * How the list of runs was left. `limit`: the rows to load, within what the studio gives at once;
 * `link`: where the row with the focus leads.
 */
export interface Place {
  limit: number
  chosen: readonly string[]
  unfolded: Readonly<Record<string, readonly RunSummary[] | undefined>>
  link?: string | null | undefined
  top?: number | undefined
}

const places = new Map<unknown, Place>()

/**
 * The place of the current entry of the browser's history: a new one, unless the back button led
 * here.
 */
export function placeHere(): Place {
  if (history.state === null) history.replaceState(Math.random(), '')
  const place = places.get(history.state) ?? { limit: 100, chosen: [], unfolded: {} }
  if (places.set(history.state, place).size > 50) places.delete(places.keys().next().value)
  return place
}

/**
 * Returns to the place once the rows are drawn, and notes the scroll position and the focus when
 * they go.
 */
export function usePlace(): Place {
  const [place] = useState(placeHere)
  useLayoutEffect(() => {
    document
      .querySelector<HTMLElement>(`.runs tbody a[href="${place.link}"]`)
      ?.focus({ preventScroll: true })
    if (place.top !== undefined) scrollTo(0, place.top)
    place.top = undefined
    // Comes before the browser scrolls to where the other entry was.
    const note = (): void => void (place.top = scrollY)
    addEventListener('popstate', note)
    return () => {
      removeEventListener('popstate', note)
      place.top ??= scrollY
      place.link = document.activeElement
        ?.closest('.runs tr')
        ?.querySelector('a')
        ?.getAttribute('href')
    }
  }, [])
  return place
}
