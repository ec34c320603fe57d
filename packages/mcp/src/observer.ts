/** Wraps a callback of the application; disables it if it throws. */
export function toObserver<News>(observe: ((news: News) => void) | undefined): ((news: News) => void) | undefined {
  let observer = observe
  return (
    observe &&
    ((news) => {
      try {
        observer?.(news)
      } catch {
        observer = undefined
      }
    })
  )
}
