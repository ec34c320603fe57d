import {
  type CallOptions,
  type ChatMessage,
  type FinishReason,
  isLlmError,
  LlmError,
  longestTimer,
  type ModelProfile,
  type Provider,
  type StreamEvent,
  type TokenUsage,
  type ToolResult,
} from '@modelport/core'
import {
  type Answer,
  type Authorize,
  type BudgetLedger,
  type FinishedCall,
  type GivenLimits,
  type InferRequest,
  infer,
  type PendingItem,
  type PendingQuestion,
  type ResumeDecision,
  type RunEvent,
  type RunResult,
  type Tool,
  type ToolSource,
} from '@modelport/runtime'
import { TurnLimitError } from '../errors/turn-limit-error.js'

/** Is shown a reply while it arrives. */
export interface ReplyView {
  /** An event of the model's stream. A `done` comes once, at the end of the last reply. */
  event(event: StreamEvent): void
  run(event: RunEvent): void
  /** The results of all calls of a step, in call order. */
  results?(results: readonly ToolResult[]): void
  /** The run is over, however. */
  end?(): void
}

/** The request and its settings. */
export interface Question {
  readonly provider: Provider
  /** The conversation, the user's new message last. */
  readonly messages: readonly ChatMessage[]
  readonly tools?: readonly Tool[]
  /** MCP servers whose tools may be called. */
  readonly sources?: readonly ToolSource[]
  /** Asked before each call. Default: every call is allowed. */
  readonly authorize?: Authorize
  /** Asked for the answer to a question of a tool. Default: nobody is there. */
  readonly answer?: ((question: PendingQuestion['question']) => Promise<Answer>) | undefined
  /** Default: those of the runtime. */
  readonly limits?: GivenLimits
  /** Shared by all questions of a chat. Unset: nothing limits what is spent. */
  readonly budget?: BudgetLedger | undefined
  /** What the configuration says of the model. */
  readonly profile?: ModelProfile | undefined
  readonly options: CallOptions
  readonly signal: AbortSignal
  /** Unset: nothing is shown while the reply arrives. */
  readonly view?: ReplyView
}

/** A reply, or the part of it that came before something stopped it. */
export interface ChatReply {
  readonly text: string
  readonly usage: TokenUsage
  /** Undefined for one that was stopped. */
  readonly finishReason: FinishReason | undefined
  readonly messages: readonly ChatMessage[]
  /** True if the user stopped it. */
  readonly interrupted: boolean
  readonly stopped?: LlmError
  /** True if the server refused tools, and calls were asked for as JSON. */
  readonly hasRefusedTools?: boolean
}

/**
 * Sends the question, shows the reply and runs the tools it calls. Rejects with an `LlmError`; a
 * reply that the user, a limit or a budget stopped resolves.
 */
export async function ask(question: Question): Promise<ChatReply> {
  const {
    provider,
    messages,
    tools = [],
    sources = [],
    limits,
    budget,
    profile,
    authorize,
    options,
    signal,
    view,
  } = question
  const hasTools = tools.length + sources.length > 0
  const watch = new TurnWatch(view)
  try {
    const request: InferRequest = {
      tools,
      sources,
      // Without tools there is nothing to ask for in another form.
      mode: hasTools ? 'auto' : 'native',
      limits: {
        ...limits,
        ...(!hasTools && { maxParseFailures: 1 }),
        concurrency: 1,
        budget,
        profile,
      },
      options,
      ...toForm(options, hasTools),
      authorize,
      signal: within(options, hasTools, signal),
      observe: {
        onStreamEvent: (event) => watch.take(event),
        onEvent: (event) => watch.run(event),
      },
      afterTools: (calls) => watch.finish(calls),
    }
    let result: RunResult = await infer(provider, { ...request, messages })
    while (question.answer && result.status === 'suspended' && result.pending.every(isQuestion)) {
      const decisions: ResumeDecision[] = []
      for (const { id, digest, question: asked } of result.pending.filter(isQuestion))
        decisions.push({ type: 'answer', id, digest, ...(await question.answer(asked)) })
      const durable = { resume: result.checkpoint, decisions }
      result = await infer(provider, { ...request, messages: result.transcript, durable })
    }
    return toReply(question, result, watch)
  } finally {
    view?.end?.()
  }
}

const isQuestion = (item: PendingItem): item is PendingQuestion => item.type === 'question'

/** Facts that are observed during a run, for its result. */
class TurnWatch {
  finishReason: FinishReason | undefined
  /** True once the server refused tools; calls are then requested as JSON. */
  hasRefusedTools = false
  /** The text of the last turn: in JSON mode that of its final action. */
  text = ''
  /** True until the turn is whole. */
  isOpen = false
  readonly #shownCalls = new Set<string>()
  readonly #view: ReplyView | undefined

