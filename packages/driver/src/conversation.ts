import {
  addUsage,
  type ReplyDetails,
  type AssistantMessage,
  type ChatMessage,
  estimateTokens,
  type FinishReason,
  LlmError,
  mergeDetails,
  type PartialReply,
  type StreamEvent,
  textOf,
  type TokenUsage,
  type ToolDefinition,
  type ToolMessage,
  type ToolResult,
  toToolMessage,
  toUsage,
} from '@modelport/core'
import { callObserver } from './call-observer.js'
import type { CallContext } from './call-context.js'
import { defined } from './defined.js'
import type { Turn } from './driver.js'
import type { EventProducer, ReadCallbacks } from './event-reader.js'
import { Exchange } from './exchange.js'
import type { TurnRecorder } from './turn-recorder.js'

/** How often one stream continues turns that the vendor paused, at most. */
const mostContinuations = 10

/** How a conversation makes its next round. */
export interface RoundMaker {
  /** The checked turn for these messages and tools. */
  turn(messages: readonly ChatMessage[], tools: readonly ToolDefinition[]): Turn
  /** Called before each round but the first. */
  renew(): void
}

/** One stream's conversation: its rounds, the results between them, what it cost. Emits events; knows nothing of readers. */
export class Conversation implements EventProducer {
  /** Why the last finished round ended. */
  finishReason: FinishReason | undefined
  readonly #context: CallContext
  readonly #maker: RoundMaker
  readonly #emit: (event: StreamEvent) => void
  readonly #messages: ChatMessage[]
  readonly #answers = new Map<string, ToolMessage>()
  #tools: readonly ToolDefinition[]
  #exchange: Exchange
  #usage: TokenUsage = toUsage([])
  readonly #finished: TurnRecorder[] = []
  #text = ''
  #phase: 'reading' | 'turn-ended' | 'done' = 'reading'
  #continuations = 0
  #callbacks: ReadCallbacks | undefined

  constructor(
    context: CallContext,
    maker: RoundMaker,
    messages: readonly ChatMessage[],
    tools: readonly ToolDefinition[],
    emit: (event: StreamEvent) => void,
  ) {
    this.#context = context
    this.#maker = maker
    this.#messages = [...messages]
    this.#tools = tools
    this.#emit = emit
    this.#exchange = this.#newExchange()
  }

  /** Sends the first request. */
  open(): Promise<void> {
    return this.#exchange.open()
  }

