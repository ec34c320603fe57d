import type {
  CallOptions,
  ChatMessage,
  Provider,
  StreamEvent,
  ToolResult,
  ToolStreamReader,
} from '@modelport/core'
import type { CommonConfig } from '@modelport/driver'
import { assert, ConformanceError } from './assert.js'
import type { Harness } from './harness.js'
import {
  createMemoryServer,
  type LoggedRequest,
  type ServerPlan,
  toReply,
} from './memory-server.js'
import type { Script, ScriptTurn } from './script.js'
import { scriptTools } from './scripts.js'
import { until, VirtualClock } from './virtual-clock.js'
import type { WireConversation, WireRequest, WireResponse } from './wire-format.js'

/** A provider and the server it talks to. */
export interface Connection {
  /** Set by a test whose requests break the API's rules on purpose. */
  unchecked?: boolean
  readonly provider: Provider
  readonly requests: readonly LoggedRequest[]
  /** The server's responses from now on. */
  plan: ServerPlan
}

const newline = 0x0a

/** The question every test asks unless it says otherwise. */
export const question: readonly ChatMessage[] = [{ role: 'user', content: 'What is the weather?' }]

/** The place where one test runs: its clock, its servers, its rules. */
export class Lab {
  readonly harness: Harness
  readonly clock: VirtualClock = new VirtualClock()
  readonly counts: Record<string, number> = {}
  readonly #connections: Connection[] = []

  readonly #everyNthByte: number

  constructor(harness: Harness, everyNthByte = 1) {
    this.harness = harness
    this.#everyNthByte = everyNthByte
  }

  /**
   * The next place after `at` to cut a reply: one in so many, each around the end of a line, and
   * each inside a character.
   */
  nextCut(bytes: Uint8Array, at: number): number {
    for (let next = at + 1; next < bytes.length; next++) {
      const isEdge =
        bytes.subarray(next - 1, next + 2).includes(newline) ||
        ((bytes[next] as number) & 0xc0) === 0x80
      if (isEdge || next % this.#everyNthByte === 0) return next
    }
    return bytes.length
  }

  get format(): Harness['format'] {
    return this.harness.format
  }

  /**
   * A provider whose requests get the plan's responses, counted from 0. A failure is not tried
   * again.
   */
  connect(plan: ServerPlan, config: Partial<CommonConfig> = {}): Connection {
    return this.connectRetrying(plan, { defaults: { retry: { attempts: 1 } }, ...config })
  }

  /** The same with the attempts a call has when nobody sets them: let the clock run. */
  connectRetrying(plan: ServerPlan, config: Partial<CommonConfig> = {}): Connection {
    const connection = { plan, requests: [] as readonly LoggedRequest[] }
    const server = createMemoryServer(() => connection.plan, this.clock)
    const provider = this.harness.create({ clock: this.clock, ...config, fetch: server.fetch })
    const connected = Object.assign(connection, { requests: server.requests, provider })
    this.#connections.push(connected)
    return connected
  }

  /** A provider that plays a script, one turn a request; the last turn repeats. */
  play(script: Script, config?: Partial<CommonConfig>): Connection {
    return this.connect(
      (request, index) => toReply(this.respond(script.turns, request, index)),
      config,
    )
  }

  /** The reply to the nth request. */
  respond(turns: readonly ScriptTurn[], request: WireRequest, index = 0): WireResponse {
    return this.format.respond(turns[Math.min(index, turns.length - 1)] as ScriptTurn, request)
  }

  /** The conversation of the nth request. */
  conversation({ requests }: Connection, index = 0): WireConversation {
    const request = requests[index]
    assert(request, `request ${index} was not sent: ${requests.length} in all`)
    return this.format.read(request)
  }

  /** Waits, for a very short real time, until the condition holds. */
  readonly until: typeof until = until

  count(what: string, by = 1): void {
    this.counts[what] = (this.counts[what] ?? 0) + by
  }

  /** A number that changes whenever something happens. */
  get activity(): number {
    const delivered = this.#connections.flatMap(({ requests }) =>
      requests.map((request) => request.delivered + 1),
    )
    return delivered.reduce(
      (sum, count) => sum + count,
      this.clock.now() + this.#connections.length,
    )
  }

