import type { Harness, HarnessConfig } from '@modelport/conformance'
import { openaiChat } from '@modelport/conformance'
import {
  type ChatMessage,
  type FinishReason,
  LlmError,
  type Provider,
  type ToolMessage,
  textOf,
} from '@modelport/core'
import {
  argumentsTextOf,
  checkApiKey,
  createProvider,
  type Decoder,
  type Driver,
  mapToolCallIds,
  parseJson,
  postJson,
  type Sink,
  type Turn,
  toProviderError,
  withoutEmptyReplies,
} from '@modelport/driver'

export const apiKey = 'sk-conformance-Zx81+Canary/0123456789abcdef'
const name = 'reference'
const url = 'https://reference.example/v1/chat/completions'

/** The request body of Chat Completions. */
export interface WireBody {
  model: string
  messages: Record<string, unknown>[]
  [field: string]: unknown
}

interface WireToolCall {
  readonly index?: number
  readonly id?: string
  readonly function?: { readonly name?: string; readonly arguments?: string }
}

interface WireMessage {
  readonly content?: string | null
  readonly reasoning_content?: string
  readonly tool_calls?: readonly WireToolCall[]
}

interface WireChunk {
  readonly model?: string
  readonly choices?: readonly {
    readonly delta?: WireMessage
    readonly message?: WireMessage
    readonly finish_reason?: string | null
  }[]
  readonly usage?: {
    readonly prompt_tokens?: number
    readonly completion_tokens?: number
    readonly prompt_tokens_details?: {
      readonly cached_tokens?: number
      readonly cache_write_tokens?: number
    }
    readonly completion_tokens_details?: { readonly reasoning_tokens?: number }
  } | null
  readonly error?: { readonly message?: string; readonly type?: string }
}

/** The smallest driver that passes everything: what `mutants.ts` breaks, one rule at a time. */
export function referenceDriver(key: string): Driver<WireBody> {
  return {
    name,
    framing: 'sse',
    request: toBody,
    send: (body, io) => postJson(io, url, body, { authorization: `Bearer ${key}` }),
    decoder: (sink) => decoder(sink),
    error: (failure) => {
      const { error } = (failure.body ?? {}) as WireChunk
      return toProviderError(name, failure, {
        message: error?.message,
        type: error?.type,
        ...(failure.inBand && { code: 'server' as const }),
      })
    },
  }
}

/** A provider over a driver made from the reference one. */
export function providerOf(
  driver: Driver<WireBody>,
  config: HarnessConfig,
  key = apiKey,
): Provider {
  return createProvider(driver, {
    model: 'reference-1',
    ...config,
    cheapestModel: config.cheapestModel ?? 'reference-1',
    hosts: ['reference.example:443'],
    secrets: [key],
  })
}

/** The harness of the reference provider, or of a mutant of it. */
export const harnessOf = (create: Harness['create']): Harness => ({
  name,
  create,
  format: openaiChat,
  apiKey,
})

export const reference: Harness = harnessOf((config) =>
  providerOf(referenceDriver(checkApiKey(apiKey, name)), config),
)

const refused = [
  'topK',
  'toolChoice',
  'parallelToolCalls',
  'responseFormat',
  'reasoning',
  'topLogprobs',
  'providerTools',
] as const

function toBody(turn: Turn): WireBody {
  const { options, tools, stream } = turn
  const option = refused.find((one) => options[one] !== undefined)
  if (option) throw new LlmError('unsupported', `${name}: ${option}`)
  const { temperature } = options
  return {
    model: turn.model,
    messages: withoutEmptyReplies(mapToolCallIds(turn.messages, { maxLength: 40 })).map(
      toWireMessage,
    ),
    max_completion_tokens: options.maxTokens,
    ...(temperature !== undefined && { temperature }),
    top_p: options.topP,
    stop: options.stop,
    seed: options.seed,
    ...(tools.length && {
      tools: tools.map(({ name, description, parameters }) => ({
        type: 'function',
        function: { name, description, ...(parameters && { parameters }) },
      })),
    }),
    ...(stream && { stream, stream_options: { include_usage: true } }),
    ...options.vendor,
  }
}

function toWireMessage(message: ChatMessage): Record<string, unknown> {
  if (typeof message.content !== 'string' && message.content.some(({ type }) => type !== 'text'))
    throw new LlmError('unsupported', `${name}: parts that are not text`)
  const content = textOf(message.content)
  if (message.role === 'tool')
    return { role: 'tool', tool_call_id: message.toolCallId, content: toolText(message, content) }
  if (message.role !== 'assistant' || !message.toolCalls?.length)
    return { role: message.role, content }
  return {
    role: 'assistant',
    content: content || null,
    tool_calls: message.toolCalls.map((call) => ({
      id: call.id,
      type: 'function',
      function: { name: call.name, arguments: argumentsTextOf(call) },
    })),
  }
}

const toolText = ({ isError }: ToolMessage, text: string): string =>
  isError ? `Error: ${text}` : text

const reasons: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool-calls',
  content_filter: 'content-filter',
}

function decoder(sink: Sink): Decoder {
  let ended = false
  return {
    push: ({ data }) => {
      if (data === '[DONE]') {
        if (ended) sink.terminal()
        return
      }
      const chunk = parseJson<WireChunk | null>(data)
      if (typeof chunk !== 'object' || chunk === null)
        throw new LlmError('protocol', 'a chunk is not an object')
      if (chunk.error) sink.fail({ body: chunk })
      if (chunk.model) sink.model(chunk.model)
      const [choice] = chunk.choices ?? []
      message(sink, choice?.delta ?? choice?.message ?? {})
      if (chunk.usage) {
        const { usage } = chunk
        sink.usage({
          inputTokens: usage.prompt_tokens,
          outputTokens: usage.completion_tokens,
          cacheReadTokens: usage.prompt_tokens_details?.cached_tokens,
          cacheCreationTokens: usage.prompt_tokens_details?.cache_write_tokens,
          reasoningTokens: usage.completion_tokens_details?.reasoning_tokens,
        })
      }
      if (choice?.finish_reason) {
        ended = true
        sink.finish(reasons[choice.finish_reason] ?? 'other', choice.finish_reason)
      }
    },
  }
}

function message(
  sink: Sink,
  { content, reasoning_content: reasoning, tool_calls: calls }: WireMessage,
): void {
  sink.reasoning(reasoning ?? '')
  sink.text(content ?? '')
  for (const [position, call] of (calls ?? []).entries()) {
    sink.toolCall(call.index ?? position, {
      id: call.id,
      name: call.function?.name,
      text: call.function?.arguments,
    })
  }
}
