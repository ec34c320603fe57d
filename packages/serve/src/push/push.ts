import {
  type AgentStore,
  type Entropy,
  isTerminal,
  type OutboxRow,
  type PushConfig,
  type TaskKey,
} from '@modelport/agent'
import { A2aStreamEncoder } from '../a2a/stream-codec.js'
import { addressOf } from '../a2a/task-codec.js'
import { invalidParams } from '../base/invalid-params.js'
import type { PushPort } from '../wire/endpoint.js'
import { isPrivateHost } from './private-address.js'
import { PushLanes } from './push-lanes.js'

/** One notification, as it goes out. */
export interface PushRequest {
  readonly url: string
  /** All headers, credentials included. */
  readonly headers: Readonly<Record<string, string>>
  /** The JSON that is sent. */
  readonly body: string
  /** Milliseconds that the receiver may take. */
  readonly timeoutMs: number
}

/**
 * Sends a notification and gives the HTTP status. It must check the address when it connects (no private, loopback or link-local one) and must not follow
 * redirects: that of `serve` of `@modelport/serve/node` does both.
 */
export type PushSender = (request: PushRequest) => Promise<number>

/** How notifications are sent. */
export interface PushOptions {
  /** Sends one notification. */
  readonly send: PushSender
  /** Deliveries of one notification before it is given up. Default 8. */
  readonly maxAttempts?: number
  /** Milliseconds that a receiver may take. Default 15,000. */
  readonly timeoutMs?: number
  /** Milliseconds before the second delivery; they double each time, up to an hour. Default 1,000. */
  readonly retryMs?: number
  /** Hosts that may be notified, as `host` or `host:port`. Default: any public one. */
  readonly allowedHosts?: readonly string[]
  /** True also allows `http:` and private addresses, for tests. Default false. */
  readonly allowInsecure?: boolean
}

/** Puts the changes of tasks into the outbox, and delivers them in order. */
export class PushService implements PushPort {
  readonly #store: AgentStore
  readonly #entropy: Entropy
  readonly #options: PushOptions
  readonly #onError: (error: unknown) => void
  /** Tasks that are looked at or followed. A number: somebody asked in the meantime to be told what follows this event. */
  readonly #watched = new Map<string, number | undefined>()
  readonly #lanes = new PushLanes()
  #timer: ReturnType<typeof setTimeout> | undefined
  #isDelivering = false
  #isClosed = false

  constructor(store: AgentStore, entropy: Entropy, options: PushOptions, onError: (error: unknown) => void) {
    this.#store = store
    this.#entropy = entropy
    this.#options = options
    this.#onError = onError
  }

  /**
   * Refuses addresses that must not be notified. The address behind a name is checked again when the connection is made.
   * @throws {AgentError} `invalid-params`
   */
  checkUrl(text: string): void {
    const refuse = (message: string): never => {
      throw invalidParams('/url', message, `The push URL ${message}`)
    }
    if (text.length > 4_096 || !URL.canParse(text)) refuse('is not a URL of at most 4,096 characters')
    const url = new URL(text)
    const { allowInsecure = false, allowedHosts } = this.#options
    if (url.protocol !== 'https:' && !(allowInsecure && url.protocol === 'http:')) refuse('must be an https: URL')
    if (url.username || url.password) refuse('must not contain credentials: use authentication')
    if (allowedHosts && !allowedHosts.includes(url.host) && !allowedHosts.includes(url.hostname))
      refuse('has a host that is not allowed')
    if (!allowInsecure && isPrivateHost(url.hostname)) refuse('must have a public address')
  }

