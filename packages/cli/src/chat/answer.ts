import type {
  AssistantMessage,
  CallOptions,
  ChatMessage,
  FinishReason,
  Provider,
  StreamEvent,
  TokenUsage,
  ToolCall,
  ToolResult,
} from '@modelport/core'
import type { LocalTool } from '../tools/tool-module.js'
import { type Approve, runTool } from '../tools/run-tool.js'

/** Is shown an answer while it comes. */
export interface AnswerView {
  event(event: StreamEvent): void
  /** A call is allowed and runs. */
  started(call: ToolCall): void
  /** A call was run, or refused. */
  result(call: ToolCall, result: ToolResult): void
  /** The answer is over, however. */
  end(): void
}

/** What to ask, and with what. */
export interface Question {
  readonly provider: Provider
  /** The conversation, the user's new message last. */
  readonly messages: readonly ChatMessage[]
  readonly tools: readonly LocalTool[]
  readonly approve: Approve
  /** Most milliseconds a tool may take that does not say. */
  readonly toolTimeoutMs?: number
  readonly options: CallOptions
  readonly signal: AbortSignal
  readonly view: AnswerView
}

/** An answer, or the part of it that came before the user stopped it. */
export interface Answer {
  readonly text: string
  readonly usage: TokenUsage
  /** Undefined for one that was stopped. */
  readonly finishReason: FinishReason | undefined
  /** The conversation with the answer, ready for the next message. */
  readonly messages: readonly ChatMessage[]
  /** Results of the tools that ran, in order. */
  readonly results: readonly ToolResult[]
  readonly interrupted: boolean
}

/** Sends the question, shows the reply and runs the tools it calls. Rejects with an `LlmError`; a reply that the user stopped resolves. */
export async function ask({
  provider,
  messages,
  tools,
  approve,
  toolTimeoutMs,
  options,
  signal,
  view,
}: Question): Promise<Answer> {
  const reader = await provider.streamWithTools(
    messages,
    tools.map(({ definition }) => definition),
    options,
    { signal },
  )
  const results: ToolResult[] = []
  let finishReason: FinishReason | undefined
  let calls: ToolCall[] = []
  let step = 0
  try {
    for await (const event of reader) {
      view.event(event)
      if (event.type === 'tool-call-complete') calls.push(event.toolCall)
      if (event.type === 'done') finishReason = event.reason
      if (event.type !== 'turn-end') continue
      step++
      for (const call of calls) {
        const result = await runTool(call, {
          tools,
          approve,
          step,
          signal,
          ...(toolTimeoutMs !== undefined && { timeoutMs: toolTimeoutMs }),
          onStart: () => {
            view.started(call)
          },
        })
        view.result(call, result)
        results.push(result)
        await reader.sendToolResults([result])
      }
      calls = []
    }
    const text = reader.fullText()
    return { text, usage: reader.usage(), finishReason, messages: reader.messages(), results, interrupted: false }
  } catch (error) {
    if (!signal.aborted) throw error
    const text = reader.fullText()
    const kept = { text, usage: reader.usage(), finishReason: undefined, results }
    return { ...kept, messages: toInterrupted(messages, text), interrupted: true }
  } finally {
    view.end()
    await reader.close()
  }
}

/** Keeps the text so far; removes a question without any reply, since the next message is the user's. */
function toInterrupted(messages: readonly ChatMessage[], text: string): readonly ChatMessage[] {
  if (!text) return messages.slice(0, -1)
  const partial: AssistantMessage = { role: 'assistant', content: text }
  return [...messages, partial]
}
