// What goes wrong by itself in a history: each exchange, sending, change of rows and moment may, as
// likely as its weather says.
import type { Statement } from '../../src/database/database.js'
import { namesOf, type Sending, sendings, type Weather } from './history.js'
import { isNews } from './moments.js'
import type { Connection } from './virtual-database.js'
import { type Exchange, exchanges } from './virtual-network.js'
import { type Process, randomOf, type VirtualWorld } from './virtual-world.js'

const calm: Weather = { exchanges: 0, sendings: 0, writes: 0, moments: 0, news: 0 }

/** What a storm does to a process. */
export interface Struck {
  readonly process: Process
  /** Frozen for so long; unset: it dies. */
  readonly ms?: number
}

export class Storm {
  /** Set once everything is back. */
  isOver = false
  readonly #weather: Weather
  readonly #random: () => number
  readonly #world: VirtualWorld

  constructor(world: VirtualWorld, seed: number, weather: Weather = calm) {
    this.#world = world
    this.#weather = weather
    this.#random = randomOf(seed ^ 0x9e3779b9)
  }

  /** True if processes may get no news for a while. */
  get isDeafening(): boolean {
    return this.#weather.writes > 0 || this.#weather.moments > 0
  }

  /** True if anything but news goes wrong by itself. */
  get isStrong(): boolean {
    const { exchanges, sendings, writes, moments } = this.#weather
    return exchanges + sendings + writes + moments > 0
  }

  /** True if processes may have to look for themselves. */
  get isQuiet(): boolean {
    return this.#weather.news > 0
  }

  #happens(kind: keyof Weather): boolean {
    const share = this.#weather[kind]
    return !this.isOver && share > 0 && this.#random() < share
  }

  #pick<Value>(values: readonly Value[]): Value {
    return values[Math.floor(this.#random() * values.length)]!
  }

  /** Up to a few seconds, often about as long as a lease. */
  #ms(): number {
    return this.#random() * this.#pick([100, 1000, 3000, 6000])
  }

  exchange(): Exchange {
    return this.#happens('exchanges') ? this.#pick(namesOf(exchanges)) : 'arrives'
  }

  sending(): Sending {
    return this.#happens('sendings') ? this.#pick(namesOf(sendings)) : 'answers'
  }

  /** Changes what becomes of the write that a process is about to send. @returns whether it did */
  write(connection: Connection, statements: readonly Statement[]): boolean {
    if (!isNews(statements) || !this.#happens('writes')) return false
    const ms = this.#ms()
    const { now } = this.#world
    const change = this.#pick<Partial<Connection>>([
      { slow: { ms, ofRun: false } },
      { slowReadMs: ms },
      { stallsUntil: now + ms },
      { stallMs: ms, stallsBehind: true },
      { losesReply: { afterMs: ms, ofRun: false } },
      { awayUntil: now + ms / 2 },
      { dieAt: { writes: 1, commits: true } },
      { dieAt: { writes: 1, commits: false } },
    ])
    Object.assign(connection, change)
    return true
  }

  /** Whether news of a change are lost on their way to another process. */
  losesNews(): boolean {
    return this.#happens('news')
  }

  /** Whether whoever made a moment dies or freezes. */
  strike(process: Process): Struck | undefined {
    if (!this.#happens('moments')) return undefined
    return this.#random() < 0.5 ? { process } : { process, ms: this.#ms() }
  }

  /** How long a dead process stays away, in milliseconds. */
  restartMs(): number {
    return 100 + this.#random() * 6000
  }
}