  constructor(view: ReplyView | undefined) {
    this.#view = view
  }

  take(event: StreamEvent): void {
    // Each step is a stream with an end of its own.
    if (event.type === 'done') return
    if (!this.isOpen) this.text = ''
    if (event.type === 'tool-call-complete') this.#shownCalls.add(event.toolCall.id)
    this.isOpen = event.type !== 'turn-end' || event.reason === 'pause'
    if (event.type === 'turn-end') this.finishReason = event.reason
    // The run emits the text, which in JSON mode is only a part of the model's output.
    if (event.type !== 'text-delta') this.#view?.event(event)
  }

  run(event: RunEvent): void {
    if (event.type === 'text-delta') {
      this.text += event.text
      this.#view?.event({ type: 'text-delta', text: event.text })
      return
    }
    if (event.type === 'mode-changed') this.hasRefusedTools = true
    if (event.type === 'action-requested') this.#showCall(event)
    this.#view?.run(event)
  }

  /** Shows a call that the model wrote as text like one that the API carries. */
  #showCall({ actionId: id, action }: Extract<RunEvent, { type: 'action-requested' }>): void {
    if (action.type !== 'tool_call' || this.#shownCalls.has(id)) return
    const { tool: name, args } = action
    const toolCall = { id, name, arguments: args, argumentsText: JSON.stringify(args) }
    this.#view?.event({ type: 'tool-call-complete', toolCall })
  }

  finish(calls: readonly FinishedCall[]): undefined {
    this.#view?.results?.(
      calls.map(({ callId, content, isError }) => ({
        callId,
        content,
        ...(isError && { isError }),
      })),
    )
    return undefined
  }

  end(usage: TokenUsage): void {
    this.#view?.event({ type: 'done', reason: this.finishReason ?? 'unknown', usage })
  }
}

function toReply(question: Question, result: RunResult, watch: TurnWatch): ChatReply {
  const { usage } = result
  const { text, hasRefusedTools } = watch
  const stopped = {
    hasRefusedTools,
    text,
    usage,
    messages: keptOf(question, result),
    finishReason: undefined,
  }
  switch (result.status) {
    case 'final':
      break
    case 'cancelled':
      if (!question.signal.aborted) throw toTimeout(question.options)
      return { ...stopped, interrupted: true }
    case 'failed':
      // A refusal counts as a reply: its finish reason shows it.
      if (watch.finishReason !== 'content-filter' || !isLlmError(result.error, 'content-filter'))
        throw result.error
      break
    case 'limit':
      if (result.limit === 'parse-failures') break
      return {
        ...stopped,
        interrupted: false,
        stopped: new TurnLimitError(result.limit, result.message),
      }
    case 'budget':
      return {
        ...stopped,
        interrupted: false,
        stopped: new LlmError('budget-exceeded', result.message),
      }
    case 'suspended':
      throw new LlmError(
        'unsupported',
        'the result of a tool comes later, and a chat cannot wait for it; use "modelport agent serve"',
      )
  }
  watch.end(usage)
  return { ...stopped, finishReason: watch.finishReason, interrupted: false }
}

/**
 * The conversation for the next message, without a question that has no reply at all. The
 * transcript has the part of a reply that broke off.
 */
const keptOf = ({ messages }: Question, { transcript }: RunResult): readonly ChatMessage[] =>
  transcript.length > messages.length ? transcript : messages.slice(0, -1)

/**
 * Asks for the form of the reply. Next to tools most vendors refuse a schema: the model then reads
 * it, and the reply is checked here.
 */
function toForm(
  { responseFormat }: CallOptions,
  hasTools: boolean,
): Pick<InferRequest, 'output' | 'outputSchema'> {
  if (!responseFormat) return {}
  if (hasTools && responseFormat.type === 'json-schema')
    return { outputSchema: responseFormat.schema }
  return { output: { parse: ({ text }) => ({ ok: true, value: text }) } }
}

/**
 * The signal of a run with tools, whose deadline spans all of its turns. The usage of one turn is
 * the provider's.
 */
function within({ deadlineMs }: CallOptions, hasTools: boolean, signal: AbortSignal): AbortSignal {
  if (deadlineMs === undefined || deadlineMs === null || !hasTools) return signal
  return AbortSignal.any([signal, AbortSignal.timeout(Math.min(deadlineMs, longestTimer))])
}

const toTimeout = ({ deadlineMs }: CallOptions): LlmError =>
  new LlmError(
    'timeout',
    `there was no final reply within ${Number(deadlineMs) / 1000} s; raise --timeout`,
  )
