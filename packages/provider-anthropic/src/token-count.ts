import { type CallOptions, type ChatMessage, LlmError, mergeOptions, type TokenCount, validateOptions } from '@modelport/core'
import { providerName } from './error.js'
import { jsonEndpoint } from './json-endpoint.js'
import { type AnthropicConfig, toRules } from './provider.js'
import { toRequest } from './request.js'

/** What the endpoint for counting takes of a request. */
const counted = ['model', 'messages', 'system', 'tools', 'tool_choice', 'thinking', 'output_config']

/**
 * How many input tokens a call would have, as the API counts them: system, tools and format included. Nothing is generated.
 * Throws like `Provider.complete`.
 * @see https://platform.claude.com/docs/en/build-with-claude/token-counting (read 2026-11-21)
 */
export async function countTokens(config: AnthropicConfig, messages: readonly ChatMessage[], ...options: CallOptions[]): Promise<TokenCount> {
  const { client, url, headers } = jsonEndpoint(config)
  const merged = mergeOptions(config.defaults, ...options)
  validateOptions(merged)
  const { system, signal, deadlineMs } = merged
  const turn = {
    model: config.model,
    messages: system === undefined ? messages : [{ role: 'system' as const, content: system }, ...messages],
    tools: merged.tools ?? [],
    options: { ...merged, maxTokens: merged.maxTokens ?? 1_000_000 },
    defaultTemperature: undefined,
    stream: false,
  }
  const { body, betas } = toRequest(turn, toRules(config))
  const answer = await client.request<{ readonly input_tokens?: unknown } | null>(
    {
      url: `${url}/v1/messages/count_tokens`,
      body: Object.fromEntries(Object.entries(body).filter(([field]) => counted.includes(field))),
      headers: { ...headers, ...(betas.length && { 'anthropic-beta': betas.join(',') }) },
    },
    { ...(signal && { signal }), ...(deadlineMs !== undefined && { deadlineMs }) },
  )
  const tokens = answer?.input_tokens
  if (typeof tokens !== 'number') throw new LlmError('protocol', `${providerName}: protocol: the answer has no count of tokens`)
  return { tokens, source: 'provider' }
}
