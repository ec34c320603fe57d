import type { CommonConfig } from '@modelport/driver'
import { assertEqual, ConformanceError, fail } from '../assert.js'
import type { Runner } from '../harness.js'
import { createMemoryServer, type LoggedRequest, type Plan, type ServerReply, type Step } from '../memory-server.js'
import { VirtualClock } from '../virtual-clock.js'
import type { CapabilityCalls, CapabilityHarness, CapabilityResponse } from './capability-harness.js'

/** A capability and the server it talks to. */
export interface CapabilityConnection extends CapabilityCalls {
  readonly requests: readonly LoggedRequest[]
}

/** The place where one test of a capability runs. */
export class CapabilityLab {
  readonly harness: CapabilityHarness
  readonly clock: VirtualClock = new VirtualClock()
  readonly #connections: CapabilityConnection[] = []

  constructor(harness: CapabilityHarness) {
    this.harness = harness
  }

  /** The capability in front of a server that follows the plan. */
  connect(plan: Plan, config: Partial<CommonConfig> = {}): CapabilityConnection {
    const server = createMemoryServer(() => plan, this.clock)
    const calls = this.harness.create({ clock: this.clock, ...config, fetch: server.fetch })
    const connection = { ...calls, requests: server.requests }
    this.#connections.push(connection)
    return connection
  }

  /** The good reply, its body in these steps. Default: one. */
  good(steps: readonly Step[] = [this.body]): ServerReply {
    return { status: 200, headers: this.harness.response.headers, steps }
  }

  /** The body of the good reply. */
  get body(): Uint8Array {
    return bytesOf(this.harness.response)
  }

  /** The problems of the requests that calls of the harness's choice made. */
  check(): void {
    for (const [index, request] of this.#connections.flatMap(({ requests }) => requests).entries()) {
      const violations = this.harness.violations(request)
      if (violations.length) fail(`request ${index} breaks rules of the API: ${violations.join('; ')}`)
    }
  }
}

/** The bytes of a reply. */
export const bytesOf = ({ body }: CapabilityResponse): Uint8Array =>
  typeof body === 'string' ? new TextEncoder().encode(body) : body

/** A test of a capability. */
export type CapabilityTest = (lab: CapabilityLab) => Promise<void>

/** Declares tests for one harness, and checks every request at the end of each. */
export function declareCapabilityTests(
  { test }: Runner,
  harness: CapabilityHarness,
  tests: Readonly<Record<string, CapabilityTest>>,
): void {
  for (const [title, body] of Object.entries(tests)) {
    test(title, async () => {
      const lab = new CapabilityLab(harness)
      await body(lab)
      lab.check()
    }, 60_000)
  }
}

/** Fails unless both are the same, byte for byte where they hold bytes. */
export function assertSame(actual: unknown, expected: unknown, what: string): void {
  assertEqual(plain(actual), plain(expected), what)
}

/** Bytes as text, so that they can be compared as JSON. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return `bytes ${Array.from(value).join(' ')}`
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)]))
}

/** Fails with what went wrong, if the promise rejects. */
export async function resolved<T>(promise: Promise<T>, what: string): Promise<T> {
  try {
    return await promise
  } catch (cause) {
    throw new ConformanceError(`${what}: rejected with ${String(cause)}`, { cause })
  }
}
