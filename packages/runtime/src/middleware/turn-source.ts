import {
  type CallOptions,
  type ChatMessage,
  type Generation,
  mergeDetails,
  type Provider,
  type ReplyDetails,
  type StreamEvent,
  type TokenUsage,
  type ToolDefinition,
} from '@modelport/core'

/** One turn to read. A `ToolStreamReader` is one. */
export interface TurnSource extends AsyncIterable<StreamEvent> {
  /** The conversation, the reply included once the turn has ended. */
  messages(): readonly ChatMessage[]
  usage(): TokenUsage
  details(): ReplyDetails
  close(): Promise<void>
}

/** Opens one turn: as a stream, or with `generate` for a model that does not support streaming. */
export function openTurn(
  provider: Provider,
  messages: readonly ChatMessage[],
  tools: readonly ToolDefinition[],
  options: readonly CallOptions[],
  isStreaming: boolean,
): Promise<TurnSource> {
  return isStreaming
    ? provider.streamWithTools(messages, tools, ...options)
    : generateTurn(provider, messages, tools, options)
}

async function generateTurn(
  provider: Provider,
  messages: readonly ChatMessage[],
  tools: readonly ToolDefinition[],
  options: readonly CallOptions[],
): Promise<TurnSource> {
  const generation = await provider.generate(messages, ...options, tools.length ? { tools } : {})
  return {
    messages: () => [...messages, generation.message],
    usage: () => generation.usage,
    details: () => mergeDetails(generation),
    close: () => Promise.resolve(),
    [Symbol.asyncIterator]: () => {
      const events = eventsOf(generation)
      return { next: () => Promise.resolve(events.next()) }
    },
  }
}

/** The events that a stream of the same reply would have given. */
export function* eventsOf({
  text,
  reasoning,
  toolCalls,
  usage,
  finishReason,
}: Generation): Generator<StreamEvent, void> {
  if (reasoning) yield { type: 'reasoning-delta', text: reasoning }
  if (text) yield { type: 'text-delta', text }
  for (const toolCall of toolCalls) {
    const { id, name, argumentsText } = toolCall
    yield { type: 'tool-call-start', toolCall: { id, name } }
    if (argumentsText) yield { type: 'tool-call-delta', id, text: argumentsText }
    yield { type: 'tool-call-complete', toolCall }
  }
  yield { type: 'turn-end', reason: finishReason, usage }
}
