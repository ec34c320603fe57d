import type { Content, TextPart } from './content.js'
import type { JsonObject, ToolCall } from './tool.js'

/** The fields that every message may have. */
export interface MessageFields {
  /**
   * The vendor's own fields of the message, merged into its object in the request as
   * `CallOptions.vendor` is into the body. Refused if the API has no such object.
   */
  readonly vendor?: JsonObject
  /**
   * Names of tool sources, such as MCP servers, whose results are in it. Stored with the message,
   * never sent.
   */
  readonly sources?: readonly string[]
}

/** Which model wrote a message, and the state that only its own driver reads. */
export interface MessageOrigin {
  /** {@link Provider.name} of the writer. */
  readonly provider: string
  /** The model as the server named it, else as configured. */
  readonly model: string
  /**
   * Opaque JSON that the writing driver needs to replay the message exactly: thinking signatures,
   * encrypted reasoning. Every other driver ignores it, so a conversation can continue with any
   * provider.
   */
  readonly state?: unknown
}

/**
 * Instructions. Prefer the `system` option; a system message may also stand anywhere in the
 * history.
 */
export interface SystemMessage extends MessageFields {
  readonly role: 'system'
  /** The instructions. */
  readonly content: string | readonly TextPart[]
  /** Distinguishes authors of the same role, for vendors that accept it. */
  readonly name?: string
}

/** What the user said. */
export interface UserMessage extends MessageFields {
  readonly role: 'user'
  /** Text, or parts with images, sound and files. */
  readonly content: Content
  /** Distinguishes users, for vendors that accept it. */
  readonly name?: string
  /**
   * Set on user messages that the runtime wrote: results that no tool message can carry,
   * corrections of a reply, the notice that a call is the last. Stored with the message, never
   * sent.
   */
  readonly byRun?: true
}

/** What the model said in one turn. */
export interface AssistantMessage extends MessageFields {
  readonly role: 'assistant'
  /** The visible text; '' when the turn has only calls. */
  readonly content: Content
  /**
   * The calls of the turn, in wire order. Each needs a result before the conversation continues.
   */
  readonly toolCalls?: readonly ToolCall[]
  /** Visible reasoning text. */
  readonly reasoning?: string
  /** Text of a refusal, where the vendor keeps it apart from the text. */
  readonly refusal?: string
  /**
   * Set on the start of a reply whose rest never came: the run was cancelled, or the reply was cut.
   * Stored with the message, never sent.
   */
  readonly cut?: true
  /** Who wrote it. Unset on messages made by hand. */
  readonly origin?: MessageOrigin
}

/** The result of one tool call. */
export interface ToolMessage extends MessageFields {
  readonly role: 'tool'
  /** The {@link ToolCall.id} of the call that this is the result of. */
  readonly toolCallId: string
  /** Name of the called tool. Unset: taken from that call. */
  readonly toolName?: string
  /** What the model will see. */
  readonly content: Content
  /** True when the tool failed or was refused. Default false. */
  readonly isError?: boolean
}

/** One message of a conversation: plain JSON, discriminated by `role`. */
export type ChatMessage = SystemMessage | UserMessage | AssistantMessage | ToolMessage
