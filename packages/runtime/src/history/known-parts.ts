import type { ChatMessage, ToolDefinition } from '@modelport/core'
import { contentHash } from './content-hash.js'
import { messageTokens, toolTokens } from './message-tokens.js'

type Estimate = (text: string) => number

/** What is known of a message that was sent before: a run sends all of them again in every step. */
class KnownMessage {
  readonly #estimate: Estimate
  readonly #content: unknown
  readonly #second: unknown
  readonly #third: unknown
  readonly #state: unknown
  readonly tokens: number
  #hash: string | undefined

  constructor(message: ChatMessage, estimate: Estimate) {
    this.#estimate = estimate
    this.#content = message.content
    this.#second = secondOf(message)
    this.#third = thirdOf(message)
    this.#state = stateOf(message)
    this.tokens = messageTokens(message, estimate)
  }

  /** True if none of the message's fields was replaced since. */
  fits(message: ChatMessage, estimate: Estimate): boolean {
    return (
      this.#estimate === estimate &&
      this.#content === message.content &&
      this.#second === secondOf(message) &&
      this.#third === thirdOf(message) &&
      this.#state === stateOf(message)
    )
  }

  /** SHA-256 of what is sent of the message; computed on the first call. */
  hash(message: ChatMessage): string {
    this.#hash ??= contentHash(sentOf(message))
    return this.#hash
  }
}

const knownMessages = new WeakMap<ChatMessage, KnownMessage>()

/** Tokens and hash of a message, remembered as long as the message is the same. */
export function knownMessage(message: ChatMessage, estimate: Estimate): KnownMessage {
  const before = knownMessages.get(message)
  if (before?.fits(message, estimate)) return before
  const now = new KnownMessage(message, estimate)
  knownMessages.set(message, now)
  return now
}

/** What is known of a tool definition that was sent before. */
class KnownTool {
  readonly #estimate: Estimate
  readonly #tool: ToolDefinition
  readonly tokens: number
  #hash: string | undefined

  constructor(tool: ToolDefinition, estimate: Estimate) {
    this.#estimate = estimate
    this.#tool = { ...tool }
    this.tokens = toolTokens([tool], estimate)
  }

  /** True if none of the definition's fields was replaced since. */
  fits(tool: ToolDefinition, estimate: Estimate): boolean {
    const { name, description, parameters, strict } = this.#tool
    return (
      this.#estimate === estimate &&
      name === tool.name &&
      description === tool.description &&
      parameters === tool.parameters &&
      strict === tool.strict
    )
  }

  /** SHA-256 of what is sent of the definition; computed on the first call. */
  get hash(): string {
    const { name, description, parameters, strict } = this.#tool
    this.#hash ??= contentHash(['tool', name, description, parameters, strict])
    return this.#hash
  }
}

const knownTools = new WeakMap<ToolDefinition, KnownTool>()

/** Tokens and hash of a tool definition, remembered as long as the definition is the same. */
export function knownTool(tool: ToolDefinition, estimate: Estimate): KnownTool {
  const before = knownTools.get(tool)
  if (before?.fits(tool, estimate)) return before
  const now = new KnownTool(tool, estimate)
  knownTools.set(tool, now)
  return now
}

const secondOf = (message: ChatMessage): unknown =>
  message.role === 'tool' ? message.toolCallId : message.role === 'assistant' ? message.toolCalls : message.name
const thirdOf = (message: ChatMessage): unknown =>
  message.role === 'tool' ? message.isError : message.role === 'assistant' ? message.reasoning : undefined
const stateOf = (message: ChatMessage): unknown => (message.role === 'assistant' ? message.origin?.state : undefined)

/** The fields that reach a server, in one order; the order inside of them is theirs. */
export function sentOf(message: ChatMessage): readonly unknown[] {
  const { role, content } = message
  if (role === 'tool') return [role, content, message.toolCallId, message.isError ?? false]
  if (role !== 'assistant') return [role, content, message.name]
  const calls = (message.toolCalls ?? []).map((call) => [call.id, call.name, call.argumentsText])
  return [role, content, calls, message.reasoning, message.origin?.state]
}
