import type { ChatMessage, Provider, ToolCall, ToolDefinition } from '@modelport/core'
import { jsonHash } from '../base/json-hash.js'
import { messageTokens, toolTokens } from './message-tokens.js'

type Estimate = (text: string) => number

const estimates = new WeakMap<Pick<Provider, 'estimateTokens'>, Estimate>()

/**
 * Estimates tokens as a provider does. One function for each provider, so that facts about a
 * message are kept from run to run.
 */
export function estimateOf(provider: Pick<Provider, 'estimateTokens'>): Estimate {
  const estimate =
    estimates.get(provider) ?? ((text: string): number => provider.estimateTokens(text))
  estimates.set(provider, estimate)
  return estimate
}

/** Facts about a part of a prompt, as long as its fields and the estimate stay the same. */
export class KnownPart {
  readonly tokens: number
  readonly #fields: readonly unknown[]
  readonly #estimate: Estimate
  #hash: string | undefined

  constructor(fields: readonly unknown[], estimate: Estimate, tokens: number) {
    this.#fields = fields
    this.#estimate = estimate
    this.tokens = tokens
  }

  /** True if the fields, as {@link fieldsOf} has them, are still these. */
  fits(
    estimate: Estimate,
    role: string,
    second: unknown,
    third: unknown,
    fourth?: unknown,
    fifth?: unknown,
  ): boolean {
    const fields = this.#fields
    return (
      this.#estimate === estimate &&
      fields[0] === role &&
      fields[1] === second &&
      fields[2] === third &&
      fields[3] === fourth &&
      fields[4] === fifth
    )
  }

  /** SHA-256 of the sent form; computed when it is first read. */
  get hash(): string {
    this.#hash ??= jsonHash(toSent(this.#fields))
    return this.#hash
  }
}

/** Kept, since a run sends all messages and tools again in every step. */
const known = new WeakMap<object, KnownPart>()

function remember(
  part: object,
  fields: readonly unknown[],
  estimate: Estimate,
  tokens: number,
): KnownPart {
  const now = new KnownPart(fields, estimate, tokens)
  known.set(part, now)
  return now
}

/** Tokens and hash of a message, remembered as long as the message is the same. */
export function knownMessage(message: ChatMessage, estimate: Estimate): KnownPart {
  const before = known.get(message)
  return before && isSame(before, message, estimate)
    ? before
    : remember(message, fieldsOf(message), estimate, messageTokens(message, estimate))
}

/** Tokens and hash of a tool definition, remembered as long as the definition is the same. */
export function knownTool(tool: ToolDefinition, estimate: Estimate): KnownPart {
  const { name, description, parameters, strict } = tool
  const before = known.get(tool)
  return before?.fits(estimate, 'tool', name, description, parameters, strict)
    ? before
    : remember(
        tool,
        ['tool', name, description, parameters, strict],
        estimate,
        toolTokens([tool], estimate),
      )
}

/**
 * The fields of a message that reach a server, in one order; the order inside of them is theirs.
 */
function fieldsOf(message: ChatMessage): readonly unknown[] {
  const { role, content } = message
  if (role === 'tool') return [role, content, message.toolCallId, message.isError ?? false]
  if (role !== 'assistant') return [role, content, message.name]
  return [role, content, message.toolCalls, message.reasoning, message.origin?.state]
}

/** True if {@link fieldsOf} would give the same again; it makes no list. */
function isSame(before: KnownPart, message: ChatMessage, estimate: Estimate): boolean {
  const { role, content } = message
  if (role === 'tool')
    return before.fits(estimate, role, content, message.toolCallId, message.isError ?? false)
  if (role !== 'assistant') return before.fits(estimate, role, content, message.name)
  const { toolCalls, reasoning, origin } = message
  return before.fits(estimate, role, content, toolCalls, reasoning, origin?.state)
}

/** The fields as they are hashed: a tool call counts by its text. */
function toSent(fields: readonly unknown[]): readonly unknown[] {
  if (fields[0] !== 'assistant') return fields
  const calls = (fields[2] ?? []) as readonly ToolCall[]
  return fields.with(
    2,
    calls.map(({ id, name, argumentsText }) => [id, name, argumentsText]),
  )
}

const mostSystems = 32
const systems = new Map<string, ChatMessage>()

/**
 * The instructions of a call as a message: the same object for the same text, so that its tokens
 * and hash are remembered from run to run.
 */
export function systemMessage(content: string): ChatMessage {
  const before = systems.get(content)
  if (before) return before
  const [oldest] = systems.keys()
  if (systems.size >= mostSystems && oldest !== undefined) systems.delete(oldest)
  const now: ChatMessage = Object.freeze({ role: 'system', content })
  systems.set(content, now)
  return now
}
