import type {
  ChatMessage,
  Citation,
  ContentPart,
  FinishReason,
  OptionValues,
  ProviderError,
  ProviderFile,
  ProviderToolCall,
  ReplyDetails,
  SafetyReport,
  TokenCounts,
  TokenLogprob,
  ToolDefinition,
} from '@modelport/core'

/**
 * The type of the platform's `fetch`. The one given to a driver checks hosts, refuses redirects and
 * rejects with typed errors.
 */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>

/** One turn of a conversation, checked and complete: what a driver turns into a request. */
export interface Turn {
  /** The model to ask for. */
  readonly model: string
  /**
   * The conversation. The `system` option stands first as a system message; every tool message has
   * its `toolName` and the result of a call of the assistant message before it; the results of one
   * turn follow each other in call order.
   */
  readonly messages: readonly ChatMessage[]
  /** Tools the model may call in this turn. */
  readonly tools: readonly ToolDefinition[]
  /**
   * Merged and validated, without `null`. If `maxTokens` is unset, send none; if the API requires
   * a number, send the largest that the model takes.
   */
  readonly options: OptionValues
  /** True for a stream, false for one whole response. */
  readonly stream: boolean
}

/** What a driver needs to send a request. */
export interface DriverIo {
  /** Pass it to the SDK, or to `postJson`. */
  readonly fetch: Fetch
  /** Aborted when the attempt is given up. */
  readonly signal: AbortSignal
  /**
   * Headers the caller wants on every request, their names in lower case; they win over the
   * driver's own.
   */
  readonly headers: Readonly<Record<string, string>>
  /**
   * The same on all attempts of one logical call: send it where the API takes an idempotency key.
   */
  readonly idempotencyKey: string
  /** True for a stream. */
  readonly stream: boolean
}

/** One record of the wire: an SSE event, a line, or a whole body. */
export interface WireRecord {
  /** The SSE event name; '' where there is none. */
  readonly event: string
  /** The event's data, or the line: mostly JSON text. */
  readonly data: string
  /**
   * Set if the record is a whole body: of a reply that is not streamed, or JSON in response to a
   * stream request.
   */
  readonly whole?: true
  /** Set if the body ended before the end of the event or line, which may be cut. */
  readonly unterminated?: true
}

/** Binary framing: frames whose first bytes tell how long each is. */
export interface FrameFormat {
  /** First bytes of a frame that {@link FrameFormat.lengthOf} needs. */
  readonly headBytes: number
  /**
   * Length of the whole frame in bytes, its head included.
   * @throws {LlmError} `protocol` — the head is damaged.
   */
  lengthOf(head: Uint8Array): number
  /**
   * Event and data of a whole frame; bytes are UTF-8. Anything thrown but a typed error is reported
   * as `protocol`.
   */
  decode(frame: Uint8Array): {
    /** Name of the event. */
    readonly event: string
    /** What it carries, as text or its bytes. */
    readonly data: Uint8Array | string
  }
}

/** Text as a sink keeps it. */
export interface WrittenText {
  /** Characters so far. */
  readonly length: number
  /** All of it. */
  readonly text: string
}

/** A delta of a tool call. Any delta may have any of the fields. */
export interface ToolCallDelta {
  /** The vendor's id of the call. */
  readonly id?: string | undefined
  /** Name of the tool. */
  readonly name?: string | undefined
  /** Text to append to the arguments. */
  readonly text?: string | undefined
  /**
   * The whole arguments, if the wire carries an object instead of text. If it carries both, the
   * text is kept as received, and the arguments are read from this object.
   */
  readonly value?: unknown
}

/** A failure the server reports inside a response of status 200. */
export interface InBandFailure {
  /** The vendor's error object or text. */
  readonly body: unknown
  /** The status the error stands for, when the vendor says it. */
  readonly status?: number | undefined
}

/**
 * The fields of {@link ReplyDetails} that a decoder reports by {@link Sink.details}: all but the
 * lists, which have methods of their own.
 */
export type ResponseFacts = {
  readonly [Name in keyof ReplyDetails as NonNullable<ReplyDetails[Name]> extends readonly unknown[]
    ? never
    : Name]?: ReplyDetails[Name] | undefined
}

