import type { ChatMessage, Provider, ToolCall, ToolDefinition } from '@modelport/core'
import { jsonHash } from '../base/json-hash.js'
import { messageTokens, toolTokens } from './message-tokens.js'

type Estimate = (text: string) => number

/** Facts about a part of a prompt. */
export interface Known {
  readonly tokens: number
  /** SHA-256 of the sent form. */
  readonly hash: string
}

/** Memoizes facts about each part until the part or the estimate changes. */
function rememberLast<Part extends object, Facts extends { fits(part: Part, estimate: Estimate): boolean }>(
  find: new (part: Part, estimate: Estimate) => Facts,
): (part: Part, estimate: Estimate) => Facts {
  const known = new WeakMap<Part, Facts>()
  return (part, estimate) => {
    const before = known.get(part)
    if (before?.fits(part, estimate)) return before
    const now = new find(part, estimate)
    known.set(part, now)
    return now
  }
}

const estimates = new WeakMap<Pick<Provider, 'estimateTokens'>, Estimate>()

/** Estimates tokens as a provider does. One function for each provider, so that facts about a message are kept from run to run. */
export function estimateOf(provider: Pick<Provider, 'estimateTokens'>): Estimate {
  const estimate = estimates.get(provider) ?? ((text: string): number => provider.estimateTokens(text))
  estimates.set(provider, estimate)
  return estimate
}

/** Facts about a message that are kept, since a run sends all messages again in every step. */
class KnownMessage {
  readonly #estimate: Estimate
  readonly #role: ChatMessage['role']
  readonly #content: unknown
  readonly #second: unknown
  readonly #third: unknown
  readonly #state: unknown
  readonly tokens: number
  #hash: string | undefined

  constructor(message: ChatMessage, estimate: Estimate) {
    this.#estimate = estimate
    this.#role = message.role
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

  /** SHA-256 of the sent form of the message; computed when it is first read. */
  get hash(): string {
    this.#hash ??= jsonHash(this.#sent())
    return this.#hash
  }

  /** The fields that reach a server, in one order; the order inside of them is theirs. */
  #sent(): readonly unknown[] {
    const [role, content, second, third] = [this.#role, this.#content, this.#second, this.#third]
    if (role === 'tool') return [role, content, second, third ?? false]
    if (role !== 'assistant') return [role, content, second]
    const calls = ((second ?? []) as readonly ToolCall[]).map((call) => [call.id, call.name, call.argumentsText])
    return [role, content, calls, third, this.#state]
  }
}

/** Tokens and hash of a message, remembered as long as the message is the same. */
export const knownMessage: (message: ChatMessage, estimate: Estimate) => KnownMessage = rememberLast(KnownMessage)

const mostSystems = 32
const systems = new Map<string, ChatMessage>()

/** The instructions of a call as a message: the same object for the same text, so that its tokens and hash are remembered from run to run. */
export function systemMessage(content: string): ChatMessage {
  const before = systems.get(content)
  if (before) return before
  const [oldest] = systems.keys()
  if (systems.size >= mostSystems && oldest !== undefined) systems.delete(oldest)
  const now: ChatMessage = Object.freeze({ role: 'system', content })
  systems.set(content, now)
  return now
}

/** Facts about a tool definition that are kept. */
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

  /** SHA-256 of the sent form of the definition; computed when it is first read. */
  get hash(): string {
    const { name, description, parameters, strict } = this.#tool
    this.#hash ??= jsonHash(['tool', name, description, parameters, strict])
    return this.#hash
  }
}

/** Tokens and hash of a tool definition, remembered as long as the definition is the same. */
export const knownTool: (tool: ToolDefinition, estimate: Estimate) => KnownTool = rememberLast(KnownTool)

const secondOf = (message: ChatMessage): unknown =>
  message.role === 'tool' ? message.toolCallId : message.role === 'assistant' ? message.toolCalls : message.name
const thirdOf = (message: ChatMessage): unknown =>
  message.role === 'tool' ? message.isError : message.role === 'assistant' ? message.reasoning : undefined
const stateOf = (message: ChatMessage): unknown => (message.role === 'assistant' ? message.origin?.state : undefined)
