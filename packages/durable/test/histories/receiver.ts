// The receiver of payments, with its ledger, as the tools reach it: over a network that loses.
import { OutcomeUnknown, type ReconcileOutcome, type Webhook } from '@modelport/runtime'
import type { LedgerLine, PreparedLine } from './audit.js'
import { type Call, type History, type Sending, type SendingForm, sendings } from './history.js'
import type { Payee } from './program.js'
import { broken } from './virtual-network.js'
import type { Process, VirtualWorld } from './virtual-world.js'

export class Receiver implements Payee {
  readonly ledger: LedgerLine[] = []
  /** Who prepared what, and when: a tool that takes long. */
  readonly prepared: PreparedLine[] = []
  readonly met = new Map<Sending, number>()
  /** Where results of work that continues elsewhere go. */
  readonly webhooks: { readonly wish: string; readonly url: string }[] = []
  /** How a sending ends of which nothing is said. */
  weather: () => Sending = () => 'answers'
  /** Nobody reaches it until this time. */
  awayUntil = 0
  readonly #world: VirtualWorld
  readonly #onDeath: (owner: Process) => void
  readonly #onSent: (owner: Process | undefined, key: string) => void
  readonly #ends = new Map<string, Sending[]>()
  readonly #calls = new Map<string, Call>()
  readonly #keys = new Set<string>()
  /** Keys of requests that are still under way: the receiver says that it does not know. */
  readonly #underWay = new Map<string, number>()

  constructor(
    world: VirtualWorld,
    history: History,
    onDeath: (owner: Process) => void,
    onSent: (owner: Process | undefined, key: string) => void,
  ) {
    this.#world = world
    this.#onDeath = onDeath
    this.#onSent = onSent
    for (const { job } of history.moves)
      for (const call of (job?.steps ?? []).flat()) {
        this.#ends.set(call.wish, [...call.ends])
        this.#calls.set(call.wish, call)
      }
  }

  /** Sends a wish and waits for the reply. */
  send(wish: string, key: string): Promise<string> {
    const world = this.#world
    const owner = world.process
    const isAway = this.awayUntil > world.now
    const drawn = isAway ? 'reaches nobody' : (this.#ends.get(wish)?.shift() ?? this.weather())
    // It recognizes a call by its key, and does not refuse what it did.
    const isDone = this.#keys.has(key) && this.#isKeyed(wish)
    const name: Sending = drawn === 'refuses' && isDone ? 'answers' : drawn
    this.met.set(name, (this.met.get(name) ?? 0) + 1)
    const form: SendingForm = sendings[name]
    const sentAt = world.now
    this.#onSent(owner, key)
    return new Promise((resolve, reject) => {
      if (owner?.isDead) return
      const death = owner?.diesIn
      const dies = death !== undefined && --death.sendings === 0
      if (owner && dies && !death.arrives) {
        this.#onDeath(owner)
        return
      }
      this.#travel(key, 1)
      world.schedule(world.latency() + (form.lateMs ?? 0), undefined, () => {
        this.#travel(key, -1)
        if (form.breaks !== 'ECONNREFUSED') this.#note(wish, key, form.effect, sentAt, owner)
        if (owner && dies) this.#onDeath(owner)
        if (form.hangs) return
        world.schedule(world.latency() + (form.ms ?? 0), owner, () => {
          if (form.breaks !== undefined) reject(broken(form.breaks))
          else if (form.isUnclear) reject(new OutcomeUnknown('the receiver answered 500'))
          else if (form.effect) resolve(`paid ${wish}`)
          else reject(new Error(`declined ${wish}`))
        })
      })
    })
  }

  prepare(wish: string, key: string): Promise<void> {
    const { now, process } = this.#world
    // Timers that were due while a process was frozen come in any order.
    const hasJustWoken = process !== undefined && now - process.wakesAt < 1 && process.wakesAt > 0
    if (process && !hasJustWoken)
      this.prepared.push({ at: Math.round(now), by: process.name, wish, key })
    return Promise.resolve()
  }

  takeWebhook(wish: string, { url }: Webhook): void {
    if (url !== undefined) this.webhooks.push({ wish, url })
  }

  /**
   * Work that continues elsewhere is done there, unless that is a server of its own.
   *
   * @returns whether it is done
   */
  finish(wish: string): boolean {
    const isOwn = this.#calls.get(wish)?.tool.startsWith('remote') === true
    if (!isOwn && !this.wasPaid(wish)) this.#note(wish, `late ${wish}`, true, 0)
    return this.wasPaid(wish)
  }

  async reconcile(key: string): Promise<ReconcileOutcome> {
    await this.#world.pause(this.#world.latency())
    const line = this.ledger.find((each) => each.key === key && each.effect)
    if (line) return { outcome: 'executed', result: `paid ${line.wish}` }
    const isUnderWay = (this.#underWay.get(key) ?? 0) > 0
    return isUnderWay || this.awayUntil > this.#world.now
      ? { outcome: 'unknown' }
      : { outcome: 'not-executed' }
  }

  wasPaid(wish: string): boolean {
    return this.ledger.some((line) => line.wish === wish && line.effect)
  }

  #isKeyed(wish: string): boolean {
    return this.#calls.get(wish)?.tool.startsWith('keyed') === true
  }

  #travel(key: string, by: number): void {
    this.#underWay.set(key, (this.#underWay.get(key) ?? 0) + by)
  }

  #note(wish: string, key: string, happens: boolean, sentAt = this.#world.now, by?: Process): void {
    const effect = happens && !(this.#isKeyed(wish) && this.#keys.has(key))
    if (happens) this.#keys.add(key)
    const { now } = this.#world
    this.ledger.push({
      at: Math.round(now),
      sentAt: Math.round(sentAt),
      ...(by && { by: by.name }),
      wish,
      key,
      effect,
    })
  }
}
