import type { BatchRunner, ChatMessage, Provider } from '@modelport/core'
import {
  assert,
  assertCode,
  assertEqual,
  rejection,
  resolved,
} from '../../packages/conformance/src/assert.js'
import type { HarnessConfig, Runner } from '../../packages/conformance/src/harness.js'
import {
  createMemoryServer,
  type LoggedRequest,
  type ServerPlan,
  type ServerReply,
  toReply,
} from '../../packages/conformance/src/memory-server.js'
import { VirtualClock } from '../../packages/conformance/src/virtual-clock.js'
import type { WireRequest, WireResponse } from '../../packages/conformance/src/wire-format.js'

/** A scripted vendor of batches: the batch that it received, and its progress. */
export interface BatchVendor {
  /**
   * The state of the batch; the suite changes it. Results are there unless it is `running` or
   * `failed`.
   */
  state: 'running' | 'ended' | 'cancelled' | 'failed'
  /**
   * Answers a request. The first of three requests has the reply `reply 0`, the second fails as a
   * bad request, the third has no result. The vendor writes them backwards.
   */
  respond(request: WireRequest): WireResponse
  /** Bodies of the requests that were handed over, in order. */
  readonly bodies: readonly unknown[]
}

/** Everything the suite needs of a batch runner. */
export interface BatchHarness {
  /** Names the suite in the report. */
  readonly name: string
  /** Makes the runner: it passes all of `config` on to the driver layer. */
  create(config: HarnessConfig): BatchRunner
  /** The provider of the same model, to compare requests with. */
  provider(config: HarnessConfig): Provider
  /** A fresh vendor. */
  vendor(): BatchVendor
  /** True for the request that makes a batch. */
  creates(request: WireRequest): boolean
}

interface BatchLab {
  readonly runner: BatchRunner
  readonly vendor: BatchVendor
  readonly requests: readonly LoggedRequest[]
  readonly clock: VirtualClock
  readonly harness: BatchHarness
}

const say = (content: string): readonly ChatMessage[] => [{ role: 'user', content }]
const three = [
  { messages: say('first'), options: { maxTokens: 70 } },
  { messages: say('second') },
  { messages: say('third'), options: { system: 'Be brief.' } },
]

