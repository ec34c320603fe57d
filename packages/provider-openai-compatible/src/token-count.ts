import { type ChatRequestBody, toChatError, toChatRequest } from '@modelport/chat-completions'
import { type CallOptions, type ChatMessage, LlmError, mergeOptions, parseBaseUrl, type TokenCount, validateOptions } from '@modelport/core'
import { createJsonClient, estimatePrompt, type JsonCallOptions, type JsonClient } from '@modelport/driver'
import { authorization, type OpenAICompatibleConfig, toDialect, toSettings } from './provider.js'

/**
 * How many tokens the prompt of a call would have, tools included: by the server's own tokenizer where `quirks.tokenizer` names one,
 * else an estimate, which leaves out images, audio and files. Throws like a call of the provider.
 * @see https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md (read 2026-11-21)
 * @see https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html (read 2026-11-21)
 */
export async function countTokens(config: OpenAICompatibleConfig, messages: readonly ChatMessage[], ...options: CallOptions[]): Promise<TokenCount> {
  const merged = mergeOptions(config.defaults, ...options)
  validateOptions(merged)
  const tokenizer = config.quirks?.tokenizer
  if (tokenizer === undefined) return estimatePrompt(messages, merged, config.tokenFactor)
  const { signal, deadlineMs } = merged
  const call = { ...(signal && { signal }), ...(deadlineMs !== undefined && { deadlineMs }) }
  const body = toBody(config, messages, merged)
  const ask = asker(config, call)
  const tokens = tokenizer === 'vllm' ? await askVllm(ask, body) : await askLlamaServer(ask, body)
  if (typeof tokens === 'number') return { tokens, source: 'tokenizer' }
  throw new LlmError('protocol', `${config.name ?? 'openai-compatible'}: protocol: the server's tokenizer gave no count`)
}

type Ask = <T>(path: string, body: unknown) => Promise<T | null>

/** These endpoints stand beside `/v1`, not under it. */
function asker(config: OpenAICompatibleConfig, call: JsonCallOptions): Ask {
  const name = config.name ?? 'openai-compatible'
  const client: JsonClient = createJsonClient(name, (failure) => toChatError(name, failure), toSettings(config))
  const root = parseBaseUrl(config.baseUrl).href.replace(/(\/v\d+)?(\/chat\/completions)?$/, '')
  const headers = authorization(config)
  return (path, body) => client.request({ url: root + path, body, headers }, call)
}

async function askVllm(ask: Ask, { model, messages, tools }: ChatRequestBody): Promise<unknown> {
  const answer = await ask<{ readonly count?: unknown }>('/tokenize', { model, messages, tools, add_generation_prompt: true })
  return answer?.count
}

/** The template makes one text of the conversation, as it does for an answer. */
async function askLlamaServer(ask: Ask, { messages, tools, tool_choice }: ChatRequestBody): Promise<unknown> {
  const applied = await ask<{ readonly prompt?: unknown }>('/apply-template', { messages, tools, tool_choice })
  const answer = await ask<{ readonly tokens?: readonly unknown[] }>('/tokenize', { content: applied?.prompt, add_special: true, parse_special: true })
  return Array.isArray(answer?.tokens) ? answer.tokens.length : undefined
}

function toBody(config: OpenAICompatibleConfig, messages: readonly ChatMessage[], options: CallOptions): ChatRequestBody {
  const { system, tools = [] } = options
  const all = system === undefined ? messages : [{ role: 'system' as const, content: system }, ...messages]
  const turn = { model: config.model, messages: all, tools, options: { ...options, maxTokens: options.maxTokens ?? 1 }, defaultTemperature: undefined, stream: false }
  return toChatRequest(turn, toDialect(config))
}
