/** How long each wait may take, in milliseconds. */
export interface Timeouts {
  /** Opening the connection. Default 10,000 (Node only: elsewhere the platform's). */
  readonly connectMs: number
  /** From sending to the response's headers. Default 120,000 for streams, 600,000 for whole answers. */
  readonly headersMs: number | undefined
  /** Between two reads of the body. Default 60,000. */
  readonly idleMs: number
  /** Between two pieces of the answer; comments and pings do not count. Default 300,000. */
  readonly semanticIdleMs: number
}

/** How much a server may make us hold. Beyond it the call rejects `limit-exceeded`. */
export interface Limits {
  /** One line or event of a stream, in bytes. Default 16 MiB. */
  readonly maxEventBytes: number
  /** One whole body after decompression, and so the text of one round, in bytes. Default 256 MiB. */
  readonly maxBodyBytes: number
  /** Arguments of one tool call, in UTF-16 code units. Default 1 MiB. */
  readonly maxToolArgumentLength: number
  /** Nesting of tool arguments. Default 128. */
  readonly maxToolArgumentDepth: number
}

/** What is kept of an error's body, in bytes. */
export const maxErrorBytes: number = 64 * 1024

/** See {@link Timeouts}. */
export const defaultTimeouts: Timeouts = Object.freeze({
  connectMs: 10_000,
  headersMs: undefined,
  idleMs: 60_000,
  semanticIdleMs: 300_000,
})

/** See {@link Limits}. */
export const defaultLimits: Limits = Object.freeze({
  maxEventBytes: 16 * 1024 * 1024,
  maxBodyBytes: 256 * 1024 * 1024,
  maxToolArgumentLength: 1024 * 1024,
  maxToolArgumentDepth: 128,
})
