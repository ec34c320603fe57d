import type { MediaBytes, RequestOptions } from './request-options.js'
import type { TokenUsage } from './usage.js'

/** Options of one call of a {@link SpeechGenerator}. One that the vendor's API cannot express rejects `unsupported`. */
export interface SpeechOptions extends RequestOptions {
  /** The vendor's name of the voice. Default: that of the generator's configuration. */
  readonly voice?: string
  /** Kind of the file; `pcm` is samples without a header. Unset: the vendor decides. */
  readonly format?: 'mp3' | 'opus' | 'aac' | 'flac' | 'wav' | 'pcm'
  /** 1 is the voice's own speed, 2 is twice as fast. Unset: the vendor decides. */
  readonly speed?: number
  /** How to speak, in words, for models that take it. */
  readonly instructions?: string
}

/** Spoken text. */
export interface Speech extends MediaBytes {
  /** What the vendor counted; `reported` is false if it counts no tokens. */
  readonly usage: TokenUsage
}

/** A model that speaks. Separate from {@link Provider}: a capability is never an optional method. */
export interface SpeechGenerator {
  /** Name of the provider. */
  readonly name: string
  /** The model that speaks. */
  readonly model: string
  /** Speaks a text. Throws like `Provider.complete`; `unsupported` for an option that the vendor's API cannot express. */
  speak(text: string, options?: SpeechOptions): Promise<Speech>
}
