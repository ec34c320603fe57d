import type { LanguageModelV4StreamPart, SharedV3Warning } from '@ai-sdk/provider'
import {
  type AssistantMessage,
  mergeDetails,
  type StreamEvent,
  type ToolStreamReader,
} from '@modelport/core'
import { defined } from '@modelport/driver'
import { toApiCallError } from './errors.js'
import type { LastResponse } from './last-response.js'
import { carry, restOf, toCallPart, toFinishReason, toUsage } from './reply.js'
import type { ReplyContext } from './vendors/reply-context.js'

type Part = LanguageModelV4StreamPart
type Controller = ReadableStreamDefaultController<Part>
type HeldPart = Extract<Part, { type: 'text-end' | 'reasoning-end' | 'tool-call' }>

/** The call that a stream is the reply of. */
export interface StreamedCall {
  readonly context: ReplyContext
  readonly response: LastResponse
  readonly signal: AbortSignal | undefined
}

/**
 * The reply as a stream of the AI SDK. It reads when it is read, and cancelling it closes the
 * reader. A failure is an `error` part without a `finish` after it; an abort fails the stream with
 * its reason.
 */
export function toReplyStream(
  reader: ToolStreamReader,
  warnings: SharedV3Warning[],
  call: StreamedCall,
): ReadableStream<Part> {
  const parts = writeParts(reader, call)
  const pull = async (controller: Controller): Promise<void> => {
    const { done, value } = await parts.next()
    if (done) controller.close()
    else controller.enqueue(value)
  }
  const start = (controller: Controller): void =>
    controller.enqueue({ type: 'stream-start', warnings })
  return new ReadableStream({ start, pull, cancel: () => reader.close() }, { highWaterMark: 0 })
}

/**
 * Writes the events of one reply as parts. The part that ends last carries the reply, whose state
 * is known only at its end: so the end of a block and a finished call are held back until the next
 * part begins.
 */
async function* writeParts(
  reader: ToolStreamReader,
  { context, response, signal }: StreamedCall,
): AsyncGenerator<Part, void> {
  let held: HeldPart | undefined
  let blocks = 0
  const withItem = (part: HeldPart): HeldPart => context.withItem(part, () => reader.details())
  try {
    for await (const event of reader) {
      switch (event.type) {
        case 'text-delta':
        case 'reasoning-delta': {
          const kind = event.type === 'text-delta' ? 'text' : 'reasoning'
          const type = `${kind}-end` as const
          const block = held?.type === type ? held : { type, id: String(blocks++) }
          if (held !== block) {
            if (held) yield withItem(held)
            held = block
            yield { type: `${kind}-start`, id: block.id }
          }
          yield { type: `${kind}-delta`, id: block.id, delta: event.text }
          break
        }
        case 'tool-call-start':
          if (held) yield withItem(held)
          held = undefined
          yield {
            type: 'tool-input-start',
            id: event.toolCall.id,
            toolName: context.nameOf(event.toolCall.name),
          }
          break
        case 'tool-call-delta':
          yield { type: 'tool-input-delta', id: event.id, delta: event.text }
          break
        case 'tool-call-complete':
          if (held) yield withItem(held)
          held = toCallPart(event.toolCall, context)
          yield { type: 'tool-input-end', id: event.toolCall.id }
          break
        case 'done':
          yield* endOf(reader, event, held, context)
          break
        case 'turn-end': // `done` follows: a model has one turn.
      }
    }
  } catch (error) {
    if (signal?.aborted) throw error
    if (held) yield held
    yield { type: 'error', error: toApiCallError(error, response) }
  }
}

function* endOf(
  reader: ToolStreamReader,
  { reason, usage }: Extract<StreamEvent, { type: 'done' }>,
  held: HeldPart | undefined,
  context: ReplyContext,
): Generator<Part, void> {
  const details = mergeDetails(reader.details())
  const message = reader.messages().findLast(({ role }) => role === 'assistant') as AssistantMessage
  if (!held) yield { type: 'text-start', id: '0' }
  const last: HeldPart = carry(held ?? { type: 'text-end', id: '0' }, message, context)
  yield context.withItem(last, () => details)
  yield* restOf(message, details, context)
  yield {
    type: 'response-metadata',
    ...defined({ id: details.responseId, modelId: message.origin?.model }),
  }
  const finishReason = toFinishReason(reason, details, context)
  yield { type: 'finish', finishReason, usage: toUsage(usage), ...context.metadata(details, usage) }
}
