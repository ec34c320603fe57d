import {
  AIMessage,
  type AIMessageChunk,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type UsageMetadata,
} from '@langchain/core/messages'
import { ChatOpenAI } from '@langchain/openai'
import type { NeutralRecord } from '@modelport/driver'
import {
  apiKey,
  baseUrl,
  noParameters,
  type Peer,
  type PeerRequest,
  textOfContent,
  toEnd,
} from './peer.ts'

/**
 * LangChain: `stream` and `invoke` of `ChatOpenAI`; a stream's chunks are added up for its calls,
 * as the documentation does it.
 */
export const langChain: Peer = {
  name: 'LangChain.js',
  packages: ['@langchain/core', '@langchain/openai'],
  ask: async function* (request): AsyncGenerator<NeutralRecord> {
    const { turn, signal } = request
    const model = toModel(request)
    const messages = turn.messages.map(toMessage)
    if (!turn.stream) {
      yield* toRecords(await model.invoke(messages, { signal }), true)
      return
    }
    let whole: AIMessageChunk | undefined
    for await (const chunk of await model.stream(messages, { signal })) {
      const reasoning = reasoningOf(chunk)
      if (reasoning) yield { type: 'reasoning', text: reasoning }
      if (chunk.text) yield { type: 'text', text: chunk.text }
      whole = whole ? whole.concat(chunk) : chunk
    }
    if (whole) yield* toRecords(whole, false)
  },
}

const reasoningOf = ({
  additional_kwargs: { reasoning_content: reasoning },
}: AIMessage | AIMessageChunk): string => (typeof reasoning === 'string' ? reasoning : '')

function* toRecords(
  message: AIMessage | AIMessageChunk,
  withText: boolean,
): Generator<NeutralRecord> {
  if (withText && reasoningOf(message)) yield { type: 'reasoning', text: reasoningOf(message) }
  if (withText && message.text) yield { type: 'text', text: message.text }
  let index = 0
  for (const { id, name, args } of message.tool_calls ?? [])
    yield {
      type: 'call',
      index: index++,
      name,
      arguments: JSON.stringify(args),
      ...(id !== undefined && { id }),
    }
  // Arguments that are not JSON are handed out apart, as text.
  for (const { id, name = '', args = '' } of message.invalid_tool_calls ?? [])
    yield { type: 'call', index: index++, name, arguments: args, ...(id !== undefined && { id }) }
  const { finish_reason: raw } = message.response_metadata as { readonly finish_reason?: string }
  const usage = message.usage_metadata as UsageMetadata | undefined
  yield toEnd(
    raw,
    {
      inputTokens: usage?.input_tokens,
      outputTokens: usage?.output_tokens,
      cacheReadTokens: usage?.input_token_details?.cache_read,
      cacheCreationTokens: usage?.input_token_details?.cache_creation,
      reasoningTokens: usage?.output_token_details?.reasoning,
    },
    raw,
  )
}

function toModel({ turn, fetch }: PeerRequest) {
  const { maxTokens, temperature } = turn.options
  const model = new ChatOpenAI({
    model: turn.model,
    apiKey,
    maxRetries: 0,
    configuration: { baseURL: baseUrl, fetch },
    ...(typeof maxTokens === 'number' && { maxTokens }),
    ...(typeof temperature === 'number' && { temperature }),
  })
  return turn.tools.length
    ? model.bindTools(
        turn.tools.map(({ name, description, parameters = noParameters }) => ({
          type: 'function',
          function: { name, description, parameters },
        })),
      )
    : model
}

function toMessage(message: PeerRequest['turn']['messages'][number]): BaseMessage {
  const content = textOfContent(message.content)
  switch (message.role) {
    case 'system':
      return new SystemMessage(content)
    case 'user':
      return new HumanMessage(content)
    case 'assistant':
      return new AIMessage({
        content,
        tool_calls: (message.toolCalls ?? []).map(({ id, name, arguments: args }) => ({
          type: 'tool_call',
          id,
          name,
          args: { ...args },
        })),
      })
    case 'tool':
      return new ToolMessage({
        content,
        tool_call_id: message.toolCallId,
        status: message.isError ? 'error' : 'success',
      })
  }
}
