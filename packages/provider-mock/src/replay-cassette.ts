import { configError, LlmError } from '@modelport/core'
import type { Fetch } from '@modelport/driver'
import {
  type Cassette,
  type CassetteExchange,
  type CassetteRequest,
  type CassetteResponse,
  parseCassette,
  toBytes,
} from './cassette.js'
import { diffRequests } from './request-diff.js'
import { createScrub, type ScrubOptions } from './scrub.js'

/** Configuration of {@link replayCassette}. */
export interface ReplayOptions extends ScrubOptions {
  /**
   * `strict`: method, URL, headers and body must be those of the record. `lenient`: method and
   * path. Default `strict`.
   */
  readonly mode?: 'strict' | 'lenient' | undefined
  /**
   * `sequence`: as recorded. `any`: the first fitting exchange that is left, for calls side by
   * side. Default `sequence`.
   */
  readonly order?: 'sequence' | 'any' | undefined
}

/** A `fetch` that answers from a cassette and opens no connection. */
export interface CassettePlayer extends Fetch {
  /** How many exchanges are left. */
  readonly unused: number
  /** @throws {LlmError} `config` — names the exchanges that were not asked for. */
  assertAllUsed(): void
}

/** A request that is not the recorded one. `code` is `invalid-request`. */
export class CassetteMismatchError extends LlmError {
  /** What differs, a line each: a JSON pointer into the body, or `method`, `url`, `header …`. */
  readonly diff: readonly string[]

  constructor(message: string, diff: readonly string[]) {
    super('invalid-request', [message, ...shorten(diff)].join('\n  '))
    this.diff = diff
  }
}

/** The most lines of a difference in a message. */
const mostLines = 20

/**
 * Plays a cassette. A request that differs rejects with {@link CassetteMismatchError}; a provider
 * passes its code and message on.
 * @throws {LlmError} `config` — the value is not a cassette, or its version is unknown.
 */
export function replayCassette(stored: Cassette, options: ReplayOptions = {}): CassettePlayer {
  const { mode = 'strict', order = 'sequence' } = options
  const left = [...parseCassette(stored).exchanges]
  const scrub = createScrub(options)
  const take = (sent: CassetteRequest): CassetteExchange => {
    if (!left.length)
      throw new CassetteMismatchError(
        `cassette: no exchange is left for ${sent.method} ${sent.url}`,
        [],
      )
    const diffs = (order === 'any' ? left : left.slice(0, 1)).map(({ request }) =>
      diffRequests(
        ...(mode === 'strict'
          ? ([request, sent] as const)
          : ([target(request), target(sent)] as const)),
      ),
    )
    const fitting = diffs.findIndex((diff) => !diff.length)
    if (fitting >= 0) return left.splice(fitting, 1)[0] as CassetteExchange
    const [nearest = []] = diffs.sort((a, b) => a.length - b.length)
    throw new CassetteMismatchError('cassette: the request is not the recorded one', nearest)
  }
  const fetch: Fetch = async (input, init) => {
    const signal = init?.signal ?? undefined
    signal?.throwIfAborted()
    const { request } = await scrub(input, init)
    return toResponse(take(request).response, signal)
  }
  return Object.defineProperty(
    Object.assign(fetch, {
      assertAllUsed: () => {
        assertNone(left)
      },
      unused: 0,
    }),
    'unused',
    { get: () => left.length },
  )
}

function assertNone(left: readonly CassetteExchange[]): void {
  if (!left.length) return
  const lines = left.map(({ request }) => `${request.method} ${request.url}`)
  throw configError(
    [
      `cassette: ${left.length === 1 ? '1 exchange was' : `${left.length} exchanges were`} not asked for`,
      ...shorten(lines),
    ].join('\n  '),
  )
}

const shorten = (lines: readonly string[]): readonly string[] =>
  lines.length > mostLines
    ? [...lines.slice(0, mostLines - 1), `… and ${lines.length - mostLines + 1} more`]
    : lines

/** What a lenient replay compares. */
const target = ({ method, url }: CassetteRequest): CassetteRequest => ({
  method,
  url: new URL(url).pathname,
  headers: {},
})

function toResponse(
  response: CassetteExchange['response'],
  signal: AbortSignal | undefined,
): Response {
  if ('error' in response) throw toFailure(response.error.message, response.error.code)
  const { status, headers, chunks, cut } = response
  const body = chunks.length || cut ? toStream(chunks, cut, signal) : null
  return new Response(body, { status, headers })
}

/** The recorded chunks, one a read; after those of a cut body the connection fails. */
function toStream(
  chunks: CassetteResponse['chunks'],
  cut: true | undefined,
  signal: AbortSignal | undefined,
): ReadableStream<Uint8Array> {
  let next = 0
  return new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        const chunk = chunks[next++]
        if (signal?.aborted) controller.error(signal.reason)
        else if (chunk !== undefined) controller.enqueue(toBytes(chunk))
        else if (cut) controller.error(toFailure('the recorded connection ends here', 'ECONNRESET'))
        else controller.close()
      },
    },
    { highWaterMark: 0 },
  )
}

const toFailure = (message: string, code: string | undefined): Error =>
  Object.assign(new Error(message), code === undefined ? {} : { code })
