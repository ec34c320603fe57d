import type { CallOptions, ChatMessage, JsonObject, TokenCount } from '@modelport/core'
import { type CountDriver, countTokens as count, requireConfig } from '@modelport/driver'
import { configNames, fieldNames, type OpenAIConfig } from './config.js'
import { connect, responsesDriver } from './provider.js'
import type { WireTokenCount } from './wire.js'

/** What the endpoint takes of a request. */
const counted = [
  'model',
  'instructions',
  'input',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'reasoning',
  'text',
  'truncation',
  'conversation',
  'previous_response_id',
]

/**
 * How many input tokens a call of the Responses API would have, counted by the server: system,
 * messages, tools and format included. Throws like a call of the provider.
 * @see https://developers.openai.com/api/reference/resources/responses/subresources/input_tokens
 * (read 2026-11-21)
 */
export async function countTokens(
  config: OpenAIConfig,
  messages: readonly ChatMessage[],
  ...options: CallOptions[]
): Promise<TokenCount> {
  requireConfig(config, 'countTokens', configNames, fieldNames)
  const connection = connect({ ...config, api: 'responses' })
  const base = responsesDriver(config, connection, '/responses/input_tokens')
  const driver: CountDriver<JsonObject> = {
    ...base,
    request: (turn) =>
      Object.fromEntries(
        Object.entries(base.request(turn)).filter(([field]) => counted.includes(field)),
      ),
    countIn: (response) => (response as WireTokenCount | null)?.input_tokens,
  }
  return { tokens: await count(driver, connection.settings, messages, options), source: 'provider' }
}
