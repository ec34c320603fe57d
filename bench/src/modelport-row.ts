import type { Provider } from '@modelport/core'
import type { Api } from './bodies.ts'
import type { Drain } from './rows.ts'

const common = { model: 'bench', apiKey: 'bench-key-0000' }

async function createFor(api: Api): Promise<(baseUrl: string) => Provider> {
  switch (api) {
    case 'openai-chat': {
      const { createOpenAICompatible } = await import('@modelport/provider-openai-compatible')
      return (baseUrl) => createOpenAICompatible({ ...common, baseUrl: `${baseUrl}/v1` })
    }
    case 'anthropic': {
      const { createAnthropic } = await import('@modelport/provider-anthropic')
      return (baseUrl) => createAnthropic({ ...common, baseUrl })
    }
    case 'openai-responses': {
      const { createOpenAI } = await import('@modelport/provider-openai')
      return (baseUrl) => createOpenAI({ ...common, baseUrl: `${baseUrl}/v1`, api: 'responses' })
    }
    case 'gemini': {
      const { createGoogle } = await import('@modelport/provider-google')
      return (baseUrl) => createGoogle({ ...common, baseUrl })
    }
    case 'ollama': {
      const { createOllama } = await import('@modelport/provider-ollama')
      return (baseUrl) => createOllama({ model: 'bench', baseUrl })
    }
  }
}

/** modelport's provider of an API, made once for each base URL, as an application would. Tool calls are read too. */
export async function modelport(api: Api): Promise<Drain> {
  const create = await createFor(api)
  const providers = new Map<string, Provider>()
  return async (baseUrl) => {
    const provider = providers.get(baseUrl) ?? create(baseUrl)
    providers.set(baseUrl, provider)
    let length = 0
    if (baseUrl.includes('/tool/')) {
      for await (const event of await provider.streamWithTools([{ role: 'user', content: 'bench' }], [])) {
        if (event.type === 'tool-call-complete') length = event.toolCall.argumentsText.length
      }
      return length
    }
    for await (const text of await provider.stream('bench')) length += text.length
    return length
  }
}
