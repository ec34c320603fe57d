import { configError, isLlmError, LlmError } from '@modelport/core'
import { errorText } from '@modelport/core/text'
import { providerName } from './model-state.js'

/** URL and headers of a request. */
export interface ApiRequest {
  readonly url: string
  /** Lower-case names; the key or the access token is among them. */
  readonly headers: Readonly<Record<string, string>>
}

/** What is asked of a model, and the list of all of them. */
export type ApiMethod =
  | 'generateContent'
  | 'streamGenerateContent'
  | 'countTokens'
  | 'embedContent'
  | 'listModels'

/** How requests are made; each call makes one. `model` is not read for the list. */
export type BuildRequest = (method: ApiMethod, model: string) => Promise<ApiRequest>

/** Maximum models in one page of the list. */
export const pageSize = 1000

/**
 * Checks a model name before it becomes part of a URL.
 * @throws {LlmError} `config` — it has other characters than a name.
 */
export function checkModelName(model: string): void {
  if (!/^(?!.*\.\.)[^\s?&#%\\]+$/.test(model))
    throw configError(
      `${providerName}: ${JSON.stringify(model)} is not a model name; expected one like "gemini-3-flash-preview"`,
    )
}

/** The typed error behind what was thrown, or one that says that no request could be made. */
export function toTypedError(thrown: unknown): LlmError {
  for (let error = thrown; error instanceof Error; error = error.cause)
    if (isLlmError(error)) return error
  const text = errorText(thrown)
  return new LlmError('auth', `google: auth: no request could be made: ${text}`, { cause: thrown })
}
