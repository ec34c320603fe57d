import { errorText } from '@modelport/core/text'
import { cut, toWellFormed } from './well-formed.js'

/** Longest message, in UTF-16 code units; the rest is cut off. */
export const mostMessageLength: number = 2000

/** The message of anything that was thrown, cut and well-formed: models and stores get it. */
export function messageOf(error: unknown): string {
  return toWellFormed(cut(errorText(error), mostMessageLength))
}
