import {
  type AssistantMessage,
  type FinishReason,
  type Generation,
  mergeDetails,
  type StreamEvent,
  type ToolStreamReader,
} from '@modelport/core'
import type { ProviderCall } from './provider-call.js'
import { type TurnGenerator, TurnReader } from './turn-reader.js'
import { eventsOf } from './turn-source.js'

/** Reads one turn of a conversation and closes the reader. The generator's value is the reply. */
export async function* readTurn(reader: ToolStreamReader): TurnGenerator {
  let reason: FinishReason = 'unknown'
  try {
    for await (const event of reader) {
      if (event.type === 'turn-end') {
        reason = event.reason
        if (reason !== 'pause') break
      } else if (event.type !== 'done') yield event
    }
    return toGeneration(reader, reason)
  } finally {
    await reader.close()
  }
}

/**
 * Streams a finished reply, for example from a cache, as `streamWithTools` of a provider would. The
 * turns after it, if there are tool results, are made with `next`.
 */
export function replayReply(
  reply: Generation,
  call: ProviderCall,
  next: (call: ProviderCall) => Promise<ToolStreamReader>,
): ToolStreamReader {
  let isFirst = true
  return new TurnReader({
    messages: call.messages,
    tools: call.tools,
    signal: call.options.signal ?? undefined,
    run: async function* (messages, tools): TurnGenerator {
      if (!isFirst) return yield* readTurn(await next({ ...call, messages, tools }))
      isFirst = false
      yield* withoutEnd(reply)
      return reply
    },
  })
}

function* withoutEnd(reply: Generation): Generator<StreamEvent, void> {
  for (const event of eventsOf(reply)) if (event.type !== 'turn-end') yield event
}

/** The reply that a reader of one turn has brought. */
export function toGeneration(reader: ToolStreamReader, finishReason: FinishReason): Generation {
  const message = reader
    .messages()
    .findLast((one): one is AssistantMessage => one.role === 'assistant') ?? {
    role: 'assistant',
    content: '',
  }
  return {
    ...mergeDetails(reader.details()),
    text: reader.fullText(),
    toolCalls: message.toolCalls ?? [],
    usage: reader.usage(),
    finishReason,
    message,
    ...(message.reasoning !== undefined && { reasoning: message.reasoning }),
  }
}
