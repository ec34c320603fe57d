import { type ChatMessage, LlmError, type TokenCount } from '@modelport/core'
import { createJsonClient, type JsonCallOptions } from '@modelport/driver'
import type { GoogleConfig } from './config.js'
import { toGoogleError } from './error.js'
import { toConversation } from './messages.js'
import { factsOf } from './model-facts.js'
import { providerName } from './model-state.js'
import { createClient } from './provider.js'
import { throughSdk } from './sdk.js'

/** A model the vendor offers. */
export interface GoogleModel {
  /** The id to configure, without `models/` before it. */
  readonly id: string
  /** Most tokens of a prompt. */
  readonly inputTokenLimit?: number
  /** Most tokens of an answer. */
  readonly outputTokenLimit?: number
}

interface WireModels {
  readonly models?: readonly WireModel[]
  readonly publisherModels?: readonly WireModel[]
  readonly nextPageToken?: string
}

interface WireModel {
  readonly name?: string
  readonly inputTokenLimit?: number
  readonly outputTokenLimit?: number
}

/**
 * The models the account can use, all pages of the list.
 * @see https://ai.google.dev/api/models#method:-models.list (read 2026-11-21)
 * @throws {LlmError} as a call of the provider.
 */
export async function listModels(config: GoogleConfig, options: JsonCallOptions = {}): Promise<readonly GoogleModel[]> {
  const client = createClient(config)
  const json = createJsonClient(providerName, toGoogleError, client.settings)
  const first = await throughSdk(
    (httpOptions) => client.sdk.models.list({ config: { httpOptions, pageSize: 1000 } }),
    (request) => Promise.resolve(request),
  )
  client.seen(first)
  const models: GoogleModel[] = []
  for (let page: string | undefined = ''; page !== undefined; ) {
    const url = new URL(first.url)
    if (page) url.searchParams.set('pageToken', page)
    const answer: WireModels = await json.request<WireModels>({ url: url.href, headers: first.headers }, options)
    models.push(...(answer.models ?? answer.publisherModels ?? []).flatMap(toModel))
    page = answer.nextPageToken === '' ? undefined : answer.nextPageToken
  }
  return models
}

/**
 * How many tokens the messages have for the configured model, counted by the vendor.
 * @see https://ai.google.dev/api/tokens#method:-models.counttokens (read 2026-11-21)
 * @throws {LlmError} as a call of the provider.
 */
export async function countTokens(config: GoogleConfig, messages: readonly ChatMessage[], options: JsonCallOptions = {}): Promise<TokenCount> {
  const client = createClient(config)
  const { model, models } = config
  const json = createJsonClient(providerName, toGoogleError, client.settings)
  const { url, headers } = await throughSdk(
    (httpOptions) => client.sdk.models.countTokens({ model, contents: '-', config: { httpOptions } }),
    (request) => Promise.resolve(request),
  )
  client.seen({ url, headers })
  const { contents, systemInstruction } = toConversation(messages, factsOf(model, models))
  // The Gemini API counts a system instruction only inside a whole request.
  const generateContentRequest = { model: `models/${model.slice(model.lastIndexOf('/') + 1)}`, contents, systemInstruction }
  const body = config.vertex ? { contents, ...(systemInstruction && { systemInstruction }) } : systemInstruction ? { generateContentRequest } : { contents }
  const answer = await json.request<{ readonly totalTokens?: unknown } | null>({ url, headers, body }, options)
  const tokens = answer?.totalTokens
  if (typeof tokens !== 'number') throw new LlmError('protocol', `${providerName}: protocol: the answer has no count of tokens`)
  return { tokens, source: 'provider' }
}

function toModel({ name, inputTokenLimit, outputTokenLimit }: WireModel): GoogleModel[] {
  if (!name) return []
  return [{
    id: name.slice(name.lastIndexOf('/') + 1),
    ...(inputTokenLimit !== undefined && { inputTokenLimit }),
    ...(outputTokenLimit !== undefined && { outputTokenLimit }),
  }]
}
