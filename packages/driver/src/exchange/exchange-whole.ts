import type { ResponseLimits } from '../base/limits.js'
import { type CallContext, reportResponse } from '../call/call-context.js'
import { nameInBand } from '../failure/in-band.js'
import { truncatedError } from '../failure/truncated-error.js'
import { Attempts, type Sending } from './attempts.js'
import { ResponseBody } from './response-body.js'
import type { BodyReader } from './whole-body.js'

/** How a whole response is requested and read. */
export interface BodyFormat<T> {
  /** Value of the `accept` header. */
  readonly accept: string
  /**
   * Makes the reader of one response's body.
   * @throws {LlmError} `protocol` — the headers say that it cannot be read.
   */
  read(headers: Headers, limits: ResponseLimits): BodyReader<T>
}

/**
 * Sends a request and returns the value of the whole response: the counterpart of `Exchange` for
 * requests outside a conversation. Retries, and rejects, like a call of a model. Ends the call.
 */
export async function exchangeWhole<T>(
  context: CallContext,
  sending: Omit<Sending, 'stream'>,
  { read }: Pick<BodyFormat<T>, 'read'>,
): Promise<T> {
  let body: ResponseBody | undefined
  let result: { readonly value: T } | undefined
  const attempts = new Attempts(
    context,
    { ...sending, stream: false },
    {
      committed: false,
      partial: () => undefined,
      restart: () => undefined,
      release: () => body?.cancel(),
    },
  )
  try {
    await attempts.run(async (response) => {
      const { headers } = response
      body = new ResponseBody(response, context, (silence) => {
        attempts.expire('idle', silence)
      })
      reportResponse(context, response)
      try {
        result = { value: await readToEnd(body, read(headers, context.limits)) }
      } catch (error) {
        throw nameInBand(sending.driver, headers, error)
      }
      body.end()
      attempts.succeeded()
    })
  } finally {
    context.scope.end()
  }
  return (result as { readonly value: T }).value
}

async function readToEnd<T>(body: ResponseBody, reader: BodyReader<T>): Promise<T> {
  for (let chunk = await nextChunk(body); chunk; chunk = await nextChunk(body)) {
    body.count(chunk)
    reader.push(chunk)
    // A part of a whole body is not a delta: only its end stops the clock of `semanticIdleMs`.
    body.processed(false)
  }
  return reader.end(body.bytes)
}

/** The next chunk, or undefined at the end. */
function nextChunk(body: ResponseBody): Promise<Uint8Array | undefined> {
  return new Promise((onChunk, reject) => {
    body.pull({
      onChunk,
      onError: (error) => {
        reject(truncatedError(body.bytes, error))
      },
    })
  })
}
