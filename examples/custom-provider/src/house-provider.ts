// house-provider.ts
import {
  type ChatMessage,
  type FinishReason,
  LlmError,
  type Provider,
  parseBaseUrl,
  textOf,
} from '@modelport/core'
import {
  argumentsTextOf,
  type CommonConfig,
  checkApiKey,
  createProvider,
  type Driver,
  mapToolCallIds,
  parseJson,
  postJson,
  type Sink,
  type Turn,
  toProviderError,
  withoutEmptyReplies,
} from '@modelport/driver'

export interface HouseConfig extends CommonConfig {
  readonly apiKey: string
  /** Default `http://127.0.0.1:8080/v1`. */
  readonly baseUrl?: string
}

export function createHouse({
  apiKey,
  baseUrl = 'http://127.0.0.1:8080/v1',
  ...config
}: HouseConfig): Provider {
  const key = checkApiKey(apiKey, 'house')
  const { href, host } = parseBaseUrl(baseUrl)
  const driver: Driver<object> = {
    name: 'house',
    framing: 'sse',
    request: toRequest,
    send: (body, io) =>
      postJson(io, `${href}/chat/completions`, body, { authorization: `Bearer ${key}` }),
    decoder: (sink) => {
      let hasReason = false
      return {
        push: ({ data }) => {
          if (data !== '[DONE]') hasReason = readChunk(data, sink) || hasReason
          // Without a finish reason it ends nothing: gateways write it after a cut, too.
          else if (hasReason) sink.terminal()
        },
      }
    },
    error: (failure) => {
      const { error } = (failure.body ?? {}) as Chunk
      return toProviderError('house', failure, {
        message: error?.message,
        type: error?.type,
        ...(failure.inBand && { code: 'server' }),
      })
    },
  }
  return createProvider(driver, {
    ...config,
    cheapestModel: config.cheapestModel ?? config.model,
    hosts: [host],
    secrets: [key],
  })
}

// Domain → wire.

/** What is not sent yet: better refused than dropped. */
const refused = [
  'topK',
  'toolChoice',
  'parallelToolCalls',
  'responseFormat',
  'reasoning',
  'topLogprobs',
  'providerTools',
] as const

function toRequest({ model, messages, tools, options, stream }: Turn): object {
  const option = refused.find((name) => options[name] !== undefined)
  if (option) throw new LlmError('unsupported', `house: ${option} cannot be sent; leave it unset`)
  return {
    model,
    messages: withoutEmptyReplies(mapToolCallIds(messages, { maxLength: 40 })).map(toMessage),
    max_completion_tokens: options.maxTokens,
    temperature: options.temperature,
    top_p: options.topP,
    stop: options.stop,
    seed: options.seed,
    ...(tools.length && {
      tools: tools.map(({ name, description, parameters }) => ({
        type: 'function',
        function: { name, description, parameters },
      })),
    }),
    ...(stream && { stream, stream_options: { include_usage: true } }),
    ...options.vendor,
  }
}

function toMessage(message: ChatMessage): object {
  if (Array.isArray(message.content) && message.content.some(({ type }) => type !== 'text'))
    throw new LlmError('unsupported', 'house: only text parts are supported')
  const content = textOf(message.content)
  if (message.role === 'tool')
    return {
      role: 'tool',
      tool_call_id: message.toolCallId,
      content: message.isError ? `Error: ${content}` : content,
    }
  if (message.role !== 'assistant' || !message.toolCalls?.length)
    return { role: message.role, content }
  const calls = message.toolCalls.map((call) => ({
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: argumentsTextOf(call) },
  }))
  return { role: 'assistant', content: content || null, tool_calls: calls }
}

// Wire → domain. A whole reply has `message` where a stream has `delta`.

interface Message {
  readonly content?: string | null
  readonly reasoning_content?: string | null
  readonly tool_calls?: readonly {
    readonly index?: number
    readonly id?: string
    readonly function?: { readonly name?: string; readonly arguments?: string }
  }[]
}

interface Chunk {
  readonly choices?: readonly {
    readonly delta?: Message
    readonly message?: Message
    readonly finish_reason?: string | null
  }[]
  readonly usage?: Usage | null
  readonly error?: { readonly message?: string; readonly type?: string }
}

interface Usage {
  readonly prompt_tokens?: number
  readonly completion_tokens?: number
  readonly prompt_tokens_details?: {
    readonly cached_tokens?: number
    readonly cache_write_tokens?: number
  }
  readonly completion_tokens_details?: { readonly reasoning_tokens?: number }
}

const reasons: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool-calls',
  content_filter: 'content-filter',
}

/** Reads one chunk. Returns true if it has the finish reason. */
function readChunk(data: string, sink: Sink): boolean {
  const chunk = parseJson<Chunk>(data)
  if (chunk.error) sink.fail({ body: chunk })
  const [choice] = chunk.choices ?? []
  const message = choice?.delta ?? choice?.message ?? {}
  sink.reasoning(message.reasoning_content ?? '')
  sink.text(message.content ?? '')
  for (const [position, call] of (message.tool_calls ?? []).entries()) {
    sink.toolCall(call.index ?? position, {
      id: call.id,
      name: call.function?.name,
      text: call.function?.arguments,
    })
  }
  if (chunk.usage) sink.usage(toCounts(chunk.usage))
  if (!choice?.finish_reason) return false
  sink.finish(reasons[choice.finish_reason] ?? 'other', choice.finish_reason)
  return true
}

const toCounts = (usage: Usage): Parameters<Sink['usage']>[0] => ({
  inputTokens: usage.prompt_tokens,
  outputTokens: usage.completion_tokens,
  cacheReadTokens: usage.prompt_tokens_details?.cached_tokens,
  cacheCreationTokens: usage.prompt_tokens_details?.cache_write_tokens,
  reasoningTokens: usage.completion_tokens_details?.reasoning_tokens,
})
