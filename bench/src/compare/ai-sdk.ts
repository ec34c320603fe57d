import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { NeutralRecord } from '@modelport/driver'
import {
  generateText,
  jsonSchema,
  type LanguageModelUsage,
  type ModelMessage,
  streamText,
  type ToolSet,
  tool,
} from 'ai'
import {
  apiKey,
  baseUrl,
  noParameters,
  type Peer,
  type PeerRequest,
  textOfContent,
  toEnd,
} from './peer.ts'

Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false })

/** AI SDK: `streamText` and `generateText` with its provider for servers like OpenAI's. */
export const aiSdk: Peer = {
  name: 'AI SDK',
  packages: ['ai', '@ai-sdk/openai-compatible'],
  ask: async function* (request): AsyncGenerator<NeutralRecord> {
    const { turn } = request
    if (!turn.stream) {
      const result = await generateText(toRequest(request))
      if (result.finalStep.reasoningText)
        yield { type: 'reasoning', text: result.finalStep.reasoningText }
      yield { type: 'text', text: result.text }
      for (const [index, call] of result.toolCalls.entries()) yield toCall(index, call)
      yield toEnd(result.finishReason, toCounts(result.usage), result.rawFinishReason)
      return
    }
    let calls = 0
    // `onError` only keeps the library from printing; the error is a part of the stream too.
    for await (const part of streamText({ ...toRequest(request), onError: () => undefined })
      .stream) {
      if (part.type === 'text-delta') yield { type: 'text', text: part.text }
      else if (part.type === 'reasoning-delta') yield { type: 'reasoning', text: part.text }
      else if (part.type === 'tool-call') yield toCall(calls++, part)
      else if (part.type === 'error') throw part.error
      else if (part.type === 'finish-step')
        yield toEnd(part.finishReason, toCounts(part.usage), part.rawFinishReason)
    }
  },
}

const toCall = (
  index: number,
  call: {
    readonly toolCallId: string
    readonly toolName: string
    readonly input: unknown
    readonly invalid?: boolean | undefined
  },
): NeutralRecord => ({
  type: 'call',
  index,
  id: call.toolCallId,
  name: call.toolName,
  // Arguments that are not JSON are handed out as text.
  arguments:
    call.invalid && typeof call.input === 'string' ? call.input : JSON.stringify(call.input),
})

const toCounts = (usage: LanguageModelUsage): Parameters<typeof toEnd>[1] => ({
  inputTokens: usage.inputTokens,
  outputTokens: usage.outputTokens,
  cacheReadTokens: usage.inputTokenDetails.cacheReadTokens,
  cacheCreationTokens: usage.inputTokenDetails.cacheWriteTokens,
  reasoningTokens: usage.outputTokenDetails.reasoningTokens,
})

function toRequest({ turn, fetch, signal }: PeerRequest) {
  const { messages, options, tools } = turn
  const toolSet: ToolSet = Object.fromEntries(
    tools.map(({ name, description, parameters = noParameters }) => [
      name,
      tool({ description, inputSchema: jsonSchema(parameters) }),
    ]),
  )
  return {
    model: createOpenAICompatible({
      name: 'peer',
      apiKey,
      baseURL: baseUrl,
      fetch,
      includeUsage: true,
    })(turn.model),
    messages: messages.map(toMessage),
    allowSystemInMessages: true,
    maxRetries: 0,
    abortSignal: signal,
    ...(tools.length && { tools: toolSet }),
    ...(typeof options.maxTokens === 'number' && { maxOutputTokens: options.maxTokens }),
    ...(typeof options.temperature === 'number' && { temperature: options.temperature }),
  }
}

function toMessage(message: PeerRequest['turn']['messages'][number]): ModelMessage {
  switch (message.role) {
    case 'assistant':
      return {
        role: 'assistant',
        content: [
          ...(textOfContent(message.content)
            ? [{ type: 'text' as const, text: textOfContent(message.content) }]
            : []),
          ...(message.toolCalls ?? []).map(({ id, name, arguments: input }) => ({
            type: 'tool-call' as const,
            toolCallId: id,
            toolName: name,
            input,
          })),
        ],
      }
    case 'tool':
      return {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: message.toolCallId,
            toolName: message.toolName ?? '',
            output: {
              type: message.isError ? 'error-text' : 'text',
              value: textOfContent(message.content),
            },
          },
        ],
      }
    default:
      return { role: message.role, content: textOfContent(message.content) }
  }
}
