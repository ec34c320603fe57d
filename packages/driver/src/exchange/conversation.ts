import {
  type AssistantMessage,
  addUsage,
  type ChatMessage,
  type Content,
  type ContentPart,
  estimateTokens,
  type FinishReason,
  type LlmError,
  mergeDetails,
  type PartialReply,
  type ReplyDetails,
  type TokenUsage,
  type ToolDefinition,
  type ToolResult,
  toUsage,
} from '@modelport/core'
import { OpenCalls } from '@modelport/core/turns'
import { defined } from '../base/defined.js'
import type { Driver, Turn } from '../base/driver.js'
import type { CallContext } from '../call/call-context.js'
import { callObserver } from '../call/call-observer.js'
import { sanitizeError } from '../call/sanitize.js'
import type { TurnRecorder } from '../turn/turn-recorder.js'
import { Exchange } from './exchange.js'
import type { StreamObserver } from './stream-observer.js'
import { watchCall } from './watch-call.js'

/** Maximum paused turns that one stream continues. */
const mostContinuations = 10

const unobserved: StreamObserver = {
  onEvent: () => undefined,
  onStep: () => undefined,
  onError: () => undefined,
}

/** What a conversation needs for its next turn. */
export interface TurnFactory {
  /** The checked turn for these messages and tools. */
  turn(messages: readonly ChatMessage[], tools: readonly ToolDefinition[]): Turn
  /** Called before each turn but the first: gives it attempts and a key of its own. */
  renew(): void
}

/**
 * The turns of one stream: reads each through an `Exchange` of its own, collects the tool results
 * between them, and adds up text and usage. Reports to its observer: a reader, or `generate`.
 */
export class Conversation {
  /** Why the last finished turn ended. */
  finishReason: FinishReason | undefined
  readonly #context: CallContext<Driver>
  readonly #factory: TurnFactory
  readonly #messages: ChatMessage[]
  readonly #openCalls = new OpenCalls()
  #tools: readonly ToolDefinition[]
  #exchange: Exchange
  #usage: TokenUsage = toUsage([])
  readonly #finished: TurnRecorder[] = []
  #text = ''
  /**
   * `reading`: the exchange may have more. `turn-ended`: results may be sent; the next `advance`
   * starts a turn or ends the stream. `done`: the stream has ended.
   */
  #phase: 'reading' | 'turn-ended' | 'done' = 'reading'
  #continuations = 0
  #observer: StreamObserver = unobserved

  constructor(
    context: CallContext<Driver>,
    factory: TurnFactory,
    messages: readonly ChatMessage[],
    tools: readonly ToolDefinition[],
  ) {
    this.#context = context
    this.#factory = factory
    this.#messages = [...messages]
    this.#tools = tools
    this.#exchange = this.#newExchange()
  }

  /** Sets the observer, once, and sends the first request. Rejects typed. */
  open(observer: StreamObserver): Promise<void> {
    this.#observer = watchCall(
      { turn: this.#exchange.turn, context: this.#context, reply: this },
      observer,
    )
    return this.#exchange.open()
  }

