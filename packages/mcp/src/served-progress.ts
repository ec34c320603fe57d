import type { ServerContext } from '@modelcontextprotocol/server'
import { isObject } from '@modelport/core'

/**
 * Reports how far a call is, if its caller wants to know. A value of
 * `{ progress, total?, message? }` is sent as it is, anything else as a message and the number of
 * reports so far. One that does not go forward is dropped: "The progress value MUST increase with
 * each notification".
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/utilities/progress
 */
export function progressOf({
  mcpReq,
}: ServerContext): ((value: unknown) => Promise<void>) | undefined {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken === undefined) return undefined
  let last = -Infinity
  let count = 0
  return async (value) => {
    count++
    const { progress, total, message } =
      isObject(value) && typeof value['progress'] === 'number' ? value : wordsOf(value)
    const now = typeof progress === 'number' ? progress : Math.max(count, Math.floor(last) + 1)
    if (!(now > last)) return
    last = now
    await mcpReq.notify({
      method: 'notifications/progress',
      params: {
        progressToken,
        progress: now,
        ...(typeof total === 'number' && { total }),
        ...(typeof message === 'string' && { message }),
      },
    })
  }
}

const wordsOf = (value: unknown): Readonly<Record<string, unknown>> => ({
  message: value === undefined || typeof value === 'string' ? value : JSON.stringify(value),
})
