import type { Provider, ProviderError } from '@modelport/core'
import {
  createProvider,
  type Driver,
  type DriverIo,
  type Fetch,
  type ProviderSettings,
  parseJson,
  postJson,
  type Sink,
  type Turn,
  toProviderError,
} from '@modelport/driver'
import { FakeClock } from './fake-clock.js'

/** One call of the sink, as a record of the wire: its method and what it is given. */
export type Step = {
  [Method in keyof Sink]: readonly [Method, ...Parameters<Sink[Method]>]
}[keyof Sink]

/**
 * What one request is answered with: steps, each a chunk of its own, or whatever a `fetch` gives.
 */
export type Answer = readonly Step[] | ((init: RequestInit) => Response | Promise<Response>)

export interface Played {
  readonly provider: Provider
  readonly clock: FakeClock
  /** The turns the driver was asked to send, one a turn. */
  readonly turns: Turn[]
  /** What the driver was given to send with, one an attempt. */
  readonly ios: DriverIo[]
}

const encoder = new TextEncoder()

/**
 * A body of these texts, each read on its own. It ends, or fails with `failure`, or stays open for
 * ever.
 */
export function streamOf(
  pieces: readonly string[],
  after: 'end' | 'open' | Error = 'end',
): ReadableStream<Uint8Array> {
  const left = [...pieces]
  return new ReadableStream(
    {
      pull: (controller) => {
        const piece = left.shift()
        if (piece !== undefined) controller.enqueue(encoder.encode(piece))
        else if (after === 'end') controller.close()
        else if (after !== 'open') controller.error(after)
        else return new Promise<void>(() => undefined)
        return undefined
      },
    },
    { highWaterMark: 0 },
  )
}

export const line = (step: Step): string => `${JSON.stringify(step)}\n`

/**
 * A provider whose server says what its sink shall hear: request after request, the next answer;
 * the last one again and again.
 */
export function play(
  answers: readonly Answer[],
  settings: Partial<ProviderSettings> = {},
  more: Partial<Driver<Turn>> = {},
): Played {
  const clock = new FakeClock()
  const turns: Turn[] = []
  const ios: DriverIo[] = []
  let asked = 0
  const fetch: Fetch = async (_, init = {}) => {
    const answer = answers[Math.min(asked++, answers.length - 1)] ?? []
    return typeof answer === 'function' ? answer(init) : new Response(streamOf(answer.map(line)))
  }
  const driver: Driver<Turn> = {
    name: 'p',
    framing: 'ndjson',
    request: (turn) => {
      turns.push(turn)
      return turn
    },
    send: (turn, io) => {
      ios.push(io)
      return postJson(io, 'https://api.example/chat', { model: turn.model })
    },
    decoder: (sink) => ({
      push: ({ data }) => {
        for (const text of data.split('\n')) {
          if (!text.trim()) continue
          const [method, ...values] = parseJson<[keyof Sink, ...unknown[]]>(text)
          ;(sink[method] as (...given: readonly unknown[]) => void)(...values)
        }
      },
    }),
    error: (failure) => toProviderError('p', failure),
    ...more,
  }
  return {
    provider: createProvider(driver, {
      model: 'm',
      cheapestModel: 'c',
      hosts: ['api.example:443'],
      clock,
      fetch,
      ...settings,
    }),
    clock,
    turns,
    ios,
  }
}

/** Waits for five turns of the event loop, so that all that is ready runs. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setTimeout(resolve, 0))
}

/** All the text of a stream. */
export async function read(provider: Provider): Promise<string> {
  let found = ''
  for await (const piece of await provider.stream('Hi')) found += piece
  return found
}

/** What it fails with. */
export const failure = (promise: Promise<unknown>): Promise<ProviderError> =>
  promise.then(
    () => {
      throw new Error('nothing failed')
    },
    (error: unknown) => error as ProviderError,
  )
