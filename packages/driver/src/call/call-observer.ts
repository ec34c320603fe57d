/** Calls an observer of the application. An error that it throws or rejects with is ignored. */
export function callObserver(call: () => unknown): void {
  void (async () => {
    await call()
  })().catch(() => undefined)
}
