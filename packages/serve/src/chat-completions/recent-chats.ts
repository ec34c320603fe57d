import type { Accepted, AgentHost } from '@modelport/agent'

/** Longer than clients wait for a reply before they ask again. */
const keptMs = 30 * 60_000
const mostKept = 1_000

interface Kept {
  readonly accepted: Promise<Accepted>
  readonly at: number
}

/**
 * The requests of the last half hour, so that one that a client sends again by itself, after a
 * time-out or a lost connection, is not a new run: it may have had its effect.
 */
export class RecentChats {
  readonly #kept = new Map<string, Kept>()
  readonly #now: () => number

  private constructor(now: () => number) {
    this.#now = now
  }

  static readonly #ofHosts = new WeakMap<AgentHost, RecentChats>()

  /** The requests of a host. */
  static of(host: AgentHost): RecentChats {
    const found = this.#ofHosts.get(host)
    if (found) return found
    const made = new RecentChats(() => host.entropy.now())
    this.#ofHosts.set(host, made)
    return made
  }

  /** Keeps a request; it is forgotten if it is refused, for then nothing has begun. */
  keep(key: string, accepted: Promise<Accepted>): void {
    const kept = { accepted, at: this.#now() }
    this.#kept.delete(key)
    this.#kept.set(key, kept)
    accepted.catch(() => {
      if (this.#kept.get(key) === kept) this.#kept.delete(key)
    })
    for (const [oldest, { at }] of this.#kept) {
      if (this.#kept.size <= mostKept && at > this.#now() - keptMs) break
      this.#kept.delete(oldest)
    }
  }

  /** The same request, if it was accepted before. */
  find(key: string): Promise<Accepted> | undefined {
    return this.#kept.get(key)?.accepted
  }
}
