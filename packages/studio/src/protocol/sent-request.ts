import type { ChatMessage, OptionValues, ToolDefinition } from '@modelport/core'

/** A request of a program to a model, besides its messages. */
export interface RequestAbout {
  /** The model that was asked. */
  readonly model: string
  /** The system prompt. Unset: none was sent. */
  readonly system?: string
  /** The tools that the model may call. */
  readonly tools: readonly ToolDefinition[]
  /** The other options that were sent. */
  readonly options: OptionValues
}

/**
 * A request of a program to a model, as the program makes it: the provider turns it into that of
 * its vendor.
 */
export interface SentRequest {
  /**
   * How many messages it has in common with the request before, from the first one; of the first
   * request, with the messages that its run began with.
   */
  readonly same: number
  /** The messages after those. */
  readonly messages: readonly ChatMessage[]
  /** Unset: as in the request before. */
  readonly about?: RequestAbout
}

/** A request with all of its messages. */
export interface WholeRequest {
  readonly messages: readonly ChatMessage[]
  /** {@link SentRequest.same} */
  readonly same: number
  /** Unset: no request has said it yet. */
  readonly about?: RequestAbout | undefined
}

/** What the first request of a run continues. */
export const beforeRequests = (messages: readonly ChatMessage[]): WholeRequest => ({
  messages: withoutSystem(messages),
  same: 0,
})

/** The whole of a request; undefined if the one before, which it continues, is not known. */
export function wholeRequest(
  { same, messages, about }: SentRequest,
  before: WholeRequest | undefined,
): WholeRequest | undefined {
  const known = before?.messages ?? []
  const latest = about ?? before?.about
  if (same > known.length || !latest) return undefined
  return { messages: [...known.slice(0, same), ...messages], same, about: latest }
}

/** The system prompt of messages that a provider gets: their first one, if there is one. */
export function systemOf([first]: readonly ChatMessage[]): string | undefined {
  return first?.role === 'system' && typeof first.content === 'string' ? first.content : undefined
}

/** The messages after the system prompt. */
export const withoutSystem = (messages: readonly ChatMessage[]): readonly ChatMessage[] =>
  systemOf(messages) === undefined ? messages : messages.slice(1)