  /**
   * Follows a task and notifies its configurations of each change of its status and of each artifact. A task without configurations is left alone: call
   * this when it gets the first.
   * @param after number of the event before the first that is reported. Default: the newest one
   */
  watch(key: TaskKey, after?: number): void {
    const name = JSON.stringify([key.principal, key.id])
    if (this.#watched.has(name)) {
      if (after !== undefined) this.#watched.set(name, Math.min(after, this.#watched.get(name) ?? after))
      return
    }
    this.#watched.set(name, undefined)
    void this.#follow(key, after)
      .then((isFollowed) => {
        const asked = this.#watched.get(name)
        this.#watched.delete(name)
        // The first configuration came while this looked for some.
        if (!isFollowed && asked !== undefined && !this.#isClosed) this.watch(key, asked)
      })
      .catch((error: unknown) => {
        this.#watched.delete(name)
        this.#onError(error)
      })
  }

  /** @returns false if there was nobody to notify */
  async #follow(key: TaskKey, after: number | undefined): Promise<boolean> {
    if (!(await this.#store.pushConfigs.list(key)).length) return false
    const found = await this.#store.tasks.load(key)
    if (!found) return false
    const encoder = new A2aStreamEncoder(addressOf(found.task))
    for await (const event of this.#store.tasks.watch(key, (after ?? found.head.seq) + 1)) {
      if (this.#isClosed) return true
      const isTold = event.type === 'status' || event.type === 'artifact'
      const [response] = encoder.encode(event)
      if (!isTold || !response) continue
      for (const config of await this.#store.pushConfigs.list(key))
        await this.#enqueue(key, config, event.seq, JSON.stringify(response))
      if (event.type === 'status' && isTerminal(event.state)) break
    }
    return true
  }

  async #enqueue(key: TaskKey, config: PushConfig, seq: number, payload: string): Promise<void> {
    await this.#store.outbox.put({ key, configId: config.id, seq, payload, attempts: 0, dueAt: this.#entropy.now() })
    this.#schedule(0)
  }

  /** Delivers the notifications that are due, and the others once they are due. Call it after a restart. */
  start(): void {
    this.#schedule(0)
  }

  /** Stops; what was not delivered stays in the outbox. */
  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  #schedule(inMs: number): void {
    if (this.#isClosed) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(
      () => {
        if (this.#isDelivering) return
        this.#isDelivering = true
        void this.#deliverAll()
          .catch(this.#onError)
          .finally(() => {
            this.#isDelivering = false
            void this.#reschedule().catch(this.#onError)
          })
      },
      Math.max(0, Math.min(inMs, 60_000)),
    )
    if (typeof this.#timer === 'object') (this.#timer as { unref?(): void }).unref?.()
  }

  async #reschedule(): Promise<void> {
    // A delivery that ends makes room, and looks again.
    if (!this.#lanes.hasRoom) return
    const next = await this.#store.outbox.nextDueAt()
    if (next !== undefined) this.#schedule(next - this.#entropy.now())
  }

  /** Gives everything that is due to the lanes. Nothing waits for a delivery here. */
  async #deliverAll(): Promise<void> {
    const { timeoutMs = 15_000 } = this.#options
    while (this.#lanes.hasRoom && !this.#isClosed) {
      const now = this.#entropy.now()
      const rows = await this.#store.outbox.claim(now, 64, timeoutMs * 2 + mostWaitingMs)
      if (!rows.length) return
      await Promise.all(rows.map((row) => this.#admit(row, now)))
    }
  }

  async #admit(row: OutboxRow, claimedAt: number): Promise<void> {
    const config = await this.#store.pushConfigs.get(row.key, row.configId)
    if (!config) return this.#store.outbox.settle(row, 'dead')
    const run = async (): Promise<void> => {
      try {
        // Its claim may be over soon: another process could deliver it too.
        if (this.#entropy.now() - claimedAt > mostWaitingMs) await this.#putBack(row, 0)
        else if (!this.#isClosed) await this.#deliver(row, config)
      } catch (error) {
        this.#onError(error)
      }
      this.#schedule(0)
    }
    const host = URL.canParse(config.url) ? new URL(config.url).host : ''
    const wait = this.#lanes.offer({ principal: row.key.principal, host, run })
    if (wait !== undefined) await this.#putBack(row, wait)
  }

  /** Ends a claim without an attempt. */
  #putBack(row: OutboxRow, inMs: number): Promise<void> {
    const retryAt = this.#entropy.now() + inMs
    return this.#store.outbox.settle({ ...row, attempts: row.attempts - 1 }, { retryAt })
  }

  async #deliver(row: OutboxRow, config: PushConfig): Promise<void> {
    const { send, maxAttempts = 8, timeoutMs = 15_000, retryMs = 1_000 } = this.#options
    let status = 0
    try {
      this.checkUrl(config.url)
      status = await send({ url: config.url, headers: headersOf(config, row.seq), body: row.payload, timeoutMs })
    } catch (error) {
      this.#onError(error)
    }
    if (status >= 200 && status < 300) return this.#store.outbox.settle(row, 'delivered')
    if (row.attempts + 1 >= maxAttempts) return this.#store.outbox.settle(row, 'dead')
    const wait = Math.min(retryMs * 2 ** row.attempts, 3_600_000)
    return this.#store.outbox.settle(row, { retryAt: this.#entropy.now() + wait })
  }
}

/** Longest time that a claimed notification waits for its turn, in milliseconds. */
const mostWaitingMs = 30_000

const headersOf = ({ token, authentication }: PushConfig, seq: number): Readonly<Record<string, string>> => ({
  'content-type': 'application/a2a+json',
  'a2a-version': '1.0',
  'x-modelport-event': String(seq),
  ...(token !== undefined && { 'x-a2a-notification-token': token }),
  ...(authentication && {
    authorization: authentication.credentials
      ? `${authentication.scheme} ${authentication.credentials}`
      : authentication.scheme,
  }),
})
