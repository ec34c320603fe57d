import type { CallOptions, ChatMessage, TokenCount } from '@modelport/core'
import { estimatePrompt } from '@modelport/driver'
import type { OllamaConfig } from './provider.js'

/**
 * About how many tokens the prompt of a call would have, tools included: an estimate, since Ollama
 * has no endpoint that counts without answering. It leaves out images and opens no connection.
 * @see https://docs.ollama.com/api (read 2026-11-21)
 * @throws {LlmError} `config` — an option is out of its range.
 */
export function countTokens(
  config: Pick<OllamaConfig, 'defaults' | 'tokenFactor'>,
  messages: readonly ChatMessage[],
  ...options: CallOptions[]
): Promise<TokenCount> {
  return Promise.resolve().then(() => estimatePrompt(config, messages, options))
}
