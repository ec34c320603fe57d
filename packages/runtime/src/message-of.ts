import { cut } from './well-formed.js'

/** Longest that anybody is told. */
export const mostMessageLength: number = 2000

/** The message of anything that was thrown. */
export const messageOf = (error: unknown): string => cut(error instanceof Error ? error.message : String(error), mostMessageLength)
