import { type CallOptions, type ChatMessage, LlmError, type TokenCount } from '@modelport/core'
import { createJsonClient, type JsonCallOptions, type JsonClient } from '@modelport/driver'
import { toConnection } from './client.js'
import { providerName, toAnthropicError } from './error.js'
import { type AnthropicConfig, toRules, toSettings } from './provider.js'
import { toRequest } from './request.js'

/** A model the key may use. */
export interface AnthropicModel {
  /** What to give as `model`. */
  readonly id: string
  /** Its name for people. */
  readonly displayName?: string
  /** Date of its release, ISO 8601. */
  readonly createdAt?: string
}

interface ModelPage {
  readonly data?: readonly { readonly id?: string; readonly display_name?: string; readonly created_at?: string }[]
  readonly has_more?: boolean
  readonly last_id?: string | null
}

/** What the endpoint for counting takes of a request. */
const countedFields = ['model', 'messages', 'system', 'tools', 'tool_choice', 'thinking', 'output_config']

/**
 * The models the key may use, newest first. Throws like `Provider.complete`.
 * @see https://platform.claude.com/docs/en/api/models-list (read 2026-11-21)
 */
export async function listModels(config: Omit<AnthropicConfig, 'model'>, options?: JsonCallOptions): Promise<AnthropicModel[]> {
  const { client, url, headers } = open({ ...config, model: '' })
  const models: AnthropicModel[] = []
  const seen = new Set<string>()
  for (let after: string | null | undefined = ''; after !== undefined && after !== null && !seen.has(after); ) {
    seen.add(after)
    const query: string = after ? `&after_id=${encodeURIComponent(after)}` : ''
    const page: ModelPage = await client.request<ModelPage>({ url: `${url}/v1/models?limit=1000${query}`, headers }, options)
    for (const { id, display_name: displayName, created_at: createdAt } of page.data ?? []) {
      if (id) models.push({ id, ...(displayName && { displayName }), ...(createdAt && { createdAt }) })
    }
    after = page.has_more ? page.last_id : undefined
  }
  return models
}

/**
 * How many input tokens the conversation has, as the API counts them; nothing is generated.
 * Throws like `Provider.complete`.
 * @see https://platform.claude.com/docs/en/build-with-claude/token-counting (read 2026-11-21)
 */
export async function countTokens(
  config: AnthropicConfig,
  messages: readonly ChatMessage[],
  options: CallOptions = {},
): Promise<TokenCount> {
  const { client, url, headers } = open(config)
  const { system, signal, deadlineMs } = options
  const turn = {
    model: config.model,
    messages: system === undefined ? messages : [{ role: 'system' as const, content: system }, ...messages],
    tools: options.tools ?? [],
    options: { ...options, maxTokens: options.maxTokens ?? 1_000_000 },
    defaultTemperature: undefined,
    stream: false,
  }
  const { body, betas } = toRequest(turn, toRules(config))
  const counted = Object.fromEntries(Object.entries(body).filter(([field]) => countedFields.includes(field)))
  const beta = betas.length ? { 'anthropic-beta': betas.join(',') } : undefined
  const answer = await client.request<{ input_tokens?: unknown } | null>(
    { url: `${url}/v1/messages/count_tokens`, body: counted, headers: { ...headers, ...beta } },
    { ...(signal && { signal }), ...(deadlineMs !== undefined && { deadlineMs }) },
  )
  const tokens = answer?.input_tokens
  if (typeof tokens !== 'number') throw new LlmError('protocol', `${providerName}: protocol: the answer has no count of tokens`)
  return { tokens, source: 'provider' }
}

function open(config: AnthropicConfig): { client: JsonClient; url: string; headers: Record<string, string> } {
  const connection = toConnection(config)
  const headers = Object.entries(connection.headers).filter((entry): entry is [string, string] => entry[1] !== null)
  return {
    client: createJsonClient(providerName, toAnthropicError, toSettings(config, connection)),
    url: connection.baseUrl,
    headers: Object.fromEntries(headers),
  }
}
