import {
  type AssistantMessage,
  type ChatMessage,
  type Content,
  configError,
  fromJson,
  type StoredConversation,
  type SystemMessage,
  toJson,
} from '@modelport/core'
import { Deque } from '../base/deque.js'
import { isRunMessage } from './run-message.js'

/**
 * The messages of a conversation. Adding a message, setting the system prompt and dropping the
 * oldest messages cost the same at any length; the object stays the same while its messages change,
 * so that every holder sees one history.
 */
export class ConversationHistory implements Iterable<ChatMessage> {
  /** The leading system message is kept apart: it changes without moving the rest. */
  #system: SystemMessage | undefined
  #turns = new Deque<ChatMessage>()

  constructor(systemPrompt?: string) {
    if (systemPrompt !== undefined) this.setSystem(systemPrompt)
  }

  /** A history of these messages. */
  static fromList(messages: Iterable<ChatMessage>): ConversationHistory {
    const history = new ConversationHistory()
    history.replace(messages)
    return history
  }

  /**
   * Reads a stored history back.
   * @throws {LlmError} `invalid-request` — the version is unknown or a message has no role this
   * version knows.
   */
  static fromJson(stored: unknown): ConversationHistory {
    return ConversationHistory.fromList(fromJson(stored))
  }

  /** How many messages there are. */
  get length(): number {
    return this.#turns.length + (this.#system ? 1 : 0)
  }

  /** Text of the leading system message, when there is one. */
  get systemPrompt(): string | undefined {
    const content = this.#system?.content
    return typeof content === 'object' ? content.map(({ text }) => text).join('') : content
  }

  /** The message at this place; a negative number counts from the end. */
  at(index: number): ChatMessage | undefined {
    const place = index < 0 ? this.length + index : index
    if (place < 0) return undefined
    if (this.#system) return place === 0 ? this.#system : this.#turns.at(place - 1)
    return this.#turns.at(place)
  }

  /** The messages, oldest first. */
  *[Symbol.iterator](): Iterator<ChatMessage, undefined, undefined> {
    yield* this.toList()
    return undefined
  }

  /** The messages in a new list. */
  toList(): ChatMessage[] {
    const turns = this.#turns.toList()
    return this.#system ? [this.#system, ...turns] : turns
  }

  /** The history in the stored form. */
  toJson(): StoredConversation {
    return toJson(this.toList())
  }

  /** The same for `JSON.stringify`. */
  toJSON(): StoredConversation {
    return this.toJson()
  }

  /** A history of its own with the same messages. */
  copy(): ConversationHistory {
    return ConversationHistory.fromList(this)
  }

  /** Appends messages as they are. */
  add(...messages: readonly ChatMessage[]): void {
    for (const message of messages) {
      if (message.role === 'system' && this.length === 0) this.#system = message
      else this.#turns.push(message)
    }
  }

  /** Appends what the user said. */
  addUser(content: Content): void {
    this.add({ role: 'user', content })
  }

  /** Appends what the model said: its text, or the whole message with calls and origin. */
  addAssistant(message: string | AssistantMessage): void {
    this.add(typeof message === 'string' ? { role: 'assistant', content: message } : message)
  }

  /**
   * Appends instructions at the end of the conversation; on an empty history they are its system
   * prompt.
   */
  addSystem(content: string): void {
    this.add({ role: 'system', content })
  }

  /** Sets the leading system message and keeps every turn. */
  setSystem(systemPrompt: string): void {
    this.#system = { role: 'system', content: systemPrompt }
  }

  /** Forgets everything and begins again with this system prompt. */
  resetToSystem(systemPrompt: string): void {
    this.clear()
    this.setSystem(systemPrompt)
  }

  /** Forgets everything. */
  clear(): void {
    this.#system = undefined
    this.#turns = new Deque()
  }

  /** Replaces all messages; the object stays the same. */
  replace(messages: Iterable<ChatMessage>): void {
    // A copy first: the messages may be those of this history.
    const copy = [...messages]
    this.clear()
    for (const message of copy) this.add(message)
  }

  /**
   * Drops the oldest messages until at most `maxMessages` are left. The leading system message
   * stays. The tool results and corrections that follow a dropped reply are dropped with it, so
   * fewer messages may be left.
   * @throws {LlmError} `config` — `maxMessages` is not a whole number of at least 2.
   */
  truncate(maxMessages: number): void {
    if (!Number.isInteger(maxMessages) || maxMessages < 2) {
      throw configError(
        `truncate: maxMessages must be a whole number of at least 2, not ${String(maxMessages)}`,
      )
    }
    const surplus = this.length - maxMessages
    if (surplus <= 0) return

    this.#turns.drop(this.#nextReplyOrPrompt(surplus))
    const first = this.#turns.at(0)
    if (this.#system || first?.role !== 'system') return
    // The first message is the system prompt, also when the list is read back.
    this.#system = first
    this.#turns.drop(1)
  }
  /** The first place from this one on whose message the runtime did not write. */
  #nextReplyOrPrompt(from: number): number {
    let place = from
    let message = this.#turns.at(place)
    while (message && isRunMessage(message)) message = this.#turns.at(++place)
    return place
  }
}
