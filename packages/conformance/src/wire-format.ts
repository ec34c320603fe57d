import type { ScriptTurn } from './script.js'

/** A request as the wire server got it. */
export interface WireRequest {
  /** HTTP method, in capitals. */
  readonly method: string
  /** Path and query. */
  readonly path: string
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  /** Parsed JSON of the body, or its text if it is not JSON; undefined where there is none. */
  readonly body: unknown
}

/** A response as it is sent. */
export interface WireResponse {
  /** Status of the response. */
  readonly status: number
  /** Headers of the response. */
  readonly headers: Readonly<Record<string, string>>
  /**
   * Complete wire events (an SSE event with its blank line, an NDJSON line with its line feed); one
   * piece for a whole reply.
   */
  readonly pieces: readonly string[]
  /**
   * Set if each character of the pieces stands for one byte, for binary framing. Default: the
   * pieces are sent as UTF-8.
   */
  readonly binary?: boolean
}

/** A neutral view of the conversation a request carries, for checking what reached the wire. */
export interface WireConversation {
  /** The model asked for. */
  readonly model: string
  /** True where a stream is asked for. */
  readonly stream: boolean
  /** The system text; '' where there is none. */
  readonly system: string
  /** Tools the model may call, in order. */
  readonly tools: readonly { readonly name: string; readonly parameters: unknown }[]
  /** All messages but the system text. */
  readonly messages: readonly WireConversationMessage[]
  /** Limit of generated tokens, where the request has one. */
  readonly maxTokens?: number
  /** The temperature, where the request has one. */
  readonly temperature?: number
}

/** One message of a {@link WireConversation}; a vendor that packs several into one is unpacked. */
export type WireConversationMessage =
  | { readonly role: 'user'; readonly text: string }
  | {
      readonly role: 'assistant'
      readonly text: string
      readonly toolCalls: readonly {
        readonly id: string
        readonly name: string
        readonly arguments: unknown
      }[]
    }
  | {
      readonly role: 'tool'
      readonly callId: string
      readonly name?: string
      readonly text: string
      readonly isError?: boolean
    }

/**
 * One API as it looks on the wire: written from its documentation and not from a decoder, so that
 * each checks the other.
 */
export interface WireFormat {
  /** For example `openai-chat`. */
  readonly api: string
  /** What the API can express. A suite skips tests of the rest, and says that this is why. */
  readonly supports: {
    readonly reasoning: boolean
    readonly toolCallIds: boolean
    /** False where arguments travel as an object, so that malformed text cannot occur. */
    readonly argumentsText: boolean
    /** The same for whole replies, where they differ from streams. */
    readonly wholeArgumentsText?: boolean
    readonly inBandError: boolean
    /** False where the records of a reply are not JSON. Default true. */
    readonly jsonRecords?: boolean
    /**
     * True if a stream is binary frames. They have one form only, while text may vary in spaces and
     * line ends. Default false.
     */
    readonly binary?: boolean
    /** False where the API reports no counts of cached tokens: none are expected. */
    readonly cacheTokens: boolean
    /**
     * Counts of tokens written to a cache are reported and must arrive. Default false: they may be
     * missing.
     */
    readonly cacheCreationTokens?: boolean
    /**
     * Counts of reasoning tokens are reported and must arrive. Default false: they may be missing.
     */
    readonly reasoningTokens?: boolean
    /**
     * False where tokens are counted by the provider itself, so that a script's counts are not what
     * it reports. Default true.
     */
    readonly counts?: boolean
    /** False where no finish reason says that content was stopped. Default true. */
    readonly contentFilter?: boolean
    /**
     * False if a stream has no last event, such as `[DONE]`, after the one with the finish reason.
     * Default true.
     */
    readonly lastMark?: boolean
    /** A failed result has a field of its own; false where only its text can say so. */
    readonly toolResultErrors: boolean
  }
  /** True when the request is for this API's chat endpoint. */
  matches(request: WireRequest): boolean
  /** The reply to a turn, as a stream or whole as the request asks. */
  respond(turn: ScriptTurn, request: WireRequest): WireResponse
  /**
   * The first pieces of the reply to `turn` (all before its end), then this failure inside the
   * response of status 200.
   */
  respondThenFail(turn: ScriptTurn, request: WireRequest, message: string): WireResponse
  /** A failed response in the API's own form. */
  failure(status: number, message: string, headers?: Readonly<Record<string, string>>): WireResponse
  /** The conversation of a request. */
  read(request: WireRequest): WireConversation
  /**
   * Rules of the API that the request breaks: role order, id patterns, pairing of calls and
   * results, signatures, field names.
   */
  violations(request: WireRequest): readonly string[]
}

/** What an API that can say everything supports. */
export const everything: WireFormat['supports'] = {
  reasoning: true,
  toolCallIds: true,
  argumentsText: true,
  inBandError: true,
  cacheTokens: true,
  cacheCreationTokens: true,
  reasoningTokens: true,
  toolResultErrors: true,
}
