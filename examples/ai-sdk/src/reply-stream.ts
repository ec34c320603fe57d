import type { LanguageModelV4StreamPart, LanguageModelV4ToolCall } from '@ai-sdk/provider'
import { type AssistantMessage, mergeDetails, type StreamEvent, type ToolStreamReader } from '@modelport/core'
import type { Warning } from './call.ts'
import { toApiCallError } from './errors.ts'
import { toMetadata } from './own-options.ts'
import { carry, type EndReason, restOf, type StreamedPart, toCallPart, toFinishReason, toUsage } from './reply.ts'

type PartOf<Type extends LanguageModelV4StreamPart['type']> = Extract<LanguageModelV4StreamPart, { type: Type }>
type BlockEnd = PartOf<'text-end' | 'reasoning-end'>

/** A part of a stream that both specifications have; only a file differs. */
export type StreamPart =
  | StreamedPart
  | PartOf<'text-start' | 'text-delta' | 'text-end' | 'reasoning-start' | 'reasoning-delta' | 'reasoning-end'>
  | PartOf<'tool-input-start' | 'tool-input-delta' | 'tool-input-end' | 'response-metadata' | 'error'>
  | { type: 'stream-start'; warnings: Warning[] }
  | (Omit<PartOf<'finish'>, 'finishReason'> & { finishReason: EndReason })

/**
 * The reply as a stream of the AI SDK. It reads when it is read, and cancelling it closes the reader. A failure is an `error` part without a
 * `finish` after it; an abort fails the stream with its reason.
 */
export function toReplyStream(
  reader: ToolStreamReader,
  warnings: readonly Warning[],
  signal: AbortSignal | undefined,
): ReadableStream<StreamPart> {
  const writer = new ReplyWriter(reader)
  let first: readonly StreamPart[] = [
    { type: 'stream-start', warnings: [...warnings, ...toWarnings(reader.details().warnings)] },
  ]
  const pull = async (controller: ReadableStreamDefaultController<StreamPart>): Promise<void> => {
    try {
      let parts = first
      first = []
      while (!parts.length) {
        const { done, value } = await reader.next()
        if (done) {
          controller.close()
          return
        }
        parts = writer.write(value)
      }
      for (const part of parts) controller.enqueue(part)
    } catch (error) {
      if (signal?.aborted) {
        controller.error(error)
        return
      }
      for (const part of writer.breakOff()) controller.enqueue(part)
      controller.enqueue({ type: 'error', error: toApiCallError(error) })
      controller.close()
    }
  }
  return new ReadableStream({ pull, cancel: () => reader.close() }, { highWaterMark: 0 })
}

/** Warnings of a reply in the AI SDK's form. */
export const toWarnings = (warnings: readonly string[] = []): Warning[] =>
  warnings.map((message) => ({ type: 'other', message }))

/**
 * Writes the events of one reply as parts. The part that ends last carries the reply, whose state is known only at its end: so the last call is held back
 * until something follows it, and a block ends when the next part begins.
 */
class ReplyWriter {
  readonly #reader: ToolStreamReader
  #block: { readonly kind: 'text' | 'reasoning'; readonly id: string } | undefined
  #call: LanguageModelV4ToolCall | undefined
  #blocks = 0

  constructor(reader: ToolStreamReader) {
    this.#reader = reader
  }

  write(event: StreamEvent): readonly StreamPart[] {
    switch (event.type) {
      case 'text-delta':
        return this.#delta('text', event.text)
      case 'reasoning-delta':
        return this.#delta('reasoning', event.text)
      case 'tool-call-start': {
        const { id, name } = event.toolCall
        return [...this.breakOff(), { type: 'tool-input-start', id, toolName: name }]
      }
      case 'tool-call-delta':
        return [{ type: 'tool-input-delta', id: event.id, delta: event.text }]
      case 'tool-call-complete': {
        const parts = this.breakOff()
        this.#call = toCallPart(event.toolCall)
        return [...parts, { type: 'tool-input-end', id: event.toolCall.id }]
      }
      case 'turn-end':
        return []
      case 'done':
        return this.#end(event)
    }
  }

  /** Ends what is open, without the reply. */
  breakOff(): readonly StreamPart[] {
    const parts: StreamPart[] = []
    if (this.#call) parts.push(this.#call)
    if (this.#block) parts.push(endOf(this.#block))
    this.#call = undefined
    this.#block = undefined
    return parts
  }

  #delta(kind: 'text' | 'reasoning', delta: string): readonly StreamPart[] {
    if (this.#block?.kind === kind) return [{ type: `${kind}-delta`, id: this.#block.id, delta }]
    const before = this.breakOff()
    const id = String(this.#blocks++)
    this.#block = { kind, id }
    return [...before, { type: `${kind}-start`, id }, { type: `${kind}-delta`, id, delta }]
  }

  #end({ reason, usage }: Extract<StreamEvent, { type: 'done' }>): readonly StreamPart[] {
    const details = mergeDetails(this.#reader.details())
    const message = this.#reader.messages().findLast(({ role }) => role === 'assistant') as AssistantMessage
    const last = this.#block ? endOf(this.#block) : this.#call
    const modelId = message.origin?.model
    return [
      ...(last
        ? [carry(last, message)]
        : [{ type: 'text-start' as const, id: '0' }, carry(endOf({ kind: 'text', id: '0' }), message)]),
      ...restOf(message, details),
      {
        type: 'response-metadata',
        ...(details.responseId !== undefined && { id: details.responseId }),
        ...(modelId !== undefined && { modelId }),
      },
      { type: 'finish', finishReason: toFinishReason(reason, details), usage: toUsage(usage), ...toMetadata(details) },
    ]
  }
}

const endOf = ({ kind, id }: { readonly kind: 'text' | 'reasoning'; readonly id: string }): BlockEnd => ({
  type: `${kind}-end`,
  id,
})
