import { isLlmError, LlmError } from '@modelport/core'
import { Attempts, type Sending } from './attempts.js'
import { callObserver } from './call-observer.js'
import type { CallContext } from './call-context.js'
import { createFramer } from './framing.js'
import { checkJsonValues } from './json-values.js'
import { parseJson } from './parse-json.js'
import { ResponseBody } from './response-body.js'
import { truncatedError } from './truncated-error.js'

/** Sends a request and parses the body of its response as one JSON value. Retries, and rejects, like a call of a model. Ends the call. */
export async function exchangeJson(context: CallContext, sending: Omit<Sending, 'stream'>): Promise<unknown> {
  let body: ResponseBody | undefined
  let value: unknown
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
      body = new ResponseBody(response, context, (silence) => {
        attempts.expire('idle', silence)
      })
      callObserver(() => context.config.onResponse?.({ status: response.status, headers: response.headers }))
      value = await readJson(response, body, context)
      body.end()
      attempts.succeeded()
    })
  } finally {
    context.scope.end()
  }
  return value
}

async function readJson(response: Response, body: ResponseBody, { limits }: CallContext): Promise<unknown> {
  const values: unknown[] = []
  const contentType = response.headers.get('content-type') ?? ''
  const framer = createFramer(
    { framing: 'ndjson', stream: false, contentType, maxEventBytes: limits.maxEventBytes },
    ({ data }) => {
      checkJsonValues(data, limits.maxJsonValues)
      values.push(parseJson(data))
    },
  )
  try {
    for (let chunk = await nextChunk(body); chunk; chunk = await nextChunk(body)) {
      body.count(chunk)
      framer.push(chunk)
      body.processed(true)
    }
    framer.end()
  } catch (error) {
    if (isLlmError(error, 'protocol') && framer.cut) throw truncatedError(body.bytes, error)
    throw error
  }
  if (values.length) return values[0]
  throw body.bytes ? new LlmError('protocol', 'the response is empty; check the base URL') : truncatedError(0)
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
