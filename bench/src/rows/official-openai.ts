import { apiKey, type Client, perUrl } from '../row.ts'
import type { Task } from '../task.ts'

const load = async () => {
  const { default: OpenAI } = await import('openai')
  return perUrl((baseUrl) => new OpenAI({ apiKey, baseURL: `${baseUrl}/v1`, maxRetries: 0 }))
}

const parsed = (json: string): number => {
  if (json) JSON.parse(json)
  return json.length
}

/** `chat.completions.create`. */
export async function chat(task: Task): Promise<Client> {
  const client = await load()
  const tools = task.tools.map(({ name, description, parameters }) => ({
    type: 'function' as const,
    function: { name, description, parameters },
  }))
  const request = { model: 'bench', messages: [...task.messages], ...(tools.length && { tools }) }
  return {
    stream: async (baseUrl, onText) => {
      let length = 0
      let json = ''
      for await (const { choices } of await client(baseUrl).chat.completions.create({
        ...request,
        stream: true,
      })) {
        const delta = choices[0]?.delta
        if (delta?.content) {
          length += delta.content.length
          onText?.(delta.content)
        }
        if (task.call) json += delta?.tool_calls?.[0]?.function?.arguments ?? ''
      }
      return length + parsed(json)
    },
    complete: async (baseUrl) =>
      (await client(baseUrl).chat.completions.create(request)).choices[0]?.message.content
        ?.length ?? 0,
  }
}

/** `responses.create`. */
export async function responses(task: Task): Promise<Client> {
  const client = await load()
  const input = task.messages.map(({ role, content }) => ({ role, content }))
  const tools = task.tools.map(({ name, description, parameters }) => ({
    type: 'function' as const,
    name,
    description,
    parameters,
    strict: null,
  }))
  const request = { model: 'bench', input, ...(tools.length && { tools }) }
  return {
    stream: async (baseUrl, onText) => {
      let length = 0
      for await (const event of await client(baseUrl).responses.create({
        ...request,
        stream: true,
      })) {
        if (event.type !== 'response.output_text.delta') continue
        length += event.delta.length
        onText?.(event.delta)
      }
      return length
    },
    complete: async (baseUrl) =>
      (await client(baseUrl).responses.create(request)).output_text.length,
  }
}
