import type { ToolCall } from '@modelport/core'
import type { ModelReply } from '../../reply/read-reply.js'

/** True for a reply whose limit of tokens cut one of its calls off. */
export const hasCutCall = ({ finishReason, message }: ModelReply): boolean =>
  finishReason === 'length' && message.toolCalls?.some(({ error }) => error !== undefined) === true

/**
 * The reply, whose calls that are not whole name the limit as their problem: "not valid JSON" would
 * ask the model for what it cannot do.
 */
export function withCutCalls<Reply extends ModelReply>(reply: Reply): Reply {
  if (!hasCutCall(reply)) return reply
  const { message } = reply
  const toolCalls = message.toolCalls?.map(
    (call): ToolCall => (call.error === undefined ? call : { ...call, error: problem }),
  )
  return { ...reply, message: { ...message, ...(toolCalls && { toolCalls }) } }
}

const problem = 'the limit of output tokens cut the reply off in the middle of this call'

/**
 * What happened to a reply that its limit cut off, and what to do.
 * @param maxTokens the option of the call, if one was set
 */
export function describeCut(
  { message, usage }: Pick<ModelReply, 'message' | 'usage'>,
  maxTokens: number | null | undefined,
): string {
  const tokens = usage.reported ? usage.outputTokens : undefined
  const seen = tokens === undefined ? 'its limit of output tokens' : `${tokens} tokens`
  const limit = typeof maxTokens === 'number' ? `maxTokens ${maxTokens}` : seen
  const call = message.toolCalls?.find(({ error }) => error !== undefined)
  const place = call
    ? `in the middle of a call of "${call.name}", which was not executed`
    : 'before it could be used'
  return `The reply was cut off at ${limit}, ${place}. Raise options.maxTokens.`
}
