import type {
  Blob,
  Candidate,
  FileData,
  FunctionCall,
  GenerateContentResponseUsageMetadata,
  GroundingChunkRetrievedContext,
  VideoMetadata,
} from '@google/genai'

// Types of the SDK, all of whose fields are optional, say what the API documents; types of our own
// say what servers send beyond that.

/**
 * The JSON of `generateContent` and `streamGenerateContent`, as far as it is read or written here.
 * Every field may be missing: the wire is not trusted.
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
export interface WireCandidate
  extends Omit<Candidate, 'content' | 'citationMetadata' | 'finishReason'> {
  readonly content?: { readonly role?: string; readonly parts?: readonly WirePart[] }
  /** A name; a number from servers that write protocol buffer enums as they are stored. */
  readonly finishReason?: string | number
  readonly citationMetadata?: {
    readonly citations?: readonly WireSource[]
    readonly citationSources?: readonly WireSource[]
  }
}

/** A piece of content; one of its data fields is set. */
export interface WirePart {
  readonly text?: string
  /** True for the model's thoughts. */
  readonly thought?: boolean
  /** Opaque; must come back in the same place of the same part. */
  readonly thoughtSignature?: string
  readonly inlineData?: Blob
  readonly fileData?: FileData
  /** Which part of a video is meant. */
  readonly videoMetadata?: VideoMetadata
  readonly functionCall?: WireFunctionCall
  readonly functionResponse?: WireFunctionResponse
  readonly executableCode?: { readonly id?: string }
  readonly codeExecutionResult?: { readonly id?: string }
  /** A call of a tool that the server runs. */
  readonly toolCall?: { readonly id?: string; readonly toolType?: string }
  readonly toolResponse?: { readonly id?: string; readonly toolType?: string }
}

/** A call of a declared function; with `partialArgs` it comes in pieces (Vertex AI only). */
export interface WireFunctionCall extends Omit<FunctionCall, 'args'> {
  readonly args?: unknown
}

/** The result of a function call, sent back by its function's name. */
export interface WireFunctionResponse {
  readonly id?: string
  readonly name: string
  readonly response: Readonly<Record<string, unknown>>
  readonly parts?: readonly WirePart[]
}

/** Token counts; in a stream each chunk may have its own, the last ones count. */
export interface WireUsage extends GenerateContentResponseUsageMetadata {
  readonly serviceTier?: string
  /** Added by Pydantic's gateway. */
  readonly pydantic_ai_gateway?: { readonly cost_estimate?: number }
}

/** Tokens of one modality. */
export interface WireModalityCount {
  readonly modality?: string | number
  readonly tokenCount?: number
}

/** A range of a part of the reply, in bytes; a start of 0 is left out. */
export interface WireRange {
  readonly startIndex?: number
  readonly endIndex?: number
}

/** A web page, a document or a place, with the range of the reply that cites it. */
export type WireSource = GroundingChunkRetrievedContext & WireRange

/**
 * A failure.
 * @see https://github.com/googleapis/googleapis/blob/master/google/rpc/status.proto (read
 * 2026-11-21)
 */
export interface WireStatus {
  readonly code?: number
  readonly message?: string
  readonly status?: string
  readonly details?: readonly WireErrorDetail[]
}

/**
 * ErrorInfo, RetryInfo or QuotaFailure, told apart by `@type`.
 * @see https://github.com/googleapis/googleapis/blob/master/google/rpc/error_details.proto (read
 * 2026-11-21)
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
  readonly generationConfig?: Readonly<Record<string, unknown>>
  readonly continuationToken?: string
  /** Whatever the caller adds by `vendor`. */
  readonly [field: string]: unknown
}