/** What a decoder writes to. Each method may be called any number of times. */
export interface Sink {
  /** A delta of the reply's text; '' is ignored. */
  text(text: string): void
  /** A delta of visible reasoning; '' is ignored. */
  reasoning(text: string): void
  /** A live view of the text so far. Decoders that need ranges of it should not copy it. */
  written(kind: 'text' | 'reasoning'): WrittenText
  /** Refusal text; it is also shown as text when the reply has no other. */
  refusal(text: string): void
  /**
   * A delta of the call with this key, the wire's index or id. Numeric keys are ordered by number,
   * others by arrival.
   */
  toolCall(key: number | string, piece: ToolCallDelta): void
  /** The call is whole. Calls never ended this way are ended with the turn. */
  endToolCall(key: number | string): void
  /** An image or the like in the reply. */
  part(part: ContentPart): void
  /** A source the model named. */
  citation(citation: Citation): void
  /** A call of a tool that the vendor ran itself. */
  providerToolCall(call: ProviderToolCall): void
  /** Log probabilities of the next tokens, in order. */
  logprobs(tokens: readonly TokenLogprob[]): void
  /**
   * Counts of this turn; a later value of a field replaces the earlier one. Undefined and numbers
   * that are not counts are ignored.
   */
  usage(counts: { readonly [Name in keyof TokenCounts]?: TokenCounts[Name] | undefined }): void
  /**
   * Facts about the response; a later value of a field replaces the earlier one, undefined changes
   * nothing.
   */
  details(facts: ResponseFacts): void
  /** A result of the vendor's content filter or moderation. */
  safety(report: SafetyReport): void
  /** A file that code run by the vendor made. */
  file(file: ProviderFile): void
  /** The model's name as the server gives it. */
  model(name: string): void
  /**
   * Why the turn ended; the reply is whole. Other records, such as the usage, may still follow: if
   * none can, call `terminal` too. `stop` becomes `tool-calls` if the turn has finished calls of
   * the client's tools.
   */
  finish(reason: FinishReason, raw?: string): void
  /**
   * The model continues after a `finish`, for example after code that its vendor ran: the reply is
   * not whole until the next `finish`.
   */
  resume(): void
  /**
   * The API's last mark (`[DONE]`, `message_stop`, `done: true`): the reply is whole and nothing
   * follows, so the connection gets a second to close. The mark alone does not prove that a reply
   * is whole, since gateways write it after a reply that was cut, too. A decoder therefore calls
   * `finish` first, except for a whole body or an API without finish reasons. A stream that ends
   * without `finish` and `terminal` was cut.
   */
  terminal(): void
  /** Opaque JSON kept in the message's `origin.state`; the last value stays. */
  state(state: unknown): void
  /** Something the caller should know that is not a failure. */
  warning(text: string): void
  /** The server reports a failure: ends the turn with the driver's `error`. */
  fail(failure: InBandFailure): never
}

/** Wire records in, sink calls out. Synchronous and pure: no timer, no I/O, no loop over bytes. */
export interface Decoder {
  /** Takes one record of the wire and writes its content to the sink. */
  push(record: WireRecord): void
  /**
   * The wire has ended. Only for work that has to wait for the end; the sink detects cut streams.
   */
  end?(): void
}

/** An exchange that failed on the server's side. */
export interface HttpFailure {
  /** 200 when the failure came inside a response and the vendor gave no status. */
  readonly status: number
  /** Headers of the response. */
  readonly headers: Headers
  /** Parsed JSON of the body, else undefined. */
  readonly body: unknown
  /** The body as text, at most 64 KiB. */
  readonly text: string
  /** True when it came inside a 2xx response. */
  readonly inBand: boolean
}

/** What a provider package supplies; `createProvider` adds everything else. */
export interface Driver<Request = unknown> {
  /** Name of the provider, for errors and `origin`. */
  readonly name: string
  /** Name of the API that requests are written in, for `describeProvider`. */
  readonly api?: string
  /**
   * How a streamed body is framed. A body of type `application/json` is read as one record even if
   * SSE was asked for. `ndjson` skips empty lines. `lines` is text that need not be JSON: every
   * line is a record, and a reply that is not streamed is one record of any text. A format reads
   * binary frames.
   */
  readonly framing: 'sse' | 'ndjson' | 'lines' | FrameFormat
  /**
   * What requests can say beyond most APIs. `cache-hour`: a cache that lives for an hour.
   * `cache-marks`: marks of the cache on parts and tools; `cache-parts`: on parts only. `deferred`:
   * tools that the model searches for. `callers`: tools that code of the model may call. `files`:
   * ids of uploaded files. `clips`: sections of videos. `details`: the resolution of images.
   * `found`: search results. What is not listed is refused, written as text, or reported as a
   * warning of the reply.
   */
  readonly takes?: readonly (
    | 'cache-hour'
    | 'cache-marks'
    | 'cache-parts'
    | 'deferred'
    | 'callers'
    | 'files'
    | 'clips'
    | 'details'
    | 'found'
  )[]
  /**
   * False for a turn whose request cannot have the temperature of `defaults: 'reference'`; a
   * temperature of the caller is sent anyway. Default: true.
   */
  takesTemperature?(turn: Turn): boolean
  /**
   * True for a whole reply that has to be asked for as a stream, for example one that the server
   * writes in the background. Default: false.
   */
  streamsWhole?(options: OptionValues): boolean
  /**
   * Encodes the turn as an HTTP request. Pure.
   * @throws {LlmError} `unsupported`, `invalid-request` — this API cannot express it.
   */
  request(turn: Turn): Request
  /**
   * Sends the request, with `postJson` or with an SDK that calls `io.fetch`. The only method that
   * is not pure. Returns the response as `io.fetch` gave it.
   */
  send(request: Request, io: DriverIo): Promise<Response>
  /** A fresh decoder of one response, streamed or whole. */
  decoder(sink: Sink, turn: Turn): Decoder
  /** Turns a failure into a typed error. Pure. `toProviderError` does the common part. */
  error(failure: HttpFailure): ProviderError
}
