import type { MediaBytes, RequestOptions } from './request-options.js'
import type { TokenUsage } from './usage.js'

/** Options of one call of a {@link Transcriber}. One that the vendor's API cannot express rejects `unsupported`. */
export interface TranscriptionOptions extends RequestOptions {
  /** Language of the speech in ISO 639-1, for example `en`. Unset: the model detects it. */
  readonly language?: string
  /** Text that guides the model: names, spellings, what came before. */
  readonly prompt?: string
  /** Randomness, 0 to 1. Unset: the vendor decides. */
  readonly temperature?: number
  /** Asks for times of segments, or of words, for models that have them. */
  readonly timestamps?: 'segment' | 'word'
}

/** A stretch of a transcript. */
export interface TranscriptSpan {
  /** What was said. */
  readonly text: string
  /** Seconds from the start of the recording. */
  readonly start: number
  /** Seconds from the start of the recording. */
  readonly end: number
}

/** What was said in a recording. Fields are unset where the vendor says nothing. */
export interface Transcription {
  /** All of it. */
  readonly text: string
  /** The language, as the vendor writes it. */
  readonly language?: string
  /** Length of the recording. */
  readonly durationSeconds?: number
  /** With `timestamps: 'segment'`. */
  readonly segments?: readonly TranscriptSpan[]
  /** With `timestamps: 'word'`. */
  readonly words?: readonly TranscriptSpan[]
  /** What the vendor counted; `reported` is false if it counts no tokens. */
  readonly usage: TokenUsage
}

/** A model that writes down what it hears. Separate from {@link Provider}: a capability is never an optional method. */
export interface Transcriber {
  /** Name of the provider. */
  readonly name: string
  /** The model that listens. */
  readonly model: string
  /**
   * Transcribes a recording. Throws like `Provider.complete`; `unsupported` for a kind of file, or an option, that the vendor's API
   * does not take.
   */
  transcribe(audio: MediaBytes, options?: TranscriptionOptions): Promise<Transcription>
}
