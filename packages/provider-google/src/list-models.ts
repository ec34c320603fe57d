import type { RequestOptions } from '@modelport/core'
import { createEndpointClient, defined, listOf, requireConfig, stringOf } from '@modelport/driver'
import { configNames, fieldNames, type GoogleConfig } from './config.js'
import { toGoogleError } from './error.js'
import { providerName } from './model-state.js'
import { createClient } from './provider.js'

/** A model the vendor offers. */
export interface GoogleModel {
  /** The id to configure, without `models/` before it. */
  readonly id: string
  /** Maximum tokens of a prompt. */
  readonly inputTokenLimit?: number
  /** Maximum tokens of a reply. */
  readonly outputTokenLimit?: number
}

interface WireModels {
  readonly models?: readonly WireModel[]
  readonly publisherModels?: readonly WireModel[]
  readonly nextPageToken?: unknown
}

interface WireModel {
  readonly name?: unknown
  readonly inputTokenLimit?: unknown
  readonly outputTokenLimit?: unknown
}

/** Maximum pages that are read: a server could name another one for ever. */
const mostPages = 100

/**
 * The models the account can use, all pages of the list.
 * @see https://ai.google.dev/api/models#method:-models.list (read 2026-11-21)
 * @throws {LlmError} as a call of the provider.
 */
export async function listModels(
  config: Omit<GoogleConfig, 'model'> & { readonly model?: string },
  options: RequestOptions = {},
): Promise<readonly GoogleModel[]> {
  requireConfig(config, 'listModels', configNames, fieldNames)
  const client = createClient({ ...config, model: config.model ?? '' })
  const endpoint = createEndpointClient(providerName, toGoogleError, client.settings)
  const { url: listUrl, headers } = await client.request('listModels', '')
  const models: GoogleModel[] = []
  let token: string | undefined
  for (let pages = 0; pages < mostPages; pages++) {
    const url = new URL(listUrl)
    if (token !== undefined) url.searchParams.set('pageToken', token)
    const request = { url: url.href, headers, inBandErrors: false }
    const response = await endpoint.json<WireModels | null>(request, options)
    models.push(...listOf(response?.models ?? response?.publisherModels).flatMap(toModel))
    const next = stringOf(response?.nextPageToken)
    if (next === undefined || next === token) break
    token = next
  }
  return models
}

function toModel({ name, inputTokenLimit, outputTokenLimit }: WireModel): GoogleModel[] {
  const path = stringOf(name)
  if (path === undefined) return []
  const limits = defined({
    inputTokenLimit: numberOf(inputTokenLimit),
    outputTokenLimit: numberOf(outputTokenLimit),
  })
  return [{ id: path.slice(path.lastIndexOf('/') + 1), ...limits }]
}

const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' ? value : undefined