  advance(callbacks: ReadCallbacks): void {
    this.#callbacks = callbacks
    if (this.#phase === 'done') callbacks.onProgress(false)
    else if (this.#phase === 'reading') this.#exchange.read(this.#read)
    else this.#nextRound().then(callbacks.onProgress, callbacks.onError)
  }

  readonly #read: ReadCallbacks = {
    onProgress: () => {
      try {
        if (this.#exchange.ended) this.#endTurn()
      } catch (error) {
        this.#callbacks?.onError(error)
        return
      }
      this.#callbacks?.onProgress(true)
    },
    onError: (error) => {
      this.#callbacks?.onError(error)
    },
  }

  /** The round being read, or the last one. */
  get recorder(): TurnRecorder {
    return this.#exchange.recorder
  }

  fullText(): string {
    return this.#phase === 'reading' ? this.#text + this.recorder.fullText : this.#text
  }

  usage(): TokenUsage {
    const { recorder } = this
    if (this.#phase !== 'reading' || !recorder.reported) return this.#usage
    return addUsage(this.#usage, this.#roundUsage())
  }

  details(): ReplyDetails {
    return mergeDetails(...[...new Set([...this.#finished, this.recorder])].map((turn) => turn.replyDetails))
  }

  messages(): readonly ChatMessage[] {
    return [...this.#messages, ...this.#orderedAnswers()]
  }

  /** The calls of the round that have not been answered. */
  openCallIds(): string[] {
    return this.recorder.finishedCalls.map(({ id }) => id).filter((id) => !this.#answers.has(id))
  }

  /** Takes results, all or none. */
  answer(results: readonly ToolResult[]): void {
    if (this.#phase === 'done') throw new TypeError('sendToolResults: the stream has ended')
    const { finishedCalls } = this.recorder
    if (!finishedCalls.length) throw new TypeError('sendToolResults: no tool call is open')
    const taken = new Map<string, ToolMessage>()
    for (const result of results) {
      const call = finishedCalls.find(({ id }) => id === result.callId)
      if (!call || taken.has(result.callId) || this.#answers.has(result.callId)) {
        const why = call ? 'already has its result' : 'is not a tool call of this turn'
        throw new LlmError(
          'invalid-request',
          `sendToolResults: "${result.callId}" ${why}; awaiting results for: ${this.openCallIds().join(', ') || 'none'}`,
        )
      }
      taken.set(result.callId, toToolMessage(result, call.name))
    }
    for (const [id, message] of taken) this.#answers.set(id, message)
  }

  setTools(tools: readonly ToolDefinition[]): void {
    this.#tools = tools
  }

  /** What has arrived of the round that is being read. */
  partial(): PartialReply | undefined {
    return this.#phase === 'reading' ? this.#exchange.partial() : undefined
  }

  #newExchange(): Exchange {
    return new Exchange(this.#context, this.#maker.turn(this.#messages, this.#tools), this.#emit)
  }

  #endTurn(): void {
    const { recorder } = this
    this.#phase = 'turn-ended'
    this.#finished.push(recorder)
    this.finishReason = recorder.finishReason
    this.#text += recorder.fullText
    const usage = this.#roundUsage()
    this.#usage = addUsage(this.#usage, usage)
    this.#remember(recorder.message(this.#context.driver.name))
    this.#warn(recorder)
    this.#emit({ type: 'turn-end', reason: this.finishReason, usage })
  }

  #warn({ warnings }: TurnRecorder): void {
    const { onWarning } = this.#context.config
    if (!onWarning) return
    const cut = 'the reply was cut at the limit of tokens: raise maxTokens (default 4096), or set null for the largest'
    for (const warning of this.finishReason === 'length' ? [...warnings, cut] : warnings)
      callObserver(() => onWarning(this.#context.redact(warning)))
  }

  /** Adds the round to the history; what follows a pause belongs to the message before it. */
  #remember(message: AssistantMessage): void {
    const previous = this.#messages.at(-1)
    if (this.#continuations > 0 && previous?.role === 'assistant')
      this.#messages.splice(-1, 1, joinMessages(previous, message))
    else this.#messages.push(message)
  }

  async #nextRound(): Promise<boolean | LlmError> {
    if (
      this.finishReason === 'pause' &&
      !this.recorder.finishedCalls.length &&
      this.#continuations < mostContinuations
    ) {
      this.#continuations++
    } else {
      const missing = this.openCallIds()
      if (!this.#answers.size) return this.#end()
      if (missing.length) {
        return new LlmError(
          'invalid-request',
          `tool calls without a result: ${missing.join(', ')}; send one for each before reading on`,
        )
      }
      this.#messages.push(...this.#orderedAnswers())
      this.#answers.clear()
      this.#continuations = 0
    }
    this.#maker.renew()
    this.#exchange = this.#newExchange()
    this.#phase = 'reading'
    await this.#exchange.open()
    return true
  }

  #end(): boolean {
    this.#phase = 'done'
    this.#emit({ type: 'done', reason: this.finishReason ?? 'unknown', usage: this.#usage })
    return true
  }

  #orderedAnswers(): ToolMessage[] {
    if (!this.#answers.size) return []
    return this.recorder.finishedCalls.flatMap(({ id }) => this.#answers.get(id) ?? [])
  }

  #roundUsage(): TokenUsage {
    const { recorder } = this
    return toUsage([recorder.counts], toolTokens(this.#tools), recorder.reported)
  }
}

const tokensOfTools = new WeakMap<ToolDefinition, number>()

/** Each definition is estimated once, not in every round it goes along with. */
function toolTokens(tools: readonly ToolDefinition[]): number {
  return tools.reduce((sum, tool) => {
    const tokens = tokensOfTools.get(tool) ?? estimateTokens(JSON.stringify(tool))
    tokensOfTools.set(tool, tokens)
    return sum + tokens
  }, 0)
}

/** One message of two rounds, the second the continuation of the first. */
function joinMessages(first: AssistantMessage, second: AssistantMessage): AssistantMessage {
  const toParts = ({ content }: AssistantMessage): Exclude<AssistantMessage['content'], string> =>
    typeof content === 'string' ? (content ? [{ type: 'text', text: content }] : []) : content
  const texts = typeof first.content === 'string' && typeof second.content === 'string'
  const states = [first.origin?.state, second.origin?.state]
  const reasoning = (first.reasoning ?? '') + (second.reasoning ?? '')
  return defined({
    ...second,
    content: texts ? textOf(first.content) + textOf(second.content) : [...toParts(first), ...toParts(second)],
    reasoning: reasoning || undefined,
    // Half a state would be taken for the whole.
    origin:
      second.origin &&
      defined({
        provider: second.origin.provider,
        model: second.origin.model,
        state: states.every(Array.isArray) ? (states.flat() as unknown) : undefined,
      }),
  })
}
