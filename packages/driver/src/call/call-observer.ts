/** Calls an observer of the application. What it throws, or its promise rejects with, is ignored. */
export function callObserver(call: () => unknown): void {
  void (async () => {
    await call()
  })().catch(() => undefined)
}