  /** False if the test made providers and none of them sent a request. */
  get requested(): boolean {
    return (
      this.#connections.length === 0 ||
      this.#connections.some(({ requests }) => requests.length > 0)
    )
  }

  /**
   * What is wrong with the first request that does not obey the API. Every test checks it at its
   * end.
   */
  violation(): string | undefined {
    for (const { requests, unchecked } of this.#connections) {
      if (unchecked) continue
      for (const [index, request] of requests.entries()) {
        if (!this.format.matches(request))
          return `request ${index} is not for the API's endpoint: ${request.method} ${request.path}`
        const violations = this.#violationsOf(request)
        if (violations.length)
          return `request ${index} breaks rules of the API: ${violations.join('; ')}\n  ${JSON.stringify(request.body)}`
      }
    }
    return undefined
  }

  /** Reports a body that the format cannot read, instead of failing with the format's own error. */
  #violationsOf(request: WireRequest): readonly string[] {
    try {
      return this.format.violations(request)
    } catch (error) {
      return [`its body cannot be read: ${String(error)}`]
    }
  }
}

/** Reads to the end. */
export async function drain(items: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of items) continue
}

/** What a stream gave until it ended or failed. */
export interface Outcome {
  readonly events: readonly StreamEvent[]
  readonly failed: boolean
  readonly error?: unknown
}

/**
 * Reads a stream to its end; its failure is part of the outcome. `toResults` makes the tool
 * results; without it calls stay open.
 */
export async function readOut(reader: ToolStreamReader, toResults?: ToResults): Promise<Outcome> {
  const events: StreamEvent[] = []
  let turns = 0
  try {
    for (;;) {
      const { done, value } = await reader.next()
      if (done) return { events, failed: false }
      events.push(value)
      if (value.type === 'turn-end' && value.reason === 'tool-calls' && toResults) {
        assert(++turns < 100, 'the stream asks for tool results again and again: 100 turns')
        await reader.sendToolResults(toResults(callsOf(events)))
      }
    }
  } catch (error) {
    if (error instanceof ConformanceError) throw error
    return { events, failed: true, error }
  }
}

/** Makes results of the calls of the last turn. */
export type ToResults = (
  calls: readonly { readonly id: string; readonly name: string }[],
) => readonly ToolResult[]

/** One plain result a call. */
export const plainResults: ToResults = (calls) =>
  calls.map(({ id, name }, index) => ({ callId: id, content: `result ${index} of ${name}` }))

/** The finished calls of the last turn. */
export function callsOf(events: readonly StreamEvent[]): { id: string; name: string }[] {
  const turns = events.map(({ type }) => type === 'turn-end')
  const end = turns.lastIndexOf(true)
  const start = turns.lastIndexOf(true, end - 1)
  return events
    .slice(end > 0 && start < end ? start + 1 : 0)
    .flatMap((event) => (event.type === 'tool-call-complete' ? [event.toolCall] : []))
}

/** The names of calls, or of tools. */
export const namesOf = (list: readonly { readonly name: string }[]): string[] =>
  list.map(({ name }) => name)

/** The texts of the tool results that a request carries. */
export const resultTexts = ({ messages }: WireConversation): string[] =>
  messages.flatMap((message) => (message.role === 'tool' ? [message.text] : []))

/** All text of the events. */
export const textOfEvents = (events: readonly StreamEvent[]): string =>
  events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')

/** Streams a conversation with the scripts' tools to its end, each call answered. */
export async function stream(
  { provider }: Pick<Connection, 'provider'>,
  options: CallOptions = {},
  messages: readonly ChatMessage[] = question,
  toResults: ToResults = plainResults,
): Promise<Outcome & { readonly reader?: ToolStreamReader }> {
  let reader: ToolStreamReader
  try {
    reader = await provider.streamWithTools(messages, scriptTools, options)
  } catch (error) {
    return { events: [], failed: true, error }
  }
  return { ...(await readOut(reader, toResults)), reader }
}

/** What a stream gave that must not fail. */
export async function succeeded<Found extends Outcome>(outcome: Promise<Found>): Promise<Found> {
  const result = await outcome
  assert(!result.failed, `the stream failed: ${String(result.error)}`)
  return result
}
