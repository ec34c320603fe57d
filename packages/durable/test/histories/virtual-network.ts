// HTTP between the processes of the cluster and its users: requests and replies are lost, servers
// are away, answer 500 before or after their work, and break off in the middle of a reply.
import type { Process, VirtualWorld } from './virtual-world.js'

/** What happens to one exchange; a new one does not compile until the network has it. */
export const exchanges = {
  arrives: {},
  'loses the request': { loses: 'request' },
  'loses the reply': { loses: 'reply' },
  'answers 500': { status: 500 },
  'answers 500 after the work': { status: 500, works: true },
  'answers 503': { status: 503 },
  'reaches nobody': { refuses: true },
  'breaks in the middle': { chunks: 2 },
  'arrives late': { lateMs: 2500 },
  'is answered late': { answerMs: 2500 },
  // What lies between sends it again: to another process, perhaps.
  'arrives twice': { isDoubled: true },
} as const satisfies Record<
  string,
  {
    readonly loses?: 'request' | 'reply'
    readonly status?: number
    readonly works?: boolean
    readonly refuses?: boolean
    readonly chunks?: number
    readonly lateMs?: number
    readonly answerMs?: number
    readonly isDoubled?: boolean
  }
>
export type Exchange = keyof typeof exchanges

export const broken = (code: string): Error =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) })

/** A server that a process runs. */
export interface Served {
  readonly process: Process
  /** It works on a message that comes twice twice: what lies between sends it once. */
  readonly worksTwice?: true
  fetch(request: Request): Promise<Response>
}

interface Open {
  readonly to: Process
  readonly from: Process | undefined
  readonly fail: () => void
}

export class VirtualNetwork {
  readonly #world: VirtualWorld
  readonly #open = new Set<Open>()
  /** Servers by the host of their address. */
  readonly servers = new Map<string, readonly Served[]>()
  /** What happens to the next exchanges with a host, and until when the host is away. */
  readonly faults = new Map<string, Exchange[]>()
  readonly awayUntil = new Map<string, number>()
  readonly met = new Map<Exchange, number>()
  /** How many exchanges with a host did not just arrive. */
  readonly failures = new Map<string, number>()

  /** What happens to an exchange of which nothing is said. */
  weather: () => Exchange = () => 'arrives'
  readonly #onExchange: (from: Process | undefined, host: string) => void

  constructor(world: VirtualWorld, onExchange: (from: Process | undefined, host: string) => void) {
    this.#world = world
    this.#onExchange = onExchange
  }

