import type { NeutralRecord } from '@modelport/driver'
import {
  type AgentInputItem,
  type ModelRequest,
  OpenAIChatCompletionsModel,
  setTracingDisabled,
  type Usage,
  withTrace,
} from '@openai/agents'
import OpenAI from 'openai'
import {
  apiKey,
  baseUrl,
  type Peer,
  type PeerRequest,
  systemTextsOf,
  textOfContent,
  toEnd,
} from './peer.ts'

setTracingDisabled(true)

/** OpenAI Agents JS: its model of Chat Completions, which its runner calls. */
export const agents: Peer = {
  name: 'Agents JS',
  packages: ['@openai/agents', 'openai'],
  ask: async function* (request): AsyncGenerator<NeutralRecord> {
    const client = new OpenAI({ apiKey, baseURL: baseUrl, fetch: request.fetch, maxRetries: 0 })
    const model = new OpenAIChatCompletionsModel(client, request.turn.model)
    if (!request.turn.stream) {
      // Its runner opens a trace around every run; nothing of it is sent.
      const response = await withTrace('comparison', () => model.getResponse(toRequest(request)))
      const { output, usage, providerData } = response
      const { choices } = Object(providerData) as {
        readonly choices?: readonly { readonly finish_reason?: string }[]
      }
      yield* toRecords(output, usage, choices?.[0]?.finish_reason, true)
      return
    }
    let finish: string | undefined
    for await (const event of model.getStreamedResponse(toRequest(request))) {
      if (event.type === 'output_text_delta') yield { type: 'text', text: event.delta }
      // The reason stands only in the raw event, which the runner hands out too.
      else if (event.type === 'model') finish = finishOf(event.event) ?? finish
      else if (event.type === 'response_done')
        yield* toRecords(
          event.response.output,
          event.response.usage as unknown as Usage,
          finish,
          false,
        )
    }
  },
}

const finishOf = (chunk: unknown): string | undefined =>
  (Object(chunk) as { readonly choices?: readonly { readonly finish_reason?: string | null }[] })
    .choices?.[0]?.finish_reason ?? undefined

function* toRecords(
  output: readonly unknown[],
  usage: Usage,
  raw: string | undefined,
  withText: boolean,
): Generator<NeutralRecord> {
  let index = 0
  for (const item of output as readonly Record<string, unknown>[]) {
    if (item['type'] === 'reasoning') {
      const texts = (item['rawContent'] ?? item['content']) as readonly { readonly text?: string }[]
      for (const { text = '' } of texts) yield { type: 'reasoning', text }
    } else if (item['type'] === 'function_call')
      yield {
        type: 'call',
        index: index++,
        id: String(item['callId']),
        name: String(item['name']),
        arguments: String(item['arguments']),
      }
    else if (item['type'] === 'message' && withText)
      for (const part of item['content'] as readonly {
        readonly text?: string
        readonly refusal?: string
      }[])
        yield { type: 'text', text: part.text ?? part.refusal ?? '' }
  }
  const input = [usage.inputTokensDetails].flat()[0] ?? {}
  const generated = [usage.outputTokensDetails].flat()[0] ?? {}
  yield toEnd(
    raw,
    {
      inputTokens: usage.inputTokens,
      outputTokens: usage.outputTokens,
      cacheReadTokens: input['cached_tokens'],
      cacheCreationTokens: input['cache_write_tokens'],
      reasoningTokens: generated['reasoning_tokens'],
    },
    raw,
  )
}

function toRequest({ turn, signal }: PeerRequest): ModelRequest {
  const { maxTokens, temperature } = turn.options
  const system = systemTextsOf(turn)
  return {
    ...(system.length && { systemInstructions: system.join('\n') }),
    input: turn.messages.flatMap(toItems),
    modelSettings: {
      ...(typeof maxTokens === 'number' && { maxTokens }),
      ...(typeof temperature === 'number' && { temperature }),
    },
    tools: turn.tools.map(({ name, description, parameters }) => ({
      type: 'function',
      name,
      description,
      parameters: (parameters ?? {
        type: 'object',
        properties: {},
        required: [],
        additionalProperties: true,
      }) as never,
      strict: false,
      deferLoading: false,
    })),
    outputType: 'text',
    handoffs: [],
    tracing: false,
    signal,
  }
}

function toItems(message: PeerRequest['turn']['messages'][number]): AgentInputItem[] {
  if (message.role === 'system') return []
  const text = textOfContent(message.content)
  if (message.role === 'user') return [{ role: 'user', content: text }]
  if (message.role === 'tool')
    return [
      {
        type: 'function_call_result',
        callId: message.toolCallId,
        name: message.toolName ?? '',
        status: 'completed',
        output: { type: 'text', text },
      },
    ]
  return [
    ...(text
      ? [
          {
            role: 'assistant' as const,
            status: 'completed' as const,
            content: [{ type: 'output_text' as const, text }],
          },
        ]
      : []),
    ...(message.toolCalls ?? []).map(({ id, name, argumentsText }) => ({
      type: 'function_call' as const,
      callId: id,
      name,
      arguments: argumentsText,
      status: 'completed' as const,
    })),
  ]
}
