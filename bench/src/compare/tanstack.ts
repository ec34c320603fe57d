import type { NeutralRecord } from '@modelport/driver'
import { chat, maxIterations } from '@tanstack/ai'
import { createOpenaiChatCompletions } from '@tanstack/ai-openai'
import {
  apiKey,
  baseUrl,
  noParameters,
  type Peer,
  type PeerRequest,
  systemTextsOf,
  textOfContent,
  toEnd,
} from './peer.ts'

/** What is read of an event. Its own types admit known models alone. */
interface Chunk {
  readonly type: string
  readonly delta?: string
  readonly message?: string
  readonly code?: string
  readonly toolCallId?: string
  readonly toolCallName?: string
  readonly toolName?: string
  readonly finishReason?: string | null
  readonly usage?: unknown
  readonly metadata?: {
    readonly tanstack?: { readonly finishReason?: string | null; readonly usage?: unknown }
  }
}

/**
 * TanStack AI: `chat` with its adapter of Chat Completions. It only streams. Tools without
 * `execute` are the client's: the run ends at their calls.
 */
export const tanStack: Peer = {
  name: 'TanStack AI',
  packages: ['@tanstack/ai', '@tanstack/ai-openai'],
  ask: async function* (request): AsyncGenerator<NeutralRecord> {
    const calls: { id: string; name: string; text: string }[] = []
    for await (const event of chat(toRequest(request) as never) as AsyncIterable<Chunk>) {
      if (event.type === 'TEXT_MESSAGE_CONTENT') yield { type: 'text', text: event.delta ?? '' }
      else if (event.type === 'REASONING_MESSAGE_CONTENT')
        yield { type: 'reasoning', text: event.delta ?? '' }
      else if (event.type === 'TOOL_CALL_START')
        calls.push({
          id: event.toolCallId ?? '',
          name: event.toolCallName ?? event.toolName ?? '',
          text: '',
        })
      else if (event.type === 'TOOL_CALL_ARGS') {
        const call = calls.find(({ id }) => id === event.toolCallId)
        if (call) call.text += event.delta ?? ''
      } else if (event.type === 'RUN_ERROR') {
        const status = Number(event.code)
        throw Object.assign(new Error(event.message), Number.isInteger(status) ? { status } : {})
      } else if (event.type === 'RUN_FINISHED') {
        for (const [index, { id, name, text }] of calls.splice(0).entries())
          yield { type: 'call', index, id, name, arguments: text }
        const { finishReason, usage } = { ...event.metadata?.tanstack, ...event }
        yield toEnd(finishReason, toUsage(usage))
        return
      }
    }
  },
}

function toUsage(usage: unknown): Parameters<typeof toEnd>[1] {
  const counts = (Array.isArray(usage) ? usage[0] : usage) as Record<string, unknown> | undefined
  const of = (...names: readonly string[]): number | undefined =>
    names
      .map((key) => key.split('.').reduce<unknown>((value, part) => Object(value)[part], counts))
      .find((value) => typeof value === 'number')
  return {
    inputTokens: of('promptTokens', 'inputTokens'),
    outputTokens: of('completionTokens', 'outputTokens'),
    cacheReadTokens: of('promptTokensDetails.cachedTokens', 'cachedInputTokens'),
    cacheCreationTokens: of('promptTokensDetails.cacheWriteTokens'),
    reasoningTokens: of('completionTokensDetails.reasoningTokens', 'reasoningTokens'),
  }
}

function toRequest({ turn, fetch, signal }: PeerRequest): object {
  const abortController = new AbortController()
  if (signal.aborted) abortController.abort(signal.reason)
  else signal.addEventListener('abort', () => abortController.abort(signal.reason), { once: true })
  const { maxTokens, temperature } = turn.options
  return {
    adapter: createOpenaiChatCompletions(turn.model as never, apiKey, {
      baseURL: baseUrl,
      fetch,
      maxRetries: 0,
    }),
    messages: turn.messages.flatMap(toMessage),
    systemPrompts: systemTextsOf(turn),
    abortController,
    // One request a turn: the turns of a conversation are the kit's.
    agentLoopStrategy: maxIterations(1),
    debug: false,
    modelOptions: {
      ...(typeof maxTokens === 'number' && { max_tokens: maxTokens }),
      ...(typeof temperature === 'number' && { temperature }),
    },
    ...(turn.tools.length && {
      tools: turn.tools.map(({ name, description, parameters = noParameters }) => ({
        name,
        description,
        inputSchema: parameters,
      })),
    }),
  }
}

function toMessage(message: PeerRequest['turn']['messages'][number]): object[] {
  if (message.role === 'system') return []
  const content = textOfContent(message.content)
  if (message.role === 'tool') return [{ role: 'tool', content, toolCallId: message.toolCallId }]
  if (message.role === 'user' || !message.toolCalls?.length)
    return [{ role: message.role, content }]
  const toolCalls = message.toolCalls.map(({ id, name, argumentsText }) => ({
    id,
    type: 'function',
    function: { name, arguments: argumentsText },
  }))
  return [{ role: 'assistant', content: content || null, toolCalls }]
}
