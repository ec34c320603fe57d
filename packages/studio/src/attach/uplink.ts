import { once } from 'node:events'
import { type ClientRequest, request } from 'node:http'
import { challengeHeader } from '../protocol/program-proof.js'
import type { StudioAddress } from './address.js'
import { newChallenge, programProof } from './proof.js'

/** Milliseconds in which lines are gathered before they are sent. */
const gatherMs = 50
/** Milliseconds before the second attempt to reach a studio; each later wait is longer. */
const firstWaitMs = 500
/** Maximum milliseconds between two attempts. */
const mostWaitMs = 10_000
/** Maximum bytes in the socket: the rest waits in the spool. */
const mostBuffered = 4_000_000
/** Milliseconds that the end of a program waits for a studio that is there. */
const endMs = 500

/** Where an uplink sends to, and what. */
interface Cargo {
  find(): StudioAddress | undefined
  /** Called when a studio has accepted this program. */
  accepted(address: StudioAddress): void
  /**
   * Called when what is there does not prove that it knows the token. Left out for that of a file:
   * it may be of the studio before, while this one starts.
   */
  refused?(address: StudioAddress): void
  isEmpty(): boolean
  /** Takes the lines out, each with its line break. */
  take(): string
  /** The first line: who this is. */
  readonly hello: string
  /** The lines that begin what is open, for a studio that may not know of it. */
  starts(): string
}

/**
 * One request to the studio that stays open: its body has the lines, its response proves that the
 * studio knows the token. Nothing of the program is sent before. Keeps no program alive.
 */
export class Uplink {
  readonly #cargo: Cargo
  #request: ClientRequest | undefined
  /** True while a studio takes lines. */
  isAccepted = false
  #waitMs = firstWaitMs
  #timer: NodeJS.Timeout | undefined

  constructor(cargo: Cargo) {
    this.#cargo = cargo
    this.#connect()
  }

  /** Called when there is something to send. */
  notify(): void {
    if (this.isAccepted && !this.#timer) this.#later(gatherMs, () => this.#flush())
  }

  /** Sends what there is while the program ends: nothing asynchronous happens any more. */
  sendNow(): void {
    this.#flush()
    this.#request?.socket?.uncork()
  }

  /** Ends the request after all lines, if a studio is there. */
  async end(): Promise<void> {
    const open = this.#request
    if (!open) return
    open.socket?.ref()
    const finish = (): void => {
      this.#flush()
      open.end()
    }
    if (this.isAccepted) finish()
    else open.once('response', finish)
    await Promise.race([
      once(open, 'close'),
      new Promise((resolve) => setTimeout(resolve, endMs).unref()),
    ])
    open.destroy()
  }

  #connect(): void {
    const address = this.#cargo.find()
    if (!address) {
      this.#again()
      return
    }
    const { url, token } = address
    const challenge = newChallenge()
    const headers = { [challengeHeader]: challenge, 'content-type': 'application/x-ndjson' }
    const open = request(url, { method: 'POST', headers, agent: false })
    this.#request = open
    open.on('socket', (socket) => socket.unref())
    open.on('error', () => undefined)
    open.on('close', () => {
      this.isAccepted = false
      this.#request = undefined
      this.#again()
    })
    open.on('response', (response) => {
      response.on('error', () => undefined).resume()
      // A studio ends its response only when it takes no more.
      response.on('end', () => open.destroy())
      const proof = programProof(token, challenge, response.headers)
      if (proof === undefined) {
        this.#cargo.refused?.(address)
        open.destroy()
        return
      }
      this.#waitMs = firstWaitMs
      this.isAccepted = true
      this.#cargo.accepted(address)
      open.write(`${JSON.stringify({ proof })}\n`)
      open.write(this.#cargo.hello)
      open.write(this.#cargo.starts())
      this.#flush()
    })
    open.flushHeaders()
  }

  #again(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#later(this.#waitMs, () => this.#connect())
    this.#waitMs = Math.min(this.#waitMs * 2, mostWaitMs)
  }

  #flush(): void {
    if (!this.#request || !this.isAccepted || this.#cargo.isEmpty()) return
    if (this.#request.writableLength > mostBuffered) this.#later(gatherMs, () => this.#flush())
    else this.#request.write(this.#cargo.take())
  }

  #later(ms: number, then: () => void): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      then()
    }, ms).unref()
  }
}
