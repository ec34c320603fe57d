import type { CallOptions, ChatMessage, TokenCount } from '@modelport/core'
import { type CountDriver, countTokens as count, postJson, requireConfig } from '@modelport/driver'
import { ownRequest, toConnection } from './connection.js'
import { providerName, toAnthropicError } from './error.js'
import { type AnthropicConfig, configNames, fieldNames, toRules, toSettings } from './provider.js'
import { type AnthropicRequest, takes, toRequest } from './request.js'
import { postToVertex } from './vertex.js'

/** What the endpoint for counting takes of a request. */
const counted = ['model', 'messages', 'system', 'tools', 'tool_choice', 'thinking', 'output_config']

/**
 * How many input tokens a call would have, as the API counts them: system, tools and format
 * included. Nothing is generated. Throws like `Provider.complete`.
 * @see https://platform.claude.com/docs/en/build-with-claude/token-counting (read 2026-11-21)
 */
export async function countTokens(
  config: AnthropicConfig,
  messages: readonly ChatMessage[],
  ...options: CallOptions[]
): Promise<TokenCount> {
  requireConfig(config, 'countTokens', configNames, fieldNames)
  const connection = toConnection(config)
  const rules = toRules(config)
  const driver: CountDriver<AnthropicRequest> = {
    name: providerName,
    takes,
    request: (turn) => toRequest(turn, rules),
    send: async (request, io) => {
      const countedFields = Object.fromEntries(
        Object.entries(request.body).filter(([field]) => counted.includes(field)),
      )
      if (connection.cloud === 'vertex') return postToVertex(io, connection, request, countedFields)
      const path = '/v1/messages/count_tokens'
      const { url, headers } = await ownRequest(connection, path, request.betas)
      return postJson(io, url, countedFields, headers)
    },
    countIn: (response) => (response as { readonly input_tokens?: unknown } | null)?.input_tokens,
    error: toAnthropicError,
  }
  return {
    tokens: await count(driver, toSettings(config, connection), messages, options),
    source: 'provider',
  }
}
