import { type CallOptions, type ChatMessage, LlmError, mergeOptions, type TokenCount, validateOptions } from '@modelport/core'
import { createJsonClient } from '@modelport/driver'
import type { GoogleConfig } from './config.js'
import { toGoogleError } from './error.js'
import { toConversation } from './messages.js'
import { factsOf } from './model-facts.js'
import { providerName } from './model-state.js'
import { createClient } from './provider.js'
import { throughSdk } from './sdk.js'
import { toTools } from './tools.js'

/**
 * How many input tokens a call would have for the configured model, counted by the vendor: messages, system and tools.
 * @see https://ai.google.dev/api/tokens#method:-models.counttokens (read 2026-11-21)
 * @throws {LlmError} as a call of the provider.
 */
export async function countTokens(config: GoogleConfig, messages: readonly ChatMessage[], ...options: CallOptions[]): Promise<TokenCount> {
  const { model, models, vertex, defaults } = config
  const merged = mergeOptions(defaults, ...options)
  validateOptions(merged)
  const client = createClient(config)
  const json = createJsonClient(providerName, toGoogleError, client.settings)
  const { url, headers } = await throughSdk(
    (httpOptions) => client.sdk.models.countTokens({ model, contents: '-', config: { httpOptions } }),
    (request) => Promise.resolve(request),
  )
  client.seen({ url, headers })
  const { signal, deadlineMs } = merged
  const counted = toCounted(model, messages, merged, models)
  // The Gemini API counts all but the contents only inside a whole request.
  const plain = vertex !== undefined || Object.keys(counted).length === 1
  const body = plain ? counted : { generateContentRequest: { model: `models/${model.slice(model.lastIndexOf('/') + 1)}`, ...counted } }
  const answer = await json.request<{ readonly totalTokens?: unknown } | null>(
    { url, headers, body },
    { ...(signal && { signal }), ...(deadlineMs !== undefined && { deadlineMs }) },
  )
  const tokens = answer?.totalTokens
  if (typeof tokens !== 'number') throw new LlmError('protocol', `${providerName}: protocol: the answer has no count of tokens`)
  return { tokens, source: 'provider' }
}

/** What of a request is counted. */
function toCounted(model: string, messages: readonly ChatMessage[], options: CallOptions, models: GoogleConfig['models']): object {
  const { system, tools: own = [], maxTokens = 1 } = options
  const facts = factsOf(model, models)
  const all = system === undefined ? messages : [{ role: 'system' as const, content: system }, ...messages]
  const turn = { model, messages: all, tools: own, options: { ...options, maxTokens }, defaultTemperature: undefined, stream: false }
  const { contents, systemInstruction } = toConversation(all, facts)
  const { tools } = toTools(turn, facts)
  return { contents, ...(systemInstruction && { systemInstruction }), ...(tools && { tools }) }
}
