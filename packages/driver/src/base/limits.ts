/** How long each wait may take, in milliseconds. */
export interface Timeouts {
  /** Opening the connection. Default 10,000 (Node only: elsewhere the platform's). */
  readonly connectMs: number
  /**
   * From sending to the response's headers. Default 120,000 for streams, 600,000 for whole replies.
   */
  readonly headersMs: number | undefined
  /** Between two reads of the body. Default 60,000. */
  readonly idleMs: number
  /**
   * Between two deltas of the reply; comments and pings do not count. A body that is not streamed
   * has to arrive within it. Default 300,000.
   */
  readonly semanticIdleMs: number
}

/** How much a server can make this process hold. Beyond it the call rejects `limit-exceeded`. */
export interface ResponseLimits {
  /** One line or event of a stream, in bytes. Default 16 MiB. */
  readonly maxEventBytes: number
  /** One whole body after decompression, and so the text of one turn, in bytes. Default 256 MiB. */
  readonly maxBodyBytes: number
  /**
   * Values in one record or whole body of JSON; an object or a list counts as four, for the memory
   * that it takes. Default 8 Mi, which 2,048 vectors of 4,000 dimensions stay below.
   */
  readonly maxJsonValues: number
  /** Tool calls of one turn. Default 1,024. */
  readonly maxToolCalls: number
  /** Arguments of one tool call, in UTF-16 code units. Default 1 MiB. */
  readonly maxToolArgumentLength: number
  /** Nesting of tool arguments. Default 128. */
  readonly maxToolArgumentDepth: number
}

/** Maximum bytes of an error's body that are kept. */
export const maxErrorBytes: number = 64 * 1024

/**
 * How long the body of a failed response is waited for, in milliseconds: the status says enough.
 */
export const errorBodyMs = 5_000

/**
 * How long a connection may stay open after the API's last mark, in milliseconds, before the reply
 * counts as ended.
 */
export const graceMs = 1_000

/** See {@link Timeouts}. */
export const defaultTimeouts: Timeouts = Object.freeze({
  connectMs: 10_000,
  headersMs: undefined,
  idleMs: 60_000,
  semanticIdleMs: 300_000,
})

/** See {@link ResponseLimits}. */
export const defaultLimits: ResponseLimits = Object.freeze({
  maxEventBytes: 16 * 1024 * 1024,
  maxBodyBytes: 256 * 1024 * 1024,
  maxJsonValues: 8 * 1024 * 1024,
  maxToolCalls: 1024,
  maxToolArgumentLength: 1024 * 1024,
  maxToolArgumentDepth: 128,
})
