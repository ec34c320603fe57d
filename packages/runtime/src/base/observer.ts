/** Tells whoever observes. What that throws, or its promise rejects with, switches it off, and nothing else. */
export function toObserver<News>(tell: ((news: News) => unknown) | undefined): (news: News) => void {
  let observer = tell
  const disable = (): void => {
    observer = undefined
  }
  return (news) => {
    try {
      const answer = observer?.(news)
      if (answer instanceof Promise) answer.catch(disable)
    } catch {
      disable()
    }
  }
}
