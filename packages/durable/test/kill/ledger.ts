// The world outside: effects arrive over HTTP, and nothing takes them back.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One effect, as it arrived. */
export interface Effect {
  readonly job: string
  readonly call: string
  /** The idempotency key that it came with. */
  readonly key: string
  /** Name of the process that caused it. */
  readonly worker: string
  readonly at: number
}

/**
 * What a worker hears: `slow` answers after a while, `lost` never does, `unseen` neither answers
 * nor happens.
 */
export type Answer = 'done' | 'slow' | 'lost' | 'unseen'

export interface Ledger {
  readonly url: string
  readonly effects: readonly Effect[]
  /**
   * Decides what becomes of an effect, and may kill the process that causes it. Default: it is
   * done.
   */
  onEffect: (effect: Effect) => Answer
  has(key: string): boolean
  close(): void
}

export async function openLedger(): Promise<Ledger> {
  const effects: Effect[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      const effect = { ...(JSON.parse(body) as Omit<Effect, 'at'>), at: performance.now() }
      const answer = ledger.onEffect(effect)
      if (answer !== 'unseen') effects.push(effect)
      const end = (): unknown => response.end(`done ${effect.call}`)
      if (answer === 'done') end()
      if (answer === 'slow') setTimeout(end, slowMs).unref()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const ledger: Ledger = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    effects,
    onEffect: () => 'done',
    has: (key) => effects.some((effect) => effect.key === key),
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
  return ledger
}

const slowMs = 1500
