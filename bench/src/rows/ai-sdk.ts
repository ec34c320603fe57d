import type { ToolSet } from 'ai'
import type { Api } from '../bodies.ts'
import { apiKey, perUrl, type Row, usesOf } from '../row.ts'

const apis: readonly Api[] = ['openai-chat', 'anthropic', 'openai-responses', 'gemini']

async function modelOf(api: Api) {
  switch (api) {
    case 'openai-chat': {
      const { createOpenAI } = await import('@ai-sdk/openai')
      return perUrl((baseUrl) => createOpenAI({ apiKey, baseURL: `${baseUrl}/v1` }).chat('bench'))
    }
    case 'openai-responses': {
      const { createOpenAI } = await import('@ai-sdk/openai')
      return perUrl((baseUrl) =>
        createOpenAI({ apiKey, baseURL: `${baseUrl}/v1` }).responses('bench'),
      )
    }
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic')
      return perUrl((baseUrl) => createAnthropic({ apiKey, baseURL: `${baseUrl}/v1` })('bench'))
    }
    case 'gemini': {
      const { createGoogleGenerativeAI } = await import('@ai-sdk/google')
      return perUrl((baseUrl) =>
        createGoogleGenerativeAI({ apiKey, baseURL: `${baseUrl}/v1beta` })('bench'),
      )
    }
    case 'ollama':
      throw new Error('no adapter of its own')
  }
}

const openai = { '@ai-sdk/openai': ['createOpenAI'] }
const adapters = {
  'openai-chat': openai,
  'openai-responses': openai,
  anthropic: { '@ai-sdk/anthropic': ['createAnthropic'] },
  gemini: { '@ai-sdk/google': ['createGoogleGenerativeAI'] },
}

/** AI SDK as an application uses it: `streamText` and `generateText`. */
export const aiSdk: Row = {
  name: 'AI SDK streamText',
  kind: 'peer',
  apis,
  uses: (api) => ({ ai: ['streamText'], ...usesOf(adapters)(api) }),
  create: async (api, task) => {
    const { generateText, jsonSchema, streamText, tool } = await import('ai')
    Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false })
    const model = await modelOf(api)
    const tools: ToolSet = Object.fromEntries(
      task.tools.map(({ name, description, parameters }) => [
        name,
        tool({ description, inputSchema: jsonSchema(parameters) }),
      ]),
    )
    const request = {
      messages: [...task.messages],
      maxRetries: 0,
      ...(task.tools.length && { tools }),
    }
    const failures = {
      onError: ({ error }: { readonly error: unknown }) =>
        process.stderr.write(`${String(error)}\n`),
    }
    return {
      stream: async (baseUrl, onText) => {
        let length = 0
        const result = streamText({ model: model(baseUrl), ...request, ...failures })
        if (task.call) {
          for await (const part of result.stream)
            if (part.type === 'tool-input-delta') length += part.delta.length
          return length
        }
        for await (const text of result.textStream) {
          length += text.length
          onText?.(text)
        }
        return length
      },
      complete: async (baseUrl) =>
        (await generateText({ model: model(baseUrl), ...request })).text.length,
    }
  },
}

/** The layer below: the adapter's `doStream` and `doGenerate`, without AI SDK's core. */
export const aiSdkModel: Row = {
  name: 'AI SDK doStream',
  kind: 'peer',
  apis,
  uses: usesOf(adapters),
  create: async (api, task) => {
    const model = await modelOf(api)
    const tools = task.tools.map(({ name, description, parameters }) => ({
      type: 'function' as const,
      name,
      description,
      inputSchema: parameters,
    }))
    const prompt = task.messages.map(({ role, content }) => ({
      role,
      content: [{ type: 'text' as const, text: content }],
    }))
    const request = { prompt, ...(tools.length && { tools }) }
    return {
      stream: async (baseUrl, onText) => {
        let length = 0
        const { stream } = await model(baseUrl).doStream(request)
        for await (const part of stream) {
          if (part.type === 'text-delta') {
            length += part.delta.length
            if (part.delta) onText?.(part.delta)
          } else if (part.type === 'tool-input-delta') length += part.delta.length
        }
        return length
      },
      complete: async (baseUrl) => {
        const { content } = await model(baseUrl).doGenerate(request)
        return content.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : 0), 0)
      },
    }
  },
}
