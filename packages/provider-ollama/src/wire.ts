// The JSON of Ollama's own API: only the fields we send or read.
// @see https://docs.ollama.com/openapi.yaml (read 2026-11-21)

/**
 * A message of a request. Beyond the published schema, `tool_name` and `tool_call_id` say which
 * call a result answers.
 */
export interface WireMessage {
  role: 'system' | 'user' | 'assistant' | 'tool'
  content: string
  /** Base64 without a prefix. */
  images?: string[]
  thinking?: string
  tool_calls?: { id: string; function: { name: string; arguments: unknown } }[]
  tool_name?: string
  tool_call_id?: string
}

/** Body of `POST /api/chat`. */
export interface WireRequest {
  model: string
  messages: WireMessage[]
  stream: boolean
  tools?: {
    type: 'function'
    function: { name: string; description: string; parameters: unknown }
  }[]
  /** `json`, or a JSON Schema. */
  format?: unknown
  think?: boolean | 'low' | 'medium' | 'high'
  logprobs?: true
  top_logprobs?: number
  options: Record<string, unknown>
  [vendorField: string]: unknown
}

/**
 * A line of a streamed reply, or a whole reply. Untrusted: any field may be missing or of another
 * type, lists too.
 */
export interface WireReply {
  readonly model?: unknown
  readonly message?: {
    readonly content?: unknown
    readonly thinking?: unknown
    readonly tool_calls?: readonly (WireToolCall | null)[] | null
    readonly images?: readonly unknown[] | null
  } | null
  readonly logprobs?: readonly (WireLogprob | null)[] | null
  readonly done?: unknown
  readonly done_reason?: unknown
  /**
   * The whole prompt, cached tokens included; old versions leave it out when all was cached, or
   * count the rest only.
   */
  readonly prompt_eval_count?: unknown
  /** Part of the prompt read from the cache; since August 2026. */
  readonly prompt_eval_cached_count?: unknown
  readonly eval_count?: unknown
  /** Nanoseconds. */
  readonly total_duration?: unknown
  readonly load_duration?: unknown
  readonly prompt_eval_duration?: unknown
  readonly eval_duration?: unknown
  /** Alone in its line or body: the reply failed, whatever the HTTP status. */
  readonly error?: unknown
}

/** A tool call of a reply, always whole. Old versions send no id. */
export interface WireToolCall {
  readonly id?: unknown
  readonly function?: { readonly name?: unknown; readonly arguments?: unknown } | null
}

/** Probability of one token of a reply. */
export interface WireLogprob {
  readonly token?: unknown
  readonly logprob?: unknown
  readonly top_logprobs?: readonly (WireLogprob | null)[] | null
}

/** Answer of `POST /api/embed`. */
export interface WireEmbeddings {
  readonly embeddings?: unknown
  readonly prompt_eval_count?: unknown
}

/** Answer of `GET /api/tags`. */
export interface WireModels {
  readonly models?: readonly ({
    readonly name?: unknown
    readonly model?: unknown
    readonly size?: unknown
    readonly modified_at?: unknown
    readonly details?: {
      readonly family?: unknown
      readonly parameter_size?: unknown
      readonly quantization_level?: unknown
    } | null
  } | null)[]
}
