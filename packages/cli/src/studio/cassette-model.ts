import { configError, type Provider } from '@modelport/core'
import { tryParseJson } from '@modelport/core/text'
import { type ModelConfig, newProvider } from '@modelport/factory'
import {
  type Cassette,
  type CassetteExchange,
  parseCassette,
  replayCassette,
} from '@modelport/provider-mock'
import type { StudioModel } from '@modelport/studio'
import type { Cli } from '../context/cli.js'

/** The provider that sends to a path with this end. What stands before the end is its base URL. */
const apis: readonly (readonly [path: RegExp, provider: string])[] = [
  [/\/chat\/completions$/, 'openai-compatible'],
  [/\/responses$/, 'openai'],
  [/\/v1\/messages$/, 'anthropic'],
  [/\/v1(?:beta)?\/models\/[^/]+:(?:streamGenerateContent|generateContent)$/, 'google'],
  [/\/api\/chat$/, 'ollama'],
]

/**
 * How the reply is sent, which the page decides. Everything else of a request, its tools and
 * options too, must be as it was recorded.
 */
const deliveryFields = ['stream', 'stream_options']

/**
 * A model that replays a cassette. Only the address and the model of the recorded requests are read
 * from it: its provider is made here, without a key, and its `fetch` replays the cassette and never
 * sends. Another request than a recorded one fails with the difference.
 * @throws {LlmError} `config` — it is not a cassette, or not one of a model.
 */
export async function openCassette(stored: unknown, { context }: Cli): Promise<StudioModel> {
  const cassette = parseCassette(stored)
  const config = toConfig(cassette)
  const comparable: Cassette = {
    ...cassette,
    exchanges: cassette.exchanges.map(({ request: { method, url, body }, response }) => ({
      request: { method, url, headers: {}, body: withoutDelivery(body) },
      response,
    })),
  }
  const { length } = cassette.exchanges
  // Each run has its own provider, so that each may replay the whole recording.
  const open = (): Promise<Provider> => {
    const player = replayCassette(comparable, { order: 'any' })
    const fetch: typeof globalThis.fetch = (input, init) => {
      const body = typeof init?.body === 'string' ? tryParseJson(init.body) : undefined
      return player(input, { ...init, headers: {}, body: JSON.stringify(withoutDelivery(body)) })
    }
    return newProvider({ ...config, apiKey: 'no-key-is-sent', fetch }, context)
  }
  // Reports a provider that cannot be made now, not in the first run.
  await open()
  return {
    id: `cassette of ${config.model ?? config.provider}`,
    provider: config.provider,
    model: config.model ?? '',
    hosts: [],
    note: `It replays ${length} recorded ${length === 1 ? 'exchange' : 'exchanges'}; a request that differs is refused, with the fields that do`,
    // The loop must expect replies in the recorded form.
    profile: { supportsTools: cassette.exchanges.some(({ request }) => hasTools(request.body)) },
    open,
  }
}

const withoutDelivery = (body: unknown): Record<string, unknown> =>
  Object.fromEntries(Object.entries(body ?? {}).filter(([name]) => !deliveryFields.includes(name)))

const hasTools = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'tools' in body

function toConfig({ exchanges }: Cassette): ModelConfig {
  for (const { request } of exchanges) {
    const found = URL.canParse(request.url) ? toApi(request) : undefined
    if (found) return found
  }
  throw configError('cassette: it has no request to a model that this version knows')
}

function toApi({ url, body }: CassetteExchange['request']): ModelConfig | undefined {
  const { origin, pathname } = new URL(url)
  const { model } = (body ?? {}) as { readonly model?: unknown }
  for (const [path, provider] of apis) {
    if (!path.test(pathname)) continue
    const named =
      typeof model === 'string' ? model : (/models\/([^/:]+):/.exec(pathname)?.[1] ?? '')
    return { provider, model: named, baseUrl: origin + pathname.replace(path, '') }
  }
  return undefined
}