const tests: Readonly<Record<string, (lab: BatchLab) => Promise<void>>> = {
  'B1 each request of a batch is the one that generate sends': async ({
    harness,
    runner,
    vendor,
    clock,
  }) => {
    const { id, status } = await resolved(runner.createBatch(three), 'createBatch')
    assert(id, 'the batch has no id')
    assertEqual(status, 'running', 'the status')
    const server = createMemoryServer(() => () => ({ status: 400, headers: {}, steps: [] }), clock)
    const provider = harness.provider({ clock, fetch: server.fetch })
    for (const { messages, options = {} } of three)
      await rejection(provider.generate(messages, options), 'generate')
    const plain = (body: unknown): unknown => ({ ...(body as object), stream: undefined })
    const expected = server.requests.map(({ body }) => plain(body))
    assertEqual(vendor.bodies.map(plain), expected, 'bodies')
  },
  'B1 a request that cannot be sent is refused before anything is': async ({
    runner,
    requests,
  }) => {
    assertCode(
      await rejection(runner.createBatch([]), 'no requests'),
      'invalid-request',
      'no requests',
    )
    const bad = [
      ...three,
      { messages: say('x'), options: { signal: new AbortController().signal } },
    ]
    assertCode(await rejection(runner.createBatch(bad), 'a signal'), 'unsupported', 'a signal')
    const empty = [...three, { messages: [] }]
    assertCode(
      await rejection(runner.createBatch(empty), 'no messages'),
      'invalid-request',
      'no messages',
    )
    assertCode(
      await rejection(runner.getBatch('./x'), 'a path as an id'),
      'invalid-request',
      'a path as an id',
    )
    assertEqual(requests.length, 0, 'requests')
  },
  'B2 results come in the order of the requests, and each failure is its own': async ({
    runner,
    vendor,
  }) => {
    const { id } = await runner.createBatch(three)
    vendor.state = 'ended'
    const [first, second, third, ...more] = await resolved(runner.batchResults(id), 'batchResults')
    assertEqual(more.length, 0, 'more results than requests')
    assertEqual(first?.generation?.text, 'reply 0', 'the first reply')
    assertCode(second?.error, 'invalid-request', 'the second result')
    assert(third?.error, 'the third result has no error')
  },
  'B3 a batch is made once, whatever becomes of the response': async ({ harness, clock }) => {
    const unavailable: ServerReply = { status: 503, headers: {}, steps: [] }
    const lost: ServerReply = { status: 200, headers: {}, steps: ['reset'] }
    for (const failure of [unavailable, lost]) {
      const vendor = harness.vendor()
      const plan: ServerPlan = (request) =>
        harness.creates(request) ? failure : toReply(vendor.respond(request))
      const server = createMemoryServer(() => plan, clock)
      const runner = harness.create({ clock, fetch: server.fetch })
      await clock.run(rejection(runner.createBatch(three), 'createBatch'), 'createBatch')
      assertEqual(
        server.requests.filter((request) => harness.creates(request)).length,
        1,
        'batches made',
      )
    }
  },
  'B3 asking where a batch stands is tried again': async ({ harness, clock }) => {
    const vendor = harness.vendor()
    let failures = 1
    const server = createMemoryServer(
      () => (request) => {
        const fails = !harness.creates(request) && request.method === 'GET' && failures-- > 0
        return fails ? { status: 503, headers: {}, steps: [] } : toReply(vendor.respond(request))
      },
      clock,
    )
    const runner = harness.create({ clock, fetch: server.fetch })
    const { id } = await resolved(runner.createBatch(three), 'createBatch')
    const { status } = await clock.run(resolved(runner.getBatch(id), 'getBatch'), 'getBatch')
    assertEqual(status, 'running', 'the status')
  },
  'B4 results of a batch that runs, and of one that failed, are refused': async ({
    runner,
    vendor,
  }) => {
    const { id } = await runner.createBatch(three)
    assertCode(
      await rejection(runner.batchResults(id), 'a running batch'),
      'invalid-request',
      'a running batch',
    )
    vendor.state = 'failed'
    const failed = await runner.getBatch(id).catch(() => undefined)
    if (failed?.status === 'failed')
      assertCode(
        await rejection(runner.batchResults(id), 'a failed batch'),
        'server',
        'a failed batch',
      )
  },
  'B4 cancelling tells where the batch stands, and keeps what was made': async ({
    runner,
    vendor,
  }) => {
    const { id } = await runner.createBatch(three)
    const { status } = await resolved(runner.cancelBatch(id), 'cancelBatch')
    assert(status === 'cancelling' || status === 'cancelled', `the status is ${status}`)
    vendor.state = 'cancelled'
    assertEqual((await runner.getBatch(id)).status, 'cancelled', 'the status later')
    const [first, , third] = await resolved(runner.batchResults(id), 'batchResults')
    assertEqual(first?.generation?.text, 'reply 0', 'the first reply')
    assertCode(third?.error, 'aborted', 'the third result')
  },
}

/** Holds a batch runner to the rules B of docs/contract.md. */
export function batchConformance(runner: Runner, harness: BatchHarness): void {
  runner.describe(`conformance of ${harness.name}`, () => {
    for (const [title, body] of Object.entries(tests)) {
      runner.test(
        title,
        async () => {
          const clock = new VirtualClock()
          const vendor = harness.vendor()
          const { fetch, requests } = createMemoryServer(
            () => (request) => toReply(vendor.respond(request)),
            clock,
          )
          await body({ harness, runner: harness.create({ clock, fetch }), vendor, requests, clock })
        },
        60_000,
      )
    }
  })
}
