import { LlmError } from '@modelport/core'
import { type ModelConfig, newProvider } from '@modelport/factory'
import { type Cassette, type CassetteExchange, parseCassette, replayCassette } from '@modelport/provider-mock'
import type { StudioModel } from '@modelport/studio'
import type { Cli } from '../context/cli.js'

/** Which provider sends to a path that ends so, and what of the address is its base URL. */
const apis: readonly (readonly [path: RegExp, provider: string])[] = [
  [/\/chat\/completions$/, 'openai-compatible'],
  [/\/responses$/, 'openai'],
  [/\/v1\/messages$/, 'anthropic'],
  [/\/v1(?:beta)?\/models\/[^/]+:(?:streamGenerateContent|generateContent)$/, 'google'],
  [/\/api\/chat$/, 'ollama'],
]

/**
 * A model that replays a cassette. Only the address and the model of the recorded requests are read from it: its provider is made here,
 * without a key, and its `fetch` replays the cassette and never sends.
 * @throws {LlmError} `config` — it is not a cassette, or not one of a model.
 */
export async function openCassette(stored: unknown, { context }: Cli): Promise<StudioModel> {
  const cassette = parseCassette(stored)
  const config = toConfig(cassette)
  const player = replayCassette(cassette, { mode: 'lenient' })
  const provider = await newProvider(
    { ...config, apiKey: 'no-key-is-sent', fetch: (input, init) => player(input, init) },
    context,
  )
  return {
    id: `cassette of ${config.model ?? config.provider}`,
    provider: config.provider,
    model: config.model ?? '',
    hosts: [],
    note: `It replays ${cassette.exchanges.length} recorded exchanges, each once, in order`,
    // The loop must expect replies of the form in which they were recorded.
    profile: { supportsTools: cassette.exchanges.some(({ request }) => hasTools(request.body)) },
    open: () => provider,
  }
}

const hasTools = (body: unknown): boolean => typeof body === 'object' && body !== null && 'tools' in body

function toConfig({ exchanges }: Cassette): ModelConfig {
  for (const { request } of exchanges) {
    const found = URL.canParse(request.url) ? toApi(request) : undefined
    if (found) return found
  }
  throw new LlmError('config', 'cassette: it has no request to a model that this version knows')
}

function toApi({ url, body }: CassetteExchange['request']): ModelConfig | undefined {
  const { origin, pathname } = new URL(url)
  const { model } = (body ?? {}) as { readonly model?: unknown }
  for (const [path, provider] of apis) {
    if (!path.test(pathname)) continue
    const named = typeof model === 'string' ? model : (/models\/([^/:]+):/.exec(pathname)?.[1] ?? '')
    return { provider, model: named, baseUrl: origin + pathname.replace(path, '') }
  }
  return undefined
}
