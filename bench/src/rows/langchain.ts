import type { AIMessageChunk } from '@langchain/core/messages'
import { type Api, apis } from '../bodies.ts'
import { apiKey, perUrl, type Row, usesOf } from '../row.ts'

const common = { model: 'bench', apiKey, maxRetries: 0 }

async function modelOf(api: Api) {
  switch (api) {
    case 'openai-chat':
    case 'openai-responses': {
      const { ChatOpenAI } = await import('@langchain/openai')
      const useResponsesApi = api === 'openai-responses'
      return (baseUrl: string) =>
        new ChatOpenAI({ ...common, useResponsesApi, configuration: { baseURL: `${baseUrl}/v1` } })
    }
    case 'anthropic': {
      const { ChatAnthropic } = await import('@langchain/anthropic')
      return (baseUrl: string) => new ChatAnthropic({ ...common, anthropicApiUrl: baseUrl })
    }
    case 'gemini': {
      const { ChatGoogleGenerativeAI } = await import('@langchain/google-genai')
      return (baseUrl: string) => new ChatGoogleGenerativeAI({ ...common, baseUrl })
    }
    case 'ollama': {
      const { ChatOllama } = await import('@langchain/ollama')
      return (baseUrl: string) => new ChatOllama({ model: 'bench', baseUrl, maxRetries: 0 })
    }
  }
}

const openai = { '@langchain/openai': ['ChatOpenAI'] }

/**
 * LangChain's chat models: `stream` and `invoke`. A call is whole when its chunks are added up, as
 * LangChain's documentation does it.
 */
export const langChain: Row = {
  name: 'LangChain stream',
  kind: 'peer',
  apis,
  uses: usesOf({
    'openai-chat': openai,
    'openai-responses': openai,
    anthropic: { '@langchain/anthropic': ['ChatAnthropic'] },
    gemini: { '@langchain/google-genai': ['ChatGoogleGenerativeAI'] },
    ollama: { '@langchain/ollama': ['ChatOllama'] },
  }),
  create: async (api, task) => {
    const { AIMessage, HumanMessage } = await import('@langchain/core/messages')
    const create = await modelOf(api)
    const tools = task.tools.map(({ name, description, parameters }) => ({
      name,
      description,
      schema: parameters,
    }))
    const model = perUrl((baseUrl) =>
      tools.length ? create(baseUrl).bindTools(tools as never) : create(baseUrl),
    )
    const messages = task.messages.map(({ role, content }) =>
      role === 'user' ? new HumanMessage(content) : new AIMessage(content),
    )
    return {
      stream: async (baseUrl, onText) => {
        let length = 0
        let whole: AIMessageChunk | undefined
        for await (const chunk of await model(baseUrl).stream(messages)) {
          length += chunk.text.length
          if (chunk.text) onText?.(chunk.text)
          if (!task.call) continue
          whole = whole ? whole.concat(chunk) : chunk
          for (const { args } of chunk.tool_call_chunks ?? []) length += args?.length ?? 0
        }
        if (task.call && !whole?.tool_calls?.length) throw new Error('no tool call')
        return length
      },
      complete: async (baseUrl) => (await model(baseUrl).invoke(messages)).text.length,
    }
  },
}
