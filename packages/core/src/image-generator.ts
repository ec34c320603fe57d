import type { MediaBytes, RequestOptions } from './request-options.js'
import type { TokenUsage } from './usage.js'

/** Options of one call of an {@link ImageGenerator}. One that the vendor's API cannot express rejects `unsupported`. */
export interface ImageOptions extends RequestOptions {
  /** How many images. Unset: the vendor's default, which is one. */
  readonly count?: number
  /** Width and height in pixels, for example `1024x1024`. Unset: the vendor decides. */
  readonly size?: string
  /** Width to height, for example `16:9`, for vendors that take no pixels. Unset: the vendor decides. */
  readonly aspectRatio?: string
  /** The vendor's own word for it, for example `high`. Unset: the vendor decides. */
  readonly quality?: string
  /** Whether the background is transparent. Unset: the vendor decides. */
  readonly background?: 'transparent' | 'opaque'
  /** Kind of the files. Unset: the vendor decides. */
  readonly format?: 'png' | 'jpeg' | 'webp'
  /** Images to start from: the prompt says what to change. Unset: a new image. */
  readonly images?: readonly MediaBytes[]
  /** A PNG of the size of the first image; where it is fully transparent, the image is edited. */
  readonly mask?: MediaBytes
}

/** An image that a model made. */
export interface GeneratedImage extends MediaBytes {
  /** The prompt that the vendor used in place of the given one, where it says so. */
  readonly revisedPrompt?: string
}

/** The result of one call of an {@link ImageGenerator}. */
export interface GeneratedImages {
  /** At least one, in the order of the response. */
  readonly images: readonly GeneratedImage[]
  /** What the vendor counted; `reported` is false if it counts no tokens. */
  readonly usage: TokenUsage
}

/** A model that makes images. Separate from {@link Provider}: a capability is never an optional method. */
export interface ImageGenerator {
  /** Name of the provider. */
  readonly name: string
  /** The model that makes the images. */
  readonly model: string
  /**
   * Makes images from a description. Throws like `Provider.complete`; `content-filter` if the vendor filtered every image, `unsupported` for
   * an option that its API cannot express.
   */
  generateImages(prompt: string, options?: ImageOptions): Promise<GeneratedImages>
}
