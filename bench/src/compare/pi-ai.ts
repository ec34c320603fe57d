import {
  type Api,
  type AssistantMessage,
  type Context,
  type Message,
  type Model,
  normalizeContext,
} from '@earendil-works/pi-ai'
import { stream } from '@earendil-works/pi-ai/api/openai-completions'
import type { NeutralRecord } from '@modelport/driver'
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

const zero = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }

/** pi-ai: `stream` of its Chat Completions API. It only streams. */
export const piAi: Peer = {
  name: 'pi-ai',
  packages: ['@earendil-works/pi-ai'],
  ask: async function* ({ turn, fetch, signal }): AsyncGenerator<NeutralRecord> {
    const { maxTokens, temperature } = turn.options
    const events = stream(toModel(turn.model), normalizeContext(toContext(turn)), {
      apiKey,
      fetch,
      signal,
      maxRetries: 0,
      ...(typeof maxTokens === 'number' && { maxTokens }),
      ...(typeof temperature === 'number' && { temperature }),
    })
    let calls = 0
    for await (const event of events) {
      if (event.type === 'text_delta') yield { type: 'text', text: event.delta }
      else if (event.type === 'thinking_delta') yield { type: 'reasoning', text: event.delta }
      else if (event.type === 'toolcall_end') {
        const { id, name, arguments: args } = event.toolCall
        yield { type: 'call', index: calls++, id, name, arguments: JSON.stringify(args) }
      } else if (event.type === 'error') {
        // A failure has no status and no kind, only a message.
        throw new Error(event.error.errorMessage ?? event.reason)
      } else if (event.type === 'done')
        yield toEnd(
          event.message.stopReason,
          toCounts(event.message.usage),
          event.message.rawStopReason,
        )
    }
  },
}

/** Its `input` has no cached tokens in it; ours has. Nothing reported is all zeros. */
const toCounts = (usage: AssistantMessage['usage']): Parameters<typeof toEnd>[1] =>
  usage.totalTokens === 0
    ? {}
    : {
        inputTokens: usage.input + usage.cacheRead + usage.cacheWrite,
        outputTokens: usage.output,
        cacheReadTokens: usage.cacheRead,
        cacheCreationTokens: usage.cacheWrite,
        reasoningTokens: usage.reasoning,
      }

const toModel = (id: string): Model<'openai-completions'> => ({
  id,
  name: id,
  api: 'openai-completions',
  provider: 'openai-compatible',
  baseUrl,
  reasoning: false,
  input: ['text'],
  cost: zero,
  contextWindow: 1_000_000,
  maxTokens: 4096,
})

function toContext(turn: PeerRequest['turn']): Context {
  const { messages, tools } = turn
  const system = systemTextsOf(turn)
  return {
    ...(system.length && { systemPrompt: system.join('\n') }),
    messages: messages.flatMap(toMessage),
    ...(tools.length && {
      tools: tools.map(({ name, description, parameters = noParameters }) => ({
        name,
        description,
        parameters: parameters as never,
      })),
    }),
  }
}

function toMessage(message: PeerRequest['turn']['messages'][number]): Message[] {
  if (message.role === 'system') return []
  const text = textOfContent(message.content)
  if (message.role === 'user') return [{ role: 'user', content: text, timestamp: 0 }]
  if (message.role === 'tool') {
    return [
      {
        role: 'toolResult',
        toolCallId: message.toolCallId,
        toolName: message.toolName ?? '',
        content: [{ type: 'text', text }],
        isError: message.isError ?? false,
        timestamp: 0,
      },
    ]
  }
  return [
    {
      role: 'assistant',
      content: [
        ...(text ? [{ type: 'text' as const, text }] : []),
        ...(message.toolCalls ?? []).map(({ id, name, arguments: args }) => ({
          type: 'toolCall' as const,
          id,
          name,
          arguments: { ...args } as Record<string, never>,
        })),
      ],
      api: 'openai-completions' as Api,
      provider: 'openai-compatible',
      model: 'model',
      usage: { ...zero, totalTokens: 0, cost: { ...zero, total: 0 } },
      stopReason: message.toolCalls?.length ? 'toolUse' : 'stop',
      timestamp: 0,
    },
  ]
}
