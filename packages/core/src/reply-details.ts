/** One likely token at a position of the reply. */
export interface TokenLogprob {
  /** The token's text. */
  readonly token: string
  /** Natural logarithm of its probability. */
  readonly logprob: number
  /** The likeliest tokens at this position, when asked for. */
  readonly top?: readonly { readonly token: string; readonly logprob: number }[]
}

/** Where a statement of the reply comes from. */
export interface Citation {
  /** Address of the source. */
  readonly url?: string
  /** Title of the source. */
  readonly title?: string
  /** The quoted or supporting text. */
  readonly text?: string
  /** Date of the source, in the vendor's words. */
  readonly date?: string
  /** The vendor's name of the store that the source was found in, for file search. */
  readonly store?: string
  /** The vendor's id of the source file. */
  readonly fileId?: string
  /** Where in the source the supporting text is. */
  readonly place?: {
    readonly unit: 'character' | 'page' | 'block'
    readonly start: number
    readonly end: number
  }
  /**
   * Where the statement begins in the reply's text. In the unit of the vendor: characters, or
   * bytes.
   */
  readonly start?: number
  /** Where the statement ends in the reply's text, exclusive, in the same unit. */
  readonly end?: number
}

/** A call of a tool that the vendor ran itself, for example a web search. It needs no result. */
export interface ProviderToolCall {
  /** The vendor's id of the call, where it has one. */
  readonly id?: string
  /** The vendor's name of the tool. */
  readonly name: string
  /** The vendor's own item, as it stood on the wire. */
  readonly data: unknown
}

/** A result of the vendor's content filter or moderation. */
export interface SafetyReport {
  /** What was examined. */
  readonly subject: 'prompt' | 'reply'
  /** The vendor's own report, as it stood on the wire. */
  readonly data: unknown
}

/**
 * A file that code run by the vendor made. Its bytes are fetched with the vendor's own files API.
 */
export interface ProviderFile {
  /** The vendor's id of the file. */
  readonly id: string
  /** File name, if the vendor gives one. */
  readonly name?: string
  /** The vendor's id of the container that holds the file. */
  readonly containerId?: string
}

/** An item of a reply, in the vendor's words. */
export interface ReplyItem {
  /** Its kind: a message, reasoning, a call. */
  readonly type: string
  /** The id of the call that it is. */
  readonly callId?: string
  /** The places that a message names, as they stood on the wire. */
  readonly annotations?: readonly unknown[]
}

/** What a reply has besides its text, its tool calls and its token counts. */
export interface ReplyDetails {
  /** The vendor's own word for why the reply ended. */
  readonly rawFinishReason?: string
  /** A report on each token, when `topLogprobs` asked for it. */
  readonly logprobs?: readonly TokenLogprob[]
  /** Sources the model named. */
  readonly citations?: readonly Citation[]
  /** Calls of tools that the vendor ran itself. */
  readonly providerToolCalls?: readonly ProviderToolCall[]
  /** Things the caller should know, for example that the server cut the prompt. */
  readonly warnings?: readonly string[]
  /**
   * The vendor's id of the response: for its support, for look-ups, and to continue it where the
   * vendor keeps it.
   */
  readonly responseId?: string
  /** The service tier that served the request, in the vendor's words. */
  readonly serviceTier?: string
  /** The vendor that a router passed the request to. */
  readonly upstream?: string
  /**
   * What a router says of the request: the id for its look-ups, the upstream vendor's word for the
   * end, its report as it stood on the wire.
   */
  readonly router?: {
    readonly generationId?: string
    readonly finishReason?: string
    readonly report?: unknown
  }
  /**
   * The vendor's name of the state of its servers: replies to one `seed` can only be the same while
   * it is the same.
   */
  readonly fingerprint?: string
  /** Times and rates that the server measured, by the vendor's field name and in its unit. */
  readonly timings?: Readonly<Record<string, number>>
  /** The text of `stop` that ended the reply, where the vendor says which. */
  readonly stopText?: string
  /** The mean of the log probabilities of the reply's tokens, as the vendor gives it unasked. */
  readonly averageLogprob?: number
  /**
   * The vendor's container that code of the reply ran in, with its skills, as it stood on the wire.
   */
  readonly container?: { readonly id: string; readonly [field: string]: unknown }
  /** The items that the vendor made the reply of, by their ids, where it has such. */
  readonly items?: Readonly<Record<string, ReplyItem>>
  /** Results of content filters and moderation. */
  readonly safety?: readonly SafetyReport[]
  /** Files that code run by the vendor made. */
  readonly files?: readonly ProviderFile[]
}
