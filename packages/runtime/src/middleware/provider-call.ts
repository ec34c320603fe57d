import type {
  CallOptions,
  ChatMessage,
  FinishReason,
  Generation,
  Provider,
  ReplyDetails,
  StreamEvent,
  TokenUsage,
  ToolDefinition,
  ToolStreamReader,
} from '@modelport/core'

/** One call of a provider, as a middleware sees it. */
export interface ProviderCall {
  /** The method that the application called. */
  readonly method:
    | 'complete'
    | 'completeWithHistory'
    | 'generate'
    | 'stream'
    | 'streamWithHistory'
    | 'streamWithTools'
  /** The conversation; a prompt is one user message. */
  readonly messages: readonly ChatMessage[]
  /** The tools of `streamWithTools`, or those of the options. */
  readonly tools: readonly ToolDefinition[]
  /** The options of the call, merged, without the provider's own defaults. */
  readonly options: CallOptions
}

/** How a call ended. */
export interface CallEnd {
  /**
   * `end`: the reply is complete · `error`: the call or a read rejected · `closed`: the reader was
   * closed before the end.
   */
  readonly outcome: 'end' | 'error' | 'closed'
  /** The error of the call or the read; with `error` only. */
  readonly error?: unknown
  /** Everything the model wrote. */
  readonly text: string
  /** Tokens of all turns. */
  readonly usage: TokenUsage
  /** The finish reason of the last turn. Unset: no turn ended. */
  readonly finishReason?: FinishReason
  /** Sources, warnings and more, of all turns. */
  readonly details: ReplyDetails
  /** The conversation with everything the call added. Unset for text streams and for failures. */
  readonly messages?: readonly ChatMessage[]
  /** Milliseconds from the call to its end. */
  readonly durationMs: number
}

/**
 * Code around each call of a provider: for logging, caching, guardrails. Every hook is optional.
 */
export interface Middleware {
  /**
   * Called before anything is sent. Returns the call to make instead; undefined keeps it. An error
   * that it throws rejects the call. The `deadlineMs` and `signal` of the call bound it: if it does
   * not settle, the call rejects with `timeout` or with the reason of the signal.
   */
  beforeCall?(
    call: ProviderCall,
    provider: Provider,
  ): ProviderCall | undefined | Promise<ProviderCall | undefined>
  /**
   * Called instead of `generate`, and instead of `complete` and `completeWithHistory`, which return
   * its text. `next` makes the call.
   */
  aroundGenerate?(
    call: ProviderCall,
    next: (call: ProviderCall) => Promise<Generation>,
  ): Promise<Generation>
  /**
   * Called instead of `streamWithTools`, and instead of `stream` and `streamWithHistory`, which
   * read the text of its events. `next` makes the call.
   */
  aroundStream?(
    call: ProviderCall,
    next: (call: ProviderCall) => Promise<ToolStreamReader>,
  ): Promise<ToolStreamReader>
  /**
   * Called with each event of a stream before the reader gives it out. Text streams have
   * `text-delta` only. If it throws, it is not called again.
   */
  onEvent?(event: StreamEvent, call: ProviderCall): void
  /** Called once, when the call has ended. If it throws, it is not called again. */
  onEnd?(end: CallEnd, call: ProviderCall): void
}