  /** What a died process had open breaks off for the others. */
  die(process: Process): void {
    for (const open of [...this.#open])
      if (open.to === process || open.from === process) {
        this.#open.delete(open)
        this.#world.schedule(this.#world.latency(), open.from, open.fail)
      }
  }

  /** `fetch` of a process, or of a user. */
  fetchOf(from: Process | undefined): typeof fetch {
    return async (input, init) => {
      const request = new Request(input, init)
      const body = request.body ? await request.text() : undefined
      const { promise, resolve, reject } = Promise.withResolvers<Response>()
      this.#exchange(from, request, body, resolve, reject)
      return promise
    }
  }

  #exchange(
    from: Process | undefined,
    request: Request,
    body: string | undefined,
    resolve: (response: Response) => void,
    reject: (error: unknown) => void,
  ): void {
    const world = this.#world
    const { host } = new URL(request.url)
    this.#onExchange(from, host)
    const servers = (this.servers.get(host) ?? []).filter(({ process }) => !process.isDead)
    const server = servers[Math.floor(world.random() * servers.length)]
    const isAway = (this.awayUntil.get(host) ?? 0) > world.now
    const name: Exchange = isAway
      ? 'reaches nobody'
      : (this.faults.get(host)?.shift() ?? this.weather())
    this.met.set(name, (this.met.get(name) ?? 0) + 1)
    // Whoever waits for a late one has no time left to try again.
    const failures = name.includes('late') ? 3 : name === 'arrives' ? 0 : 1
    this.failures.set(host, (this.failures.get(host) ?? 0) + failures)
    const fault: {
      readonly loses?: string
      readonly status?: number
      readonly works?: boolean
      readonly refuses?: boolean
      readonly chunks?: number
      readonly lateMs?: number
      readonly answerMs?: number
      readonly isDoubled?: boolean
    } = exchanges[name]
    const fail = (code: string): unknown =>
      world.schedule(world.latency(), from, () => reject(broken(code)))
    if (!server || fault.refuses) return void fail('ECONNREFUSED')
    if (fault.loses === 'request') return void fail('ECONNRESET')
    if (fault.status !== undefined && !fault.works)
      return void world.schedule(world.latency(), from, () =>
        resolve(new Response('{}', { status: fault.status ?? 500 })),
      )
    const { signal } = request
    const inner = new AbortController()
    let stream: ReadableStreamDefaultController<Uint8Array> | undefined
    let isOver = false
    const end = (error: unknown): void => {
      if (isOver) return
      isOver = true
      this.#open.delete(open)
      reject(error)
      try {
        stream?.error(error)
      } catch {
        // It was closed before.
      }
      world.schedule(world.latency(), server.process, () => inner.abort())
    }
    const open: Open = { to: server.process, from, fail: () => end(broken('ECONNRESET')) }
    this.#open.add(open)
    const onAbort = (): void => end(signal.reason)
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
    const toCaller = (run: () => void): void =>
      void world.schedule(world.latency(), from, () => {
        if (!isOver) run()
      })
    const sendTo = (one: Served, until: AbortSignal): Promise<Response> =>
      one.fetch(
        new Request(request.url, {
          method: request.method,
          headers: request.headers,
          ...(body !== undefined && { body }),
          signal: until,
        }),
      )
    if (fault.isDoubled && !server.worksTwice) {
      const other = servers[Math.floor(world.random() * servers.length)] ?? server
      world.schedule(world.latency(), other.process, () => {
        // Nobody reads what it answers.
        void sendTo(other, AbortSignal.timeout(3000))
          .then((response) => response.body?.cancel())
          .catch(() => undefined)
      })
    }
    const serve = async (): Promise<void> => {
      const response = await sendTo(server, inner.signal)
      if (fault.answerMs !== undefined)
        await world.pause(world.delay(fault.answerMs), server.process)
      if (fault.loses === 'reply') {
        toCaller(open.fail)
        return
      }
      if (fault.status !== undefined) {
        await response.body?.cancel()
        toCaller(() => {
          this.#open.delete(open)
          isOver = true
          resolve(new Response('{}', { status: fault.status ?? 500 }))
        })
        return
      }
      const { status, headers } = response
      if (!response.body) {
        toCaller(() => {
          this.#open.delete(open)
          isOver = true
          resolve(new Response(null, { status, headers }))
        })
        return
      }
      const reader = response.body.getReader()
      let last = 0
      // Chunks arrive in order, each a little later.
      const inOrder = (run: () => void): void => {
        last = Math.max(last, world.now + world.latency()) + 0.001
        world.schedule(last - world.now, from, () => {
          if (!isOver) run()
        })
      }
      inOrder(() =>
        resolve(
          new Response(
            new ReadableStream({
              start: (controller) => {
                stream = controller
              },
              cancel: () => end(broken('ECONNRESET')),
            }),
            { status, headers },
          ),
        ),
      )
      for (let chunks = 0; ; chunks++) {
        if (fault.chunks === chunks) {
          inOrder(open.fail)
          return
        }
        const { done, value } = await reader.read()
        if (done) break
        inOrder(() => stream?.enqueue(value))
      }
      inOrder(() => {
        isOver = true
        this.#open.delete(open)
        stream?.close()
      })
    }
    world.schedule(world.latency() + world.delay(fault.lateMs ?? 0), server.process, () => {
      serve().catch(() => toCaller(open.fail))
    })
  }
}
