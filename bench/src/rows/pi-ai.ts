import type { Context, Model, TranscriptContext } from '@earendil-works/pi-ai'
import type { Api } from '../bodies.ts'
import { apiKey, type Row, usesOf } from '../row.ts'
import type { Task } from '../task.ts'

type Stream = (
  baseUrl: string,
  context: TranscriptContext,
) => AsyncIterable<{
  readonly type: string
  readonly delta?: string
  readonly error?: { readonly errorMessage?: string }
}>

const zero = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
const modelOf = <Name extends string>(api: Name, baseUrl: string): Model<Name> => ({
  id: 'bench',
  name: 'bench',
  api,
  provider: 'bench',
  baseUrl,
  reasoning: false,
  input: ['text'],
  cost: zero,
  contextWindow: 1_000_000,
  maxTokens: 100,
})

async function streamOf(api: Api): Promise<Stream> {
  switch (api) {
    case 'openai-chat': {
      const { stream } = await import('@earendil-works/pi-ai/api/openai-completions')
      return (baseUrl, context) =>
        stream(modelOf('openai-completions', `${baseUrl}/v1`), context, { apiKey })
    }
    case 'openai-responses': {
      const { stream } = await import('@earendil-works/pi-ai/api/openai-responses')
      return (baseUrl, context) =>
        stream(modelOf('openai-responses', `${baseUrl}/v1`), context, { apiKey })
    }
    case 'anthropic': {
      const { stream } = await import('@earendil-works/pi-ai/api/anthropic-messages')
      return (baseUrl, context) =>
        stream(modelOf('anthropic-messages', baseUrl), context, { apiKey })
    }
    case 'gemini': {
      const { stream } = await import('@earendil-works/pi-ai/api/google-generative-ai')
      return (baseUrl, context) =>
        stream(modelOf('google-generative-ai', `${baseUrl}/v1beta`), context, { apiKey })
    }
    case 'ollama':
      throw new Error('no API of its own')
  }
}

const contextOf = ({ messages, tools }: Task): Context => ({
  messages: messages.map(({ role, content }) =>
    role === 'user'
      ? { role, content, timestamp: 0 }
      : {
          role,
          content: [{ type: 'text', text: content }],
          api: 'bench',
          provider: 'bench',
          model: 'bench',
          usage: { ...zero, totalTokens: 0, cost: { ...zero, total: 0 } },
          stopReason: 'stop',
          timestamp: 0,
        },
  ),
  ...(tools.length && {
    tools: tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
  }),
})

const module = (api: string): Record<string, string[]> => ({
  '@earendil-works/pi-ai': ['normalizeContext'],
  [`@earendil-works/pi-ai/api/${api}`]: ['stream'],
})

/** pi-ai's implementations of the APIs, called directly. It only streams. */
export const piAi: Row = {
  name: 'pi-ai stream',
  kind: 'peer',
  apis: ['openai-chat', 'anthropic', 'openai-responses', 'gemini'],
  uses: usesOf({
    'openai-chat': module('openai-completions'),
    anthropic: module('anthropic-messages'),
    'openai-responses': module('openai-responses'),
    gemini: module('google-generative-ai'),
  }),
  create: async (api, task) => {
    const { normalizeContext } = await import('@earendil-works/pi-ai')
    const stream = await streamOf(api)
    const context = contextOf(task)
    return {
      stream: async (baseUrl, onText) => {
        let length = 0
        for await (const event of stream(baseUrl, normalizeContext(context))) {
          if (event.type === 'error') throw new Error(event.error?.errorMessage ?? 'failed')
          if (event.type !== 'text_delta' && event.type !== 'toolcall_delta') continue
          length += event.delta?.length ?? 0
          if (event.delta) onText?.(event.delta)
        }
        return length
      },
    }
  },
}
