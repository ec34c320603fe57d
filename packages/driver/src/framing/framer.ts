/** Parses the bytes of a body into records: synchronous, split-safe, bounded. */
export interface Framer {
  push(chunk: Uint8Array): void
  /** Flushes what is left at the end of the body. */
  end(): void
  /**
   * True if `end` found that the body stops inside a record: an unreadable record is then cut, not
   * malformed.
   */
  readonly cut: boolean
}
