import type { CallOptions, ChatMessage, JsonObject, TokenCount } from '@modelport/core'
import {
  type CountDriver,
  countTokens as count,
  postJson,
  requireConfig,
  type Turn,
} from '@modelport/driver'
import { configNames, fieldNames, type GoogleConfig } from './config.js'
import { toGoogleError } from './error.js'
import { providerName } from './model-state.js'
import { createClient } from './provider.js'
import { takes, toRequestBody } from './request.js'
import { traitsOf } from './traits.js'

/**
 * How many input tokens a call would have for the configured model, counted by the vendor:
 * messages, system and tools.
 * @see https://ai.google.dev/api/tokens#method:-models.counttokens (read 2026-11-21)
 * @throws {LlmError} as a call of the provider.
 */
export async function countTokens(
  config: GoogleConfig,
  messages: readonly ChatMessage[],
  ...options: CallOptions[]
): Promise<TokenCount> {
  requireConfig(config, 'countTokens', configNames, fieldNames)
  const { model } = config
  const client = createClient(config)
  const driver: CountDriver<JsonObject> = {
    name: providerName,
    takes,
    request: (turn) => toCounted(turn, config),
    send: async (body, io) => {
      const { url, headers } = await client.request('countTokens', model)
      return postJson(io, url, body, headers)
    },
    countIn: (response) => (response as { readonly totalTokens?: unknown } | null)?.totalTokens,
    error: toGoogleError,
  }
  return { tokens: await count(driver, client.settings, messages, options), source: 'provider' }
}

/**
 * What of a request is counted. The Gemini API counts all but the contents only inside a whole
 * request.
 */
function toCounted(turn: Turn, { traits, vertex }: GoogleConfig): JsonObject {
  const { contents, systemInstruction, tools } = toRequestBody(
    turn,
    traitsOf(turn.model, traits),
    vertex !== undefined,
  )
  const further = { ...(systemInstruction && { systemInstruction }), ...(tools && { tools }) }
  if (vertex !== undefined || !Object.keys(further).length) return { contents, ...further }
  return {
    generateContentRequest: {
      model: `models/${turn.model.slice(turn.model.lastIndexOf('/') + 1)}`,
      contents,
      ...further,
    },
  }
}
