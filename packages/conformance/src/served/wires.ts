import { anthropicMessages } from '../formats/anthropic-messages.js'
import { gemini } from '../formats/gemini.js'
import { ollamaChat } from '../formats/ollama-chat.js'
import { openaiChat } from '../formats/openai-chat.js'
import { openaiResponses } from '../formats/openai-responses.js'
import type { WireFormat, WireRequest } from '../wire-format.js'

/** Names of the wires that the suite serves. */
export type WireName = 'chat' | 'gemini' | 'messages' | 'ollama' | 'responses'

/** An API as the suite serves it. */
export interface Wire {
  readonly name: WireName
  /** Its name for people. */
  readonly title: string
  readonly format: WireFormat
  /** A model that a client knows to speak this API. */
  readonly model: string
  /** What clients put behind the base URL for a whole reply and for a stream. */
  readonly paths: { readonly whole: string; readonly stream: string }
  /** How a reply is written. */
  readonly framing: 'ndjson' | 'sse'
  /** The page of the vendor that says how a reply and its end look. */
  readonly source: string
  /** The page of the vendor that says how reasoning looks, where it is another vendor. */
  readonly reasoningSource?: string
  /** The page of the vendor that says how failures look. */
  readonly errorSource: string
  /** The page that says how a failure inside a stream looks. None: nobody documents it. */
  readonly streamErrorSource?: string
  /** Matches the first part of a stream that says that the reply ended. */
  readonly end: RegExp
  /** Whether the reply to this request has counts. None: each has. */
  hasCounts?(request: WireRequest): boolean
  /** The smallest body of a request, to send by hand. */
  sample(content: string, stream: boolean): object
}

interface ChatBody {
  readonly stream?: unknown
  readonly stream_options?: { readonly include_usage?: unknown } | null
}

/** Whether the API pairs calls and results by ids; the others do so by names and order. */
export const hasIds = ({ name }: Wire): boolean => name !== 'gemini' && name !== 'ollama'

/** The wires, in the order of the report. */
export const wires: Readonly<Record<WireName, Wire>> = {
  chat: {
    name: 'chat',
    title: 'Chat Completions',
    format: openaiChat,
    model: 'gpt-4.1',
    paths: { whole: '/v1/chat/completions', stream: '/v1/chat/completions' },
    framing: 'sse',
    source: 'https://developers.openai.com/api/reference/resources/chat/subresources/completions',
    reasoningSource: 'https://api-docs.deepseek.com/guides/thinking_mode',
    errorSource: 'https://developers.openai.com/api/docs/guides/error-codes',
    streamErrorSource: 'https://openrouter.ai/docs/api/reference/errors-and-debugging',
    end: /"finish_reason":"/,
    hasCounts: ({ body }) => {
      const { stream, stream_options: options } = body as ChatBody
      return stream !== true || options?.include_usage === true
    },
    sample: (content, stream) => ({
      model: 'gpt-4.1',
      messages: [{ role: 'user', content }],
      ...(stream && { stream, stream_options: { include_usage: true } }),
    }),
  },
  responses: {
    name: 'responses',
    title: 'Responses',
    format: openaiResponses,
    model: 'gpt-4.1',
    paths: { whole: '/v1/responses', stream: '/v1/responses' },
    framing: 'sse',
    source: 'https://developers.openai.com/api/reference/resources/responses',
    errorSource: 'https://developers.openai.com/api/docs/guides/error-codes',
    streamErrorSource: 'https://developers.openai.com/api/reference/resources/responses',
    end: /^event: response\.(completed|incomplete)/,
    sample: (input, stream) => ({ model: 'gpt-4.1', input, stream }),
  },
  messages: {
    name: 'messages',
    title: 'Anthropic Messages',
    format: anthropicMessages,
    model: 'claude-sonnet-4-5',
    paths: { whole: '/v1/messages', stream: '/v1/messages' },
    framing: 'sse',
    source: 'https://platform.claude.com/docs/en/build-with-claude/streaming',
    errorSource: 'https://platform.claude.com/docs/en/api/errors',
    streamErrorSource: 'https://platform.claude.com/docs/en/build-with-claude/streaming',
    end: /^event: message_delta/,
    sample: (content, stream) => ({
      model: 'claude-sonnet-4-5',
      max_tokens: 1000,
      messages: [{ role: 'user', content }],
      stream,
    }),
  },
  gemini: {
    name: 'gemini',
    title: 'Gemini',
    format: gemini,
    model: 'gemini-3-flash-preview',
    paths: {
      whole: '/v1beta/models/gemini-3-flash-preview:generateContent',
      stream: '/v1beta/models/gemini-3-flash-preview:streamGenerateContent?alt=sse',
    },
    framing: 'sse',
    source: 'https://ai.google.dev/api/generate-content',
    errorSource: 'https://ai.google.dev/gemini-api/docs/troubleshooting',
    end: /"finishReason"/,
    sample: (text) => ({ contents: [{ role: 'user', parts: [{ text }] }] }),
  },
  ollama: {
    name: 'ollama',
    title: 'Ollama',
    format: ollamaChat,
    model: 'llama3.2',
    paths: { whole: '/api/chat', stream: '/api/chat' },
    framing: 'ndjson',
    source: 'https://docs.ollama.com/api/chat',
    errorSource: 'https://docs.ollama.com/api/errors',
    streamErrorSource: 'https://docs.ollama.com/api/errors',
    end: /"done":true/,
    sample: (content, stream) => ({
      model: 'llama3.2',
      messages: [{ role: 'user', content }],
      stream,
    }),
  },
}
