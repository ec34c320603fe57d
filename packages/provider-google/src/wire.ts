/**
 * The JSON of `generateContent` and `streamGenerateContent`, as far as it is read or written here. Every field may be missing:
 * the wire is not trusted.
 * @see https://ai.google.dev/api/generate-content (read 2026-11-21)
 */
export interface WireResponse {
  readonly candidates?: readonly WireCandidate[]
  readonly promptFeedback?: {
    readonly blockReason?: string | number
    readonly blockReasonMessage?: string
    readonly safetyRatings?: readonly unknown[]
  }
  readonly usageMetadata?: WireUsage
  readonly modelVersion?: string
  readonly responseId?: string
  readonly error?: WireStatus
}

/** One reply of a response. */
export interface WireCandidate {
  readonly index?: number
  readonly content?: { readonly role?: string; readonly parts?: readonly WirePart[] }
  /** A name; a number from servers that write protocol buffer enums as they are stored. */
  readonly finishReason?: string | number
  readonly finishMessage?: string
  readonly continuationToken?: string
  readonly logprobsResult?: WireLogprobs
  readonly avgLogprobs?: number
  readonly citationMetadata?: {
    readonly citations?: readonly WireSource[]
    readonly citationSources?: readonly WireSource[]
  }
  readonly groundingMetadata?: WireGrounding
  readonly urlContextMetadata?: unknown
  readonly safetyRatings?: readonly unknown[]
}

/** A piece of content; one of its data fields is set. */
export interface WirePart {
  readonly text?: string
  /** True for the model's thoughts. */
  readonly thought?: boolean
  /** Opaque; must come back in the same place of the same part. */
  readonly thoughtSignature?: string
  readonly inlineData?: { readonly mimeType?: string; readonly data?: string; readonly displayName?: string }
  readonly fileData?: { readonly mimeType?: string; readonly fileUri?: string; readonly displayName?: string }
  /** Which part of a video is meant. */
  readonly videoMetadata?: { readonly startOffset?: string; readonly endOffset?: string; readonly fps?: number }
  readonly functionCall?: WireFunctionCall
  readonly functionResponse?: WireFunctionResponse
  readonly executableCode?: { readonly id?: string }
  readonly codeExecutionResult?: { readonly id?: string }
  /** A call of a tool that the server runs. */
  readonly toolCall?: { readonly id?: string; readonly toolType?: string }
  readonly toolResponse?: { readonly id?: string; readonly toolType?: string }
}

/** A call of a declared function; with `partialArgs` it comes in pieces (Vertex AI only). */
export interface WireFunctionCall {
  readonly id?: string
  readonly name?: string
  readonly args?: unknown
  readonly partialArgs?: readonly WirePartialArg[]
  /** True when more of this call follows. */
  readonly willContinue?: boolean
}

/** A value of an argument, or more of a string one. */
export interface WirePartialArg {
  readonly jsonPath?: string
  readonly stringValue?: string
  readonly numberValue?: number
  readonly boolValue?: boolean
  readonly nullValue?: unknown
}

/** The result of a function call, sent back by its function's name. */
export interface WireFunctionResponse {
  readonly id?: string
  readonly name: string
  readonly response: Readonly<Record<string, unknown>>
  readonly parts?: readonly WirePart[]
}

/** Token counts; in a stream each chunk may have its own, the last ones count. */
export interface WireUsage {
  readonly promptTokenCount?: number
  readonly candidatesTokenCount?: number
  readonly thoughtsTokenCount?: number
  readonly cachedContentTokenCount?: number
  /** Tokens of tool results that the server put into the prompt; not part of `promptTokenCount`. */
  readonly toolUsePromptTokenCount?: number
  readonly totalTokenCount?: number
  readonly promptTokensDetails?: readonly WireModalityCount[]
  readonly toolUsePromptTokensDetails?: readonly WireModalityCount[]
  readonly candidatesTokensDetails?: readonly WireModalityCount[]
  readonly serviceTier?: string
  /** The tier on Vertex AI. */
  readonly trafficType?: string | number
  /** Added by Pydantic's gateway. */
  readonly pydantic_ai_gateway?: { readonly cost_estimate?: number }
}

/** Tokens of one modality. */
export interface WireModalityCount {
  readonly modality?: string | number
  readonly tokenCount?: number
}

/** Chosen tokens, and the likeliest at each position. */
export interface WireLogprobs {
  readonly chosenCandidates?: readonly WireLogprob[]
  readonly topCandidates?: readonly { readonly candidates?: readonly WireLogprob[] }[]
}

/** One token with the logarithm of its probability. */
export interface WireLogprob {
  readonly token?: string
  readonly logProbability?: number
}

/** A range of a part of the reply, in bytes; a start of 0 is left out. */
export interface WireRange {
  readonly startIndex?: number
  readonly endIndex?: number
}

/** A web page, a document or a place. The range is that of the reply. */
export interface WireSource extends WireRange {
  readonly uri?: string
  readonly title?: string
  readonly text?: string
  /** Store and document of a file search. */
  readonly fileSearchStore?: string
  readonly documentName?: string
  readonly pageNumber?: number
  /** A chunk of the Vertex AI RAG Engine. */
  readonly ragChunk?: {
    readonly text?: string
    readonly pageSpan?: { readonly firstPage?: number; readonly lastPage?: number }
  }
}

/** What a reply rests on. */
export interface WireGrounding {
  readonly webSearchQueries?: readonly string[]
  readonly imageSearchQueries?: readonly string[]
  /** Of Vertex AI Search and RAG. */
  readonly retrievalQueries?: readonly string[]
  readonly groundingChunks?: readonly {
    readonly web?: WireSource
    readonly retrievedContext?: WireSource
    readonly maps?: WireSource
    readonly image?: { readonly sourceUri?: string; readonly title?: string }
  }[]
  readonly groundingSupports?: readonly {
    readonly segment?: WireRange & { readonly text?: string }
    readonly groundingChunkIndices?: readonly number[]
  }[]
}

/**
 * A failure.
 * @see https://github.com/googleapis/googleapis/blob/master/google/rpc/status.proto (read 2026-11-21)
 */
export interface WireStatus {
  readonly code?: number
  readonly message?: string
  readonly status?: string
  readonly details?: readonly WireErrorDetail[]
}

/**
 * ErrorInfo, RetryInfo or QuotaFailure, told apart by `@type`.
 * @see https://github.com/googleapis/googleapis/blob/master/google/rpc/error_details.proto (read 2026-11-21)
 */
export interface WireErrorDetail {
  readonly '@type'?: string
  readonly reason?: string
  readonly retryDelay?: string
  readonly violations?: readonly { readonly quotaId?: string; readonly quotaValue?: string }[]
}

/** A message of the conversation on the wire. */
export interface WireContent {
  readonly role: 'user' | 'model'
  readonly parts: readonly WirePart[]
}

/** The body of a request. */
export interface WireRequest {
  readonly contents: readonly WireContent[]
  readonly systemInstruction?: { readonly parts: readonly WirePart[] }
  readonly tools?: readonly unknown[]
  readonly toolConfig?: Readonly<Record<string, unknown>>
  readonly generationConfig: Readonly<Record<string, unknown>>
  readonly continuationToken?: string
  /** Whatever the caller adds by `vendor`. */
  readonly [field: string]: unknown
}
