import { LlmError } from '@modelport/core'

/**
 * Parses JSON from the wire. The one place where its shape is taken on trust: make every field of
 * `T` optional or unknown.
 * @throws {LlmError} `protocol` — it is not JSON; the message shows its first 100 characters.
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the wire type
export function parseJson<T>(text: string): T {
  try {
    return JSON.parse(text) as T
  } catch {
    throw new LlmError('protocol', `not JSON: ${JSON.stringify(text.slice(0, 100))}`)
  }
}
