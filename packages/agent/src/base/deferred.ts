/** A promise that somebody else resolves. */
export interface Deferred {
  readonly promise: Promise<void>
  readonly resolve: () => void
}

/** Makes a promise with its `resolve`. */
export function deferred(): Deferred {
  let settle: (() => void) | undefined
  const promise = new Promise<void>((resolve) => {
    settle = resolve
  })
  return { promise, resolve: () => settle?.() }
}
