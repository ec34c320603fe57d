/**
 * JSON of the Responses API, only what is read. All of it is the server's word: every field may be
 * missing.
 * @see https://developers.openai.com/api/reference/resources/responses (read 2026-11-21)
 */
export interface WireResponse {
  readonly object?: string
  readonly id?: unknown
  readonly service_tier?: unknown
  /** Azure's filter results. */
  readonly content_filters?: unknown
  readonly moderation?: unknown
  readonly tool_usage?: unknown
  readonly status?: string
  readonly model?: string
  readonly output?: readonly WireItem[] | null
  readonly incomplete_details?: { readonly reason?: string } | null
  readonly error?: unknown
  /** Read by `toCounts`. */
  readonly usage?: unknown
}

/** One item of a reply: a message, reasoning, a call, or the work of a tool the vendor runs. */
export interface WireItem {
  readonly type?: string
  readonly id?: string
  readonly call_id?: string
  /** `assistant` for a message. */
  readonly role?: string
  /** `incomplete` for the item that a limit cut. */
  readonly status?: string
  readonly name?: string
  /** Arguments of a `function_call`. */
  readonly arguments?: string
  /** Input of a `custom_tool_call`. */
  readonly input?: string
  readonly content?: readonly WirePart[] | null
  readonly summary?: readonly WirePart[] | null
  readonly encrypted_content?: string | null
  readonly phase?: string | null
  /** Who runs a `tool_search_call`. */
  readonly execution?: string
  /** Base64 of an `image_generation_call`. */
  readonly result?: unknown
  readonly output_format?: string
}

/** One part of a message or of reasoning. */
export interface WirePart {
  readonly type?: string
  readonly text?: string
  readonly refusal?: string
  /** What `output_audio` says. */
  readonly transcript?: string
  readonly annotations?: readonly WireAnnotation[] | null
  readonly logprobs?: readonly WireLogprob[] | null
}

/**
 * Where a statement comes from: `url_citation`, `file_citation`, `container_file_citation`,
 * `file_path`.
 */
export interface WireAnnotation {
  readonly type?: string
  readonly url?: string
  readonly title?: string
  readonly filename?: string
  readonly file_id?: string
  readonly container_id?: string
  readonly start_index?: number
  readonly end_index?: number
}

/** One token with its probability. */
export interface WireLogprob {
  readonly token?: string
  readonly logprob?: number
  readonly top_logprobs?: readonly WireLogprob[] | null
}

/** One event of a stream; also a whole reply, or an error in place of one. */
export interface WireEvent extends WireResponse {
  readonly type?: string
  readonly response?: WireResponse
  /** Position of the item; some servers give only `item_id`. */
  readonly output_index?: number
  readonly item_id?: string
  readonly content_index?: number
  readonly summary_index?: number
  readonly item?: WireItem
  readonly part?: WirePart
  readonly delta?: string
  readonly text?: string
  readonly refusal?: string
  readonly arguments?: string
  readonly input?: string
  readonly annotation?: WireAnnotation
  readonly logprobs?: readonly WireLogprob[] | null
  /** Only in a reply of Chat Completions. */
  readonly choices?: unknown
}

/** An error as the API words it, alone or under `error`. */
export interface WireError {
  readonly error?: unknown
  readonly message?: unknown
  readonly code?: unknown
  /** Azure's own reason. */
  readonly innererror?: unknown
}

/** Answer of `GET /models`. */
export interface WireModels {
  readonly data?: readonly {
    readonly id?: unknown
    readonly created?: unknown
    readonly owned_by?: unknown
  }[]
}

/** Answer of `POST /responses/input_tokens`. */
export interface WireTokenCount {
  readonly input_tokens?: number
}
