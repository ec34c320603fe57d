import { isLlmError } from '@modelport/core'
import { causesOf, statusOf } from './errors.js'

/** How long to wait before a further attempt, in milliseconds. */
const waitsMs = [500, 1500]

/** Codes of failures that the same request has again: the host has no such name or certificate. */
const lasting = /ENOTFOUND|CERT|TLS|SSL/

/**
 * Asks a server over HTTP up to three times, if it cannot be reached or fails. Only for questions
 * that change nothing.
 *
 * @param mayContinue asked before each further attempt
 */
export async function askAgain<T>(ask: () => Promise<T>, mayContinue: () => boolean): Promise<T> {
  for (const waitMs of waitsMs) {
    try {
      return await ask()
    } catch (error) {
      if (!isAway(error)) throw error
      await new Promise((resolve) => setTimeout(resolve, waitMs))
      if (!mayContinue()) throw error
    }
  }
  return ask()
}

/** True if a server that failed so may answer soon. */
function isAway(error: unknown): boolean {
  const status = statusOf(error)
  if (status !== undefined) return status === 429 || status >= 500
  const causes = [...causesOf(error)]
  return (
    causes.some((one) => one instanceof TypeError) &&
    !causes.some((one) => isLlmError(one) || lasting.test(String((one as { code?: unknown }).code)))
  )
}
