import type { Provider } from '@modelport/core'
import { type Api, apis } from '../bodies.ts'
import { apiKey, perUrl, type Row, usesOf } from '../row.ts'

const common = { model: 'bench', apiKey }

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

/**
 * modelport's provider of an API: `stream`, or `streamWithTools` where there are tools, and
 * `complete`.
 */
export const modelport: Row = {
  name: 'modelport',
  kind: 'modelport',
  apis,
  uses: usesOf({
    'openai-chat': { '@modelport/provider-openai-compatible': ['createOpenAICompatible'] },
    anthropic: { '@modelport/provider-anthropic': ['createAnthropic'] },
    'openai-responses': { '@modelport/provider-openai': ['createOpenAI'] },
    gemini: { '@modelport/provider-google': ['createGoogle'] },
    ollama: { '@modelport/provider-ollama': ['createOllama'] },
  }),
  create: async (api, { messages, tools }) => {
    const provider = perUrl(await createFor(api))
    return {
      stream: async (baseUrl, onText) => {
        let length = 0
        if (tools.length) {
          for await (const event of await provider(baseUrl).streamWithTools(messages, tools)) {
            if (event.type === 'text-delta') length += event.text.length
            if (event.type === 'tool-call-complete') length += event.toolCall.argumentsText.length
          }
          return length
        }
        for await (const text of await provider(baseUrl).stream('bench')) {
          length += text.length
          onText?.(text)
        }
        return length
      },
      complete: async (baseUrl) => (await provider(baseUrl).complete('bench')).length,
    }
  },
}
