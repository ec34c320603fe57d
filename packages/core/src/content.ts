import { toBase64 } from './base64.js'

/** The fields that every part of a content may have. */
export interface ContentFields {
  /**
   * Marks the end of a start of the prompt that the vendor's cache may keep: `auto` for the usual
   * time, `hour` for an hour. A warning where no request can say it.
   */
  readonly cache?: 'auto' | 'hour'
  /**
   * The vendor's own fields of the part, merged into its object in the request as
   * `CallOptions.vendor` is into the body. Refused if the API has no such object.
   */
  readonly vendor?: Readonly<Record<string, unknown>>
}

/** Where the bytes of an image, an audio clip or a file are. */
export type MediaSource =
  | {
      readonly type: 'base64'
      /** The bytes in base64, without a `data:` prefix. */
      readonly data: string
      /** Media type, for example `image/png`. */
      readonly mediaType: string
    }
  | {
      readonly type: 'url'
      /** An `https:` or `http:` address. The vendor's server fetches it; modelport never does. */
      readonly url: string
      /** Media type when it is known; some vendors need it. */
      readonly mediaType?: string
    }
  | {
      readonly type: 'file'
      /** The vendor's id of a file that was uploaded to it. */
      readonly id: string
      /** Name of the provider that has the file; every other refuses it. */
      readonly origin: string
      /** Media type when it is known. */
      readonly mediaType?: string
    }

/** Plain text. */
export interface TextPart extends ContentFields {
  readonly type: 'text'
  /** The text itself. */
  readonly text: string
  /**
   * Where the text was found, for a search result: a vendor that cites its sources then cites it.
   * Elsewhere it stands above the text.
   */
  readonly found?: { readonly url: string; readonly title?: string }
}

/** A picture. */
export interface ImagePart extends ContentFields {
  readonly type: 'image'
  /** Where its bytes are. */
  readonly source: MediaSource
  /** How closely the model should look, for vendors that take it. Unset: the vendor decides. */
  readonly detail?: 'low' | 'high' | 'auto'
}

/** A sound clip. */
export interface AudioPart extends ContentFields {
  readonly type: 'audio'
  /** Where its bytes are. */
  readonly source: MediaSource
}

/** A document, for example a PDF. */
export interface FilePart extends ContentFields {
  readonly type: 'file'
  /** Where its bytes are. */
  readonly source: MediaSource
  /** File name shown to the model. */
  readonly name?: string
  /**
   * Which part of a video the model sees, in seconds, and how many frames of a second. Refused
   * where no request can say it.
   */
  readonly clip?: { readonly start?: number; readonly end?: number; readonly fps?: number }
}

/** One piece of a message's content. */
export type ContentPart = TextPart | ImagePart | AudioPart | FilePart

/** What a message holds: plain text, or parts in order. */
export type Content = string | readonly ContentPart[]

/**
 * Makes a media source from bytes with their media type, from a `data:` URI, or from an `http(s):`
 * address. No file is read and nothing is fetched.
 * @throws {TypeError} the input is something else, or the `data:` URI is not base64 with a media
 * type.
 */
export function toMediaSource(input: string | Uint8Array, mediaType?: string): MediaSource {
  if (typeof input !== 'string') {
    if (!mediaType) throw new TypeError('bytes need a media type, like "image/png"')
    return { type: 'base64', data: toBase64(input), mediaType }
  }
  if (/^https?:\/\//i.test(input))
    return { type: 'url', url: input, ...(mediaType && { mediaType }) }
  const comma = input.indexOf(',')
  const header = /^data:([^;,]+)(?:;[^;,]+)*;base64$/i.exec(input.slice(0, Math.max(comma, 0)))
  if (!header) throw new TypeError('expected bytes, a base64 "data:" URI or an http(s) address')
  return {
    type: 'base64',
    data: input.slice(comma + 1),
    mediaType: mediaType ?? (header[1] as string),
  }
}

/** Makes an image part; the input is as in {@link toMediaSource}. */
export const toImagePart = (input: string | Uint8Array, mediaType?: string): ImagePart => ({
  type: 'image',
  source: toMediaSource(input, mediaType),
})

/** The text of a content: its text parts, concatenated. Other parts are left out. */
export function textOf(content: Content): string {
  if (typeof content === 'string') return content
  let text = ''
  for (const part of content) if (part.type === 'text') text += part.text
  return text
}
