import type { Provider } from '@modelport/core'
import type { Api } from './bodies.ts'
import { discard, split } from './floor.ts'

/** Reads one streamed answer from a base URL; gives the number of text characters, so that nothing is optimised away. */
export type Drain = (baseUrl: string) => Promise<number>

/** One line of the table: what is measured on which API. Made only in the process that measures it. */
export interface Row {
  readonly name: string
  readonly apis: readonly Api[]
  create(api: Api): Promise<Drain>
}

const all: readonly Api[] = ['openai-chat', 'anthropic', 'openai-responses', 'gemini', 'ollama']

async function drainProvider(provider: Provider): Promise<number> {
  const reader = await provider.stream('bench')
  let length = 0
  for await (const text of reader) length += text.length
  return length
}

/** Providers are made once for each base URL, as an application would. */
function cached(create: (baseUrl: string) => Provider): Drain {
  const providers = new Map<string, Provider>()
  return (baseUrl) => {
    let provider = providers.get(baseUrl)
    if (!provider) {
      provider = create(baseUrl)
      providers.set(baseUrl, provider)
    }
    return drainProvider(provider)
  }
}

async function modelport(api: Api): Promise<Drain> {
  const common = { model: 'bench', apiKey: 'bench-key' }
  if (api === 'openai-chat') {
    const { createOpenAICompatible } = await import('@modelport/provider-openai-compatible')
    return cached((baseUrl) => createOpenAICompatible({ ...common, baseUrl: `${baseUrl}/v1` }))
  }
  throw new Error(`no provider for ${api} yet`)
}

/** All rows, the reference first. */
export const rows: readonly Row[] = [
  { name: 'floor b (reference)', apis: all, create: () => Promise.resolve((baseUrl) => split(`${baseUrl}/x`)) },
  { name: 'floor a (discard)', apis: all, create: () => Promise.resolve((baseUrl) => discard(`${baseUrl}/x`)) },
  { name: 'modelport', apis: ['openai-chat'], create: modelport },
]
