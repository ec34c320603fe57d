/** Callbacks by key. */
export class ChangeListeners {
  readonly #byKey = new Map<string, Set<() => void>>()

  get size(): number {
    return this.#byKey.size
  }

  add(key: string, onChange: () => void): () => void {
    const listeners = this.#byKey.get(key) ?? new Set()
    this.#byKey.set(key, listeners)
    const own = (): void => onChange()
    listeners.add(own)
    return () => {
      listeners.delete(own)
      if (listeners.size === 0 && this.#byKey.get(key) === listeners) this.#byKey.delete(key)
    }
  }

  notify(key: string): void {
    for (const listener of [...(this.#byKey.get(key) ?? [])]) listener()
  }

  notifyAll(): void {
    for (const key of [...this.#byKey.keys()]) this.notify(key)
  }
}