  /**
   * Reads one chunk of the current turn, or starts the next turn. Ends with a call of `onStep` or
   * `onError`: synchronously if nothing has to be waited for.
   */
  advance(): void {
    if (this.#phase === 'done') this.#observer.onStep(false)
    else if (this.#phase === 'reading') this.#exchange.advance()
    else
      this.#nextTurn().then(
        (more) => this.#observer.onStep(more),
        (error: unknown) => this.#observer.onError(error),
      )
  }

  /** Observes the exchange of each turn. */
  readonly #turnObserver: StreamObserver = {
    onEvent: (event) => {
      this.#observer.onEvent(event)
    },
    onStep: () => {
      try {
        if (this.#exchange.ended) this.#endTurn()
      } catch (error) {
        this.#observer.onError(error)
        return
      }
      this.#observer.onStep(true)
    },
    onError: (error) => {
      this.#observer.onError(error)
    },
  }

  /** The turn being read, or the last one. */
  get recorder(): TurnRecorder {
    return this.#exchange.recorder
  }

  fullText(): string {
    return this.#phase === 'reading' ? this.#text + this.recorder.fullText : this.#text
  }

  usage(): TokenUsage {
    const { recorder } = this
    if (this.#phase !== 'reading' || !recorder.reported) return this.#usage
    return addUsage(this.#usage, this.#turnUsage())
  }

  details(): ReplyDetails {
    const current = this.#phase === 'reading' ? [this.recorder] : []
    return mergeDetails(...[...this.#finished, ...current].map((turn) => turn.replyDetails))
  }

  messages(): readonly ChatMessage[] {
    return [...this.#messages, ...this.#openCalls.inOrder(this.recorder.finishedCalls)]
  }

  openCallIds(): string[] {
    return this.#openCalls.missing(this.recorder.finishedCalls)
  }

  /** Takes tool results, all or none. */
  addToolResults(results: readonly ToolResult[]): void {
    if (this.#phase === 'done') throw new TypeError('sendToolResults: the stream has ended')
    this.#openCalls.take(this.recorder.finishedCalls, results)
  }

  setTools(tools: readonly ToolDefinition[]): void {
    this.#tools = tools
  }

  /** The part of the current turn that has arrived. */
  partial(): PartialReply | undefined {
    return this.#phase === 'reading' ? this.#exchange.partial() : undefined
  }

  #newExchange(): Exchange {
    try {
      return new Exchange(
        this.#context,
        this.#factory.turn(this.#messages, this.#tools),
        this.#turnObserver,
      )
    } catch (error) {
      throw sanitizeError(error, this.#context.driver.name, this.#context.redact)
    }
  }

  #endTurn(): void {
    const { recorder } = this
    this.#phase = 'turn-ended'
    this.#finished.push(recorder)
    this.finishReason = recorder.finishReason
    this.#text += recorder.fullText
    const usage = this.#turnUsage()
    this.#usage = addUsage(this.#usage, usage)
    this.#remember(recorder.message(this.#context.driver.name))
    this.#warn(recorder)
    this.#observer.onEvent({ type: 'turn-end', reason: this.finishReason, usage })
  }

  #warn({ warnings }: TurnRecorder): void {
    const { onWarning } = this.#context.config
    if (!onWarning) return
    const { maxTokens } = this.#exchange.turn.options
    const all = this.finishReason === 'length' ? [...warnings, cutWarning(maxTokens)] : warnings
    for (const warning of all) callObserver(() => onWarning(this.#context.redact(warning)))
  }

  /** Adds the turn to the history; what follows a pause belongs to the message before it. */
  #remember(message: AssistantMessage): void {
    const previous = this.#messages.at(-1)
    if (this.#continuations > 0 && previous?.role === 'assistant')
      this.#messages.splice(-1, 1, joinMessages(previous, message))
    else this.#messages.push(message)
  }

  /**
   * Continues a pause or sends the results, else ends. Returns what `onStep` is called with: an
   * error that results are missing, after which the stream continues. Rejects typed if the request
   * fails.
   */
  async #nextTurn(): Promise<boolean | LlmError> {
    if (
      this.finishReason === 'pause' &&
      !this.recorder.finishedCalls.length &&
      this.#continuations < mostContinuations
    ) {
      this.#continuations++
    } else {
      if (!this.#openCalls.hasResults) return this.#end()
      const { finishedCalls } = this.recorder
      const problem = this.#openCalls.problem(finishedCalls)
      if (problem) return problem
      this.#messages.push(...this.#openCalls.close(finishedCalls))
      this.#continuations = 0
    }
    this.#factory.renew()
    this.#exchange = this.#newExchange()
    this.#phase = 'reading'
    this.#observer.onTurn?.(this.#exchange.turn)
    await this.#exchange.open()
    return true
  }

  #end(): boolean {
    this.#phase = 'done'
    this.#observer.onEvent({
      type: 'done',
      reason: this.finishReason ?? 'unknown',
      usage: this.#usage,
    })
    return true
  }

  #turnUsage(): TokenUsage {
    const { recorder } = this
    return toUsage([recorder.counts], toolTokens(this.#tools), recorder.reported)
  }
}

const cutWarning = (maxTokens: number | undefined): string =>
  maxTokens === undefined
    ? 'the reply was cut at the largest length that the model or its server allows'
    : `the reply was cut at maxTokens ${maxTokens}: raise it, or set null for the largest`

const tokensOfTools = new WeakMap<ToolDefinition, number>()

/** Each definition is estimated once, not in every turn. */
function toolTokens(tools: readonly ToolDefinition[]): number {
  return tools.reduce((sum, tool) => {
    const tokens = tokensOfTools.get(tool) ?? estimateTokens(JSON.stringify(tool))
    tokensOfTools.set(tool, tokens)
    return sum + tokens
  }, 0)
}

/** One message of two turns, the second the continuation of the first. */
function joinMessages(first: AssistantMessage, second: AssistantMessage): AssistantMessage {
  const reasoning = (first.reasoning ?? '') + (second.reasoning ?? '')
  const states = [first.origin?.state, second.origin?.state]
  // Only lists can be joined. A driver would mistake half a state for the whole.
  const state: unknown = states.every(Array.isArray) ? states.flat() : undefined
  return defined({
    ...second,
    content: joinContent(first.content, second.content),
    reasoning: reasoning || undefined,
    origin: second.origin && defined({ ...second.origin, state }),
  })
}

function joinContent(first: Content, second: Content): Content {
  if (typeof first === 'string' && typeof second === 'string') return first + second
  return [...toParts(first), ...toParts(second)]
}

function toParts(content: Content): readonly ContentPart[] {
  if (typeof content !== 'string') return content
  return content ? [{ type: 'text', text: content }] : []
}
