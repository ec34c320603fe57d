import type { MediaSource } from './content.js'
import type { RequestOptions } from './request-options.js'

/** A file to upload. */
export interface FileUpload {
  /**
   * What it holds, read while it is sent. A stream says its size in bytes; if it is a function it
   * can be read again, for another attempt.
   */
  readonly content:
    | Uint8Array
    | Blob
    | {
        readonly size: number
        readonly stream: AsyncIterable<Uint8Array> | (() => AsyncIterable<Uint8Array>)
      }
  /** Its name at the vendor. */
  readonly name: string
  /** For example `application/pdf`. */
  readonly mediaType: string
  /** Refuses larger content. Default: the most that the vendor takes. */
  readonly maxBytes?: number | undefined
}

/** A file that the vendor keeps: plain JSON. */
export interface StoredFile {
  /** The vendor's id. */
  readonly id: string
  /** The `source` of a part of a message that has this file. */
  readonly source: Extract<MediaSource, { readonly type: 'file' }>
  /** Its name. */
  readonly name: string
  /** Its media type. Unset: the vendor does not say. */
  readonly mediaType?: string
  /** Its size. Unset: the vendor does not say. */
  readonly bytes?: number
  /** When it was uploaded, ISO 8601. */
  readonly createdAt?: string
  /** When the vendor deletes it, ISO 8601. Unset: it stays. */
  readonly expiresAt?: string
}

/**
 * Files at a vendor, for messages that name them. Separate from `Provider`: a capability is never
 * an optional method.
 */
export interface FileStore {
  /** Name of the provider. */
  readonly name: string
  /**
   * Uploads a file; `await using` deletes it at the end of the block. A failure with the `reason`
   * `uncertain` leaves open whether the vendor has it.
   */
  upload(file: FileUpload, options?: RequestOptions): Promise<StoredFile & AsyncDisposable>
  /** Asks for a file. Rejects `not-found` for one that the vendor does not have. */
  get(id: string, options?: RequestOptions): Promise<StoredFile>
  /** The files, page by page as they are read. `vendor` of the options is added to the query. */
  list(options?: RequestOptions): AsyncIterable<StoredFile>
  /**
   * Deletes a file. Rejects `not-found` for one that the vendor does not have, so also the second
   * time.
   */
  delete(id: string, options?: RequestOptions): Promise<void>
}
