import { useEffect, useRef } from 'preact/hooks'

/** Pixels from the end of the page within which a reader counts as being there. */
const near = 120

/**
 * Keeps the end of a growing page in sight while the reader is there; a reader who scrolls up stays
 * there. A run that was over when it was opened stays at its beginning.
 */
export function useFollowEnd(version: number, isGrowing: boolean): void {
  const isAtEnd = useRef(true)
  const wasGrowing = useRef(false)
  useEffect(() => {
    const look = (): void => {
      const { scrollHeight } = document.documentElement
      isAtEnd.current = scrollHeight - innerHeight - scrollY < near
    }
    addEventListener('scroll', look, { passive: true })
    return () => removeEventListener('scroll', look)
  }, [])
  useEffect(() => {
    wasGrowing.current ||= isGrowing
    if (wasGrowing.current && isAtEnd.current)
      scrollTo({ top: document.documentElement.scrollHeight })
    if (!isGrowing) wasGrowing.current = false
  }, [version, isGrowing])
}
