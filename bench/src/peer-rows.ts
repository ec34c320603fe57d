import type { Api } from './bodies.ts'
import type { Drain } from './rows.ts'

const apiKey = 'bench-key-0000'
const messages = [{ role: 'user' as const, content: 'bench' }]

/** One client for each base URL. */
function once<Client>(create: (baseUrl: string) => Client): (baseUrl: string) => Client {
  const clients = new Map<string, Client>()
  return (baseUrl) => {
    const client = clients.get(baseUrl) ?? create(baseUrl)
    clients.set(baseUrl, client)
    return client
  }
}

/** The vendor's official SDK, its plain stream. */
export async function officialSdk(api: Api): Promise<Drain> {
  switch (api) {
    case 'openai-chat': {
      const { default: OpenAI } = await import('openai')
      const client = once((baseUrl) => new OpenAI({ apiKey, baseURL: `${baseUrl}/v1`, maxRetries: 0 }))
      return async (baseUrl) => {
        let length = 0
        const stream = await client(baseUrl).chat.completions.create({ model: 'bench', messages, stream: true })
        for await (const chunk of stream) length += chunk.choices[0]?.delta.content?.length ?? 0
        return length
      }
    }
    case 'openai-responses': {
      const { default: OpenAI } = await import('openai')
      const client = once((baseUrl) => new OpenAI({ apiKey, baseURL: `${baseUrl}/v1`, maxRetries: 0 }))
      return async (baseUrl) => {
        let length = 0
        const stream = await client(baseUrl).responses.create({ model: 'bench', input: 'bench', stream: true })
        for await (const event of stream) if (event.type === 'response.output_text.delta') length += event.delta.length
        return length
      }
    }
    case 'anthropic': {
      const { default: Anthropic } = await import('@anthropic-ai/sdk')
      const client = once((baseURL) => new Anthropic({ apiKey, baseURL, maxRetries: 0 }))
      return async (baseUrl) => {
        let length = 0
        const stream = await client(baseUrl).messages.create({ model: 'bench', max_tokens: 100, messages, stream: true })
        for await (const event of stream) {
          if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') length += event.delta.text.length
        }
        return length
      }
    }
    case 'gemini': {
      const { GoogleGenAI } = await import('@google/genai')
      const client = once((baseUrl) => new GoogleGenAI({ apiKey, httpOptions: { baseUrl } }))
      return async (baseUrl) => {
        let length = 0
        const stream = await client(baseUrl).models.generateContentStream({ model: 'bench', contents: 'bench' })
        for await (const chunk of stream) length += chunk.candidates?.[0]?.content?.parts?.[0]?.text?.length ?? 0
        return length
      }
    }
    case 'ollama': {
      const { Ollama } = await import('ollama')
      const client = once((host) => new Ollama({ host }))
      return async (baseUrl) => {
        let length = 0
        for await (const part of await client(baseUrl).chat({ model: 'bench', messages, stream: true })) length += part.message.content.length
        return length
      }
    }
  }
}

/** AI SDK's `streamText`, with the vendor's adapter. */
export async function aiSdk(api: Api): Promise<Drain> {
  const { streamText } = await import('ai')
  const [openai, anthropic, google] = await Promise.all([import('@ai-sdk/openai'), import('@ai-sdk/anthropic'), import('@ai-sdk/google')])
  const model = once((baseUrl) => {
    switch (api) {
      case 'openai-chat':
        return openai.createOpenAI({ apiKey, baseURL: `${baseUrl}/v1` }).chat('bench')
      case 'openai-responses':
        return openai.createOpenAI({ apiKey, baseURL: `${baseUrl}/v1` }).responses('bench')
      case 'anthropic':
        return anthropic.createAnthropic({ apiKey, baseURL: `${baseUrl}/v1` })('bench')
      case 'gemini':
        return google.createGoogleGenerativeAI({ apiKey, baseURL: `${baseUrl}/v1beta` })('bench')
      case 'ollama':
        throw new Error('no adapter of its own')
    }
  })
  return async (baseUrl) => {
    let length = 0
    for await (const text of streamText({ model: model(baseUrl), prompt: 'bench' }).textStream) length += text.length
    return length
  }
}
