import { apiKey, type Client, perUrl } from '../row.ts'
import type { Task } from '../task.ts'

/** `messages.create` of Anthropic's SDK. */
export async function anthropic(task: Task): Promise<Client> {
  const { default: Anthropic } = await import('@anthropic-ai/sdk')
  const client = perUrl((baseURL) => new Anthropic({ apiKey, baseURL, maxRetries: 0 }))
  const tools = task.tools.map(({ name, description, parameters }) => ({
    name,
    description,
    input_schema: { ...parameters, type: 'object' as const },
  }))
  const request = {
    model: 'bench',
    max_tokens: 100,
    messages: [...task.messages],
    ...(tools.length && { tools }),
  }
  return {
    stream: async (baseUrl, onText) => {
      let length = 0
      let json = ''
      for await (const event of await client(baseUrl).messages.create({
        ...request,
        stream: true,
      })) {
        if (event.type !== 'content_block_delta') continue
        if (event.delta.type === 'text_delta') {
          length += event.delta.text.length
          onText?.(event.delta.text)
        } else if (event.delta.type === 'input_json_delta') json += event.delta.partial_json
      }
      if (json) JSON.parse(json)
      return length + json.length
    },
    complete: async (baseUrl) => {
      const { content } = await client(baseUrl).messages.create(request)
      return content[0]?.type === 'text' ? content[0].text.length : 0
    },
  }
}

/** `models.generateContentStream` and `generateContent` of Google's SDK. */
export async function gemini(task: Task): Promise<Client> {
  const { GoogleGenAI } = await import('@google/genai')
  const client = perUrl((baseUrl) => new GoogleGenAI({ apiKey, httpOptions: { baseUrl } }))
  const contents = task.messages.map(({ role, content }) => ({
    role: role === 'assistant' ? 'model' : 'user',
    parts: [{ text: content }],
  }))
  const functionDeclarations = task.tools.map(({ name, description, parameters }) => ({
    name,
    description,
    parametersJsonSchema: parameters,
  }))
  const request = {
    model: 'bench',
    contents,
    ...(functionDeclarations.length && { config: { tools: [{ functionDeclarations }] } }),
  }
  return {
    stream: async (baseUrl, onText) => {
      let length = 0
      for await (const chunk of await client(baseUrl).models.generateContentStream(request)) {
        const text = chunk.candidates?.[0]?.content?.parts?.[0]?.text
        if (!text) continue
        length += text.length
        onText?.(text)
      }
      return length
    },
    complete: async (baseUrl) =>
      (await client(baseUrl).models.generateContent(request)).candidates?.[0]?.content?.parts?.[0]
        ?.text?.length ?? 0,
  }
}

/** `chat` of Ollama's SDK. */
export async function ollama(task: Task): Promise<Client> {
  const { Ollama } = await import('ollama')
  const client = perUrl((host) => new Ollama({ host }))
  const request = { model: 'bench', messages: [...task.messages] }
  return {
    stream: async (baseUrl, onText) => {
      let length = 0
      for await (const { message } of await client(baseUrl).chat({ ...request, stream: true })) {
        length += message.content.length
        if (message.content) onText?.(message.content)
      }
      return length
    },
    complete: async (baseUrl) =>
      (await client(baseUrl).chat({ ...request, stream: false })).message.content.length,
  }
}
