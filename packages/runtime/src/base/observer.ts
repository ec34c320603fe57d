/** Wraps an observer; disables it if it throws or its promise rejects. */
export function toObserver<News>(
  observe: ((news: News) => unknown) | undefined,
): (news: News) => void {
  let observer = observe
  const disable = (): void => {
    observer = undefined
  }
  return (news) => {
    try {
      const result = observer?.(news)
      if (result instanceof Promise) result.catch(disable)
    } catch {
      disable()
    }
  }
}
