import {
  type CallOptions,
  type ChatMessage,
  estimateTokens,
  mergeOptions,
  type TokenCount,
  textOf,
  tokensPerMessage,
  validateOptions,
  withoutNulls,
} from '@modelport/core'
import { checkCallOptions } from '../call/start-call.js'
import { type CommonConfig, toDefaultOptions } from '../config/config.js'
import { checkTools } from '../turn/check-fields.js'

/**
 * Estimates the tokens of a prompt, tools included, for providers that cannot count them. Images,
 * audio and files are left out.
 * @throws {LlmError} `config` — an option is out of its range; `invalid-request` — the parameters
 * of a tool are nested too deeply.
 */
export function estimatePrompt(
  { defaults, tokenFactor }: Pick<CommonConfig, 'defaults' | 'tokenFactor'>,
  messages: readonly ChatMessage[],
  options: readonly CallOptions[],
): TokenCount {
  for (const one of options) checkCallOptions('estimate', one)
  const merged = withoutNulls(mergeOptions(toDefaultOptions(defaults), ...options))
  validateOptions(merged)
  const { system, tools = [] } = merged
  checkTools(tools)
  const texts = messages.map((message) => {
    const calls =
      message.role === 'assistant'
        ? (message.toolCalls ?? []).map((call) => call.name + call.argumentsText)
        : []
    return textOf(message.content) + calls.join('')
  })
  if (system !== undefined) texts.push(system)
  let tokens = tools.length ? estimateTokens(JSON.stringify(tools), tokenFactor) : 0
  for (const text of texts) tokens += tokensPerMessage + estimateTokens(text, tokenFactor)
  return { tokens, source: 'estimate' }
}
