import type { CallOptions, ChatMessage, TokenCount } from '@modelport/core'
import { type CountDriver, countTokens as count, requireConfig } from '@modelport/driver'
import { type BedrockConfig, configNames, fieldNames, modelPath } from './config.js'
import { providerName, toBedrockError } from './error.js'
import { createClient } from './provider.js'
import { takesOf, toRequest } from './request.js'
import { traitsOf } from './traits.js'
import type { WireRequest } from './wire.js'

/**
 * How many input tokens a call would have, as the API counts them: system and tools included. Nothing is generated. Some models have no
 * count, and an inference profile has none: name the model itself. Throws like `Provider.complete`.
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_CountTokens.html (as in @aws-sdk/client-bedrock-runtime 3.1164.0, read 2026-11-27)
 */
export async function countTokens(
  config: BedrockConfig,
  messages: readonly ChatMessage[],
  ...options: CallOptions[]
): Promise<TokenCount> {
  requireConfig(config, 'countTokens', configNames, fieldNames)
  const { settings, post } = createClient(config)
  const driver: CountDriver<WireRequest> = {
    name: providerName,
    takes: takesOf(traitsOf(config.model, config.traits)),
    request: (turn) => toRequest(turn, config.traits),
    send: ({ messages: said, system, toolConfig, additionalModelRequestFields }, io) => {
      const converse = { messages: said, system, toolConfig, additionalModelRequestFields }
      return post(io, modelPath(config.model, 'count-tokens'), { input: { converse } })
    },
    countIn: (response) => (response as { readonly inputTokens?: unknown } | null)?.inputTokens,
    error: toBedrockError,
  }
  return { tokens: await count(driver, settings, messages, options), source: 'provider' }
}
