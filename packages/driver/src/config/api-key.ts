import { configError } from '@modelport/core'

/**
 * Checks a key before any SDK sees it: outer white space is dropped, the rest must be visible
 * ASCII.
 * @throws {LlmError} `config` — names the position of the invalid character, never the key.
 */
export function checkApiKey(key: string, provider: string): string {
  const trimmed = typeof key === 'string' ? key.trim() : ''
  const position = trimmed.search(/[^\x21-\x7e]/)
  if (position >= 0) {
    throw configError(
      `${provider}: the API key has an invalid character at position ${position}: a key is visible ASCII without spaces`,
    )
  }
  if (!trimmed || trimmed.length > 4096) {
    const problem = trimmed
      ? 'longer than 4096 characters'
      : 'empty: pass it as apiKey; only newProvider reads it from a variable'
    throw configError(`${provider}: the API key is ${problem}`)
  }
  return trimmed
}
