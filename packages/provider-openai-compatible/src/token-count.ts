import type { ChatQuirks } from '@modelport/catalog'
import { type ChatRequestBody, toChatError, toChatRequest } from '@modelport/chat-completions'
import { type CallOptions, type ChatMessage, parseBaseUrl, type TokenCount } from '@modelport/core'
import {
  type CountDriver,
  countTokens as count,
  createEndpointClient,
  estimatePrompt,
  postJson,
  requireConfig,
} from '@modelport/driver'
import { configNames, fieldNames, type OpenAICompatibleConfig, toDialect } from './config.js'
import { authorization, toSettings } from './provider.js'

type Tokenizer = Pick<CountDriver<ChatRequestBody>, 'send' | 'countIn'>

/**
 * How many tokens the prompt of a call would have, tools included: by the server's own tokenizer
 * where `quirks.tokenizer` names one, else an estimate, which leaves out images, audio and files.
 * Throws like a call of the provider.
 * @see https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md (read 2026-11-21)
 * @see https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html (read 2026-11-21)
 */
export async function countTokens(
  config: OpenAICompatibleConfig,
  messages: readonly ChatMessage[],
  ...options: CallOptions[]
): Promise<TokenCount> {
  requireConfig(config, 'countTokens', configNames, fieldNames)
  const { name = 'openai-compatible', quirks } = config
  if (quirks?.tokenizer === undefined) return estimatePrompt(config, messages, options)
  const dialect = toDialect(config)
  const driver: CountDriver<ChatRequestBody> = {
    name,
    request: (turn) => toChatRequest(turn, dialect),
    error: (failure) => toChatError(name, failure),
    ...tokenizers[quirks.tokenizer](config, name),
  }
  return { tokens: await count(driver, toSettings(config), messages, options), source: 'tokenizer' }
}

/** Their endpoints are next to `/v1`, not under it. */
const tokenizers: Readonly<
  Record<
    NonNullable<ChatQuirks['tokenizer']>,
    (config: OpenAICompatibleConfig, name: string) => Tokenizer
  >
> = {
  vllm: (config) => ({
    send: ({ model, messages, tools }, io) =>
      postJson(
        io,
        `${rootOf(config)}/tokenize`,
        { model, messages, tools, add_generation_prompt: true },
        authorization(config),
      ),
    countIn: (response) => (response as { readonly count?: unknown } | null)?.count,
  }),
  /** The template makes one text of the conversation, as it does for a reply. */
  'llama.cpp': (config, name) => {
    const root = rootOf(config)
    const templates = createEndpointClient(
      name,
      (failure) => toChatError(name, failure),
      toSettings(config),
    )
    return {
      send: async ({ messages, tools, tool_choice }, io) => {
        const request = {
          url: `${root}/apply-template`,
          body: { messages, tools, tool_choice },
          headers: { ...authorization(config), ...io.headers },
          inBandErrors: false,
        }
        // Tried again with the rest, not on its own.
        const applied = await templates.json<{ readonly prompt?: unknown } | null>(request, {
          signal: io.signal,
          retry: { attempts: 1 },
        })
        return postJson(
          io,
          `${root}/tokenize`,
          { content: applied?.prompt, add_special: true, parse_special: true },
          authorization(config),
        )
      },
      countIn: (response) => {
        const tokens = (response as { readonly tokens?: unknown } | null)?.tokens
        return Array.isArray(tokens) ? tokens.length : undefined
      },
    }
  },
}

const rootOf = ({ baseUrl }: OpenAICompatibleConfig): string =>
  parseBaseUrl(baseUrl).href.replace(/(\/v\d+)?(\/chat\/completions)?$/, '')
