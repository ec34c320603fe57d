import type { Api } from '../bodies.ts'
import { apiKey, perUrl, type Row, usesOf } from '../row.ts'

/** What is read of an event. */
interface Chunk {
  readonly type: string
  readonly delta?: string
  readonly message?: string
}

/**
 * The adapters take the names of known models alone, and their types do not fit those of `chat`
 * where optional properties are exact.
 */
const model = 'bench' as never

async function adapterOf(api: Api): Promise<(baseUrl: string) => object> {
  switch (api) {
    case 'openai-chat': {
      const { createOpenaiChatCompletions } = await import('@tanstack/ai-openai')
      return (baseUrl) =>
        createOpenaiChatCompletions(model, apiKey, { baseURL: `${baseUrl}/v1`, maxRetries: 0 })
    }
    case 'openai-responses': {
      const { createOpenaiChat } = await import('@tanstack/ai-openai')
      return (baseUrl) =>
        createOpenaiChat(model, apiKey, { baseURL: `${baseUrl}/v1`, maxRetries: 0 })
    }
    case 'anthropic': {
      const { createAnthropicChat } = await import('@tanstack/ai-anthropic')
      return (baseURL) => createAnthropicChat(model, apiKey, { baseURL, maxRetries: 0 })
    }
    case 'gemini': {
      const { createGeminiChat } = await import('@tanstack/ai-gemini')
      return (baseURL) => createGeminiChat(model, apiKey, { baseURL })
    }
    case 'ollama':
      throw new Error('its adapter needs another version of its core')
  }
}

/** TanStack AI's `chat`. It only streams: without a stream it adds one up. */
export const tanStack: Row = {
  name: 'TanStack AI chat',
  kind: 'peer',
  apis: ['openai-chat', 'anthropic', 'openai-responses', 'gemini'],
  uses: (api) => ({
    '@tanstack/ai': ['chat'],
    ...usesOf({
      'openai-chat': { '@tanstack/ai-openai': ['createOpenaiChatCompletions'] },
      'openai-responses': { '@tanstack/ai-openai': ['createOpenaiChat'] },
      anthropic: { '@tanstack/ai-anthropic': ['createAnthropicChat'] },
      gemini: { '@tanstack/ai-gemini': ['createGeminiChat'] },
    })(api),
  }),
  create: async (api, task) => {
    const { chat } = await import('@tanstack/ai')
    const adapter = perUrl(await adapterOf(api))
    const tools = task.tools.map(({ name, description, parameters }) => ({
      name,
      description,
      inputSchema: parameters,
    }))
    const request = { messages: [...task.messages], ...(tools.length && { tools }) }
    return {
      stream: async (baseUrl, onText) => {
        let length = 0
        const events = chat({
          adapter: adapter(baseUrl),
          ...request,
        } as never) as AsyncIterable<Chunk>
        for await (const event of events) {
          if (event.type === 'RUN_ERROR') throw new Error(event.message)
          if (event.type !== 'TEXT_MESSAGE_CONTENT' && event.type !== 'TOOL_CALL_ARGS') continue
          length += event.delta?.length ?? 0
          if (event.delta) onText?.(event.delta)
        }
        return length
      },
    }
  },
}
