import type { RefObject } from 'preact'
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'

/**
 * Extra rows that are drawn above and below the visible ones, so that a short scroll draws nothing
 * anew.
 */
const spareRows = 20

/** The rows of a long list that are in the document. */
export interface RowWindow {
  /** Number of the first row, from 0. */
  readonly first: number
  /** Number of the row after the last. */
  readonly end: number
  /** Goes to the element that scrolls. */
  readonly ref: RefObject<HTMLDivElement | null>
  /** Goes to the `onScroll` of the same element. */
  readonly onScroll: () => void
}

/**
 * Which of `count` rows of one height are near the visible part of a scrolling element; the others
 * need not be drawn.
 */
export function useRowWindow(count: number, rowHeight: number): RowWindow {
  const ref = useRef<HTMLDivElement>(null)
  const [at, setAt] = useState({ first: 0, rows: 40 })
  const measure = useCallback((): void => {
    const element = ref.current
    if (!element) return
    const rows = Math.ceil(element.clientHeight / rowHeight) + 2 * spareRows
    // Moves in steps of half the spare rows: most scroll events change nothing.
    const top = Math.floor(element.scrollTop / rowHeight) - spareRows
    const first = Math.max(0, Math.floor(top / (spareRows / 2)) * (spareRows / 2))
    setAt((before) => (before.first === first && before.rows === rows ? before : { first, rows }))
  }, [rowHeight])
  useEffect(measure, [count, measure])
  return {
    first: Math.min(at.first, count),
    end: Math.min(count, at.first + at.rows + spareRows),
    ref,
    onScroll: measure,
  }
}
