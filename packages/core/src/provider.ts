import type { FinishReason } from './event.js'
import type { AssistantMessage, ChatMessage } from './message.js'
import type { CallOptions } from './options.js'
import type { StreamReader, ToolStreamReader } from './reader.js'
import type { ReplyDetails } from './reply-details.js'
import type { ToolCall, ToolDefinition } from './tool.js'
import type { TokenUsage } from './usage.js'

/** One complete reply. */
export interface Generation extends ReplyDetails {
  /** The text; '' when there are only calls. */
  readonly text: string
  /** Calls that await results, in wire order; mostly empty. */
  readonly toolCalls: readonly ToolCall[]
  /** Tokens that the reply cost. */
  readonly usage: TokenUsage
  /** Why the reply ended. Look at it before you trust the text to be whole. */
  readonly finishReason: FinishReason
  /** The reply as a message, to append to the history. */
  readonly message: AssistantMessage
  /** Visible reasoning text. */
  readonly reasoning?: string
}

/** A language model. Made by `createX` of a provider package or by the factory's `newProvider`. */
export interface Provider {
  /** Name of the provider, for example in errors and `origin`. */
  readonly name: string
  /** The model to ask. */
  readonly model: string
  /** Default model for delegated work. */
  readonly cheapestModel: string
  /**
   * Sends one prompt and returns the text of the reply.
   * @throws {LlmError} the code says why: `limit-exceeded` if `maxTokens` cut the reply off,
   * `content-filter` if it was refused or filtered, `server` if the server gave up on it, each with
   * the text so far in `partial` ({@link Provider.generate} returns such a reply); the call
   * signal's own reason when that is aborted.
   */
  complete(prompt: string, ...options: CallOptions[]): Promise<string>
  /**
   * Sends a conversation and returns the text of the reply. Throws like {@link Provider.complete}.
   */
  completeWithHistory(messages: readonly ChatMessage[], ...options: CallOptions[]): Promise<string>
  /**
   * Sends a conversation and returns the reply: text, tool calls, usage, finish reason, message.
   * Throws like {@link Provider.complete}, but returns a reply that is not whole, with its finish
   * reason: `length`, `content-filter` or `error`.
   */
  generate(messages: readonly ChatMessage[], ...options: CallOptions[]): Promise<Generation>
  /** Streams the reply to one prompt. An HTTP failure rejects here, not at the first read. */
  stream(prompt: string, ...options: CallOptions[]): Promise<StreamReader>
  /** Streams the reply to a conversation. */
  streamWithHistory(
    messages: readonly ChatMessage[],
    ...options: CallOptions[]
  ): Promise<StreamReader>
  /** Streams a conversation with tools: one reader spans all its turns. */
  streamWithTools(
    messages: readonly ChatMessage[],
    tools: readonly ToolDefinition[],
    ...options: CallOptions[]
  ): Promise<ToolStreamReader>
  /** About how many tokens the text has for this model; errs high. */
  estimateTokens(text: string): number
}

const texts = ['name', 'model', 'cheapestModel']
const methods = [
  'complete',
  'completeWithHistory',
  'generate',
  'stream',
  'streamWithHistory',
  'streamWithTools',
  'estimateTokens',
]

/** True when the value has everything a {@link Provider} has. */
export function isProvider(value: unknown): value is Provider {
  const record = Object(value) as Record<string, unknown>
  return (
    texts.every((key) => typeof record[key] === 'string') &&
    methods.every((key) => typeof record[key] === 'function')
  )
}
