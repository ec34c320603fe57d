import { cut, toWellFormed } from './well-formed.js'

/** Longest message, in UTF-16 code units; the rest is cut off. */
export const mostMessageLength: number = 2000

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  try {
    const { message } = (error ?? {}) as { readonly message?: unknown }
    return toWellFormed(
      cut(typeof message === 'string' ? message : String(error), mostMessageLength),
    )
  } catch {
    // Code without types may throw what has no text, or throws when it is asked for it.
    return 'something without a message was thrown'
  }
}
