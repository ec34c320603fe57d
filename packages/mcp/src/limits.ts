import { LlmError } from '@modelport/core'
import type { McpSettings } from './settings.js'

const mostLength = 10_000_000
const mostParts = 1000

/** Refuses a result that is too large; `what` is the subject of the error. */
export function checkLength(
  parts: readonly unknown[],
  structure: unknown,
  what: string,
  { maxResultLength = mostLength }: Pick<McpSettings, 'maxResultLength'>,
): void {
  if (parts.length > mostParts)
    throw new LlmError('limit-exceeded', `${what} has more than ${mostParts} parts`)
  const { length } = JSON.stringify([parts, structure])
  if (length > maxResultLength)
    throw new LlmError(
      'limit-exceeded',
      `${what} has ${length} characters, and at most ${maxResultLength} are taken`,
    )
}
