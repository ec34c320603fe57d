import { type ChatMessage, LlmError, type UserMessage } from '@modelport/core'
import { Transcript } from '../../history/transcript.js'
import type { ActionMode } from '../../reply/action-mode.js'
import { renderCalls } from '../../reply/render-calls.js'
import type { InferRequest } from '../request/run-request.js'
import { LongResults } from './long-results.js'
import { splitMessages } from './resume.js'

/** The messages of a run. */
export class RunConversation {
  /** The kept history as it was at the start. */
  readonly historyBefore: readonly ChatMessage[]
  readonly longResults: LongResults
  #transcript: Transcript
  /** The messages of users while the run was suspended. */
  #followUps: readonly UserMessage[]
  /** Messages before the first of the replies in a row that were not an action. */
  #failuresFrom: number | undefined

  /**
   * @throws {LlmError} `config`, `invalid-request` — nothing is asked, or the messages cannot be
   * sent; {@link ResumeError}.
   * @param maxResultLength characters of a tool result that are sent
   */
  constructor(request: InferRequest, maxResultLength: number) {
    this.longResults = new LongResults(maxResultLength)
    this.historyBefore = request.history?.toList() ?? []
    const split = splitMessages(request, request.messages ?? this.historyBefore)
    this.#followUps = split?.followUps ?? []
    this.#transcript = new Transcript(split?.stored ?? toMessages(request, this.historyBefore))
    this.#transcript.sendable()
    this.#failuresFrom = request.durable?.resume?.failuresFrom
  }

  get transcript(): Transcript {
    return this.#transcript
  }

  /**
   * The messages, fit to be sent in the mode of the run.
   * @throws {LlmError} as {@link Transcript.sendable}.
   */
  sendable(mode: ActionMode): readonly ChatMessage[] {
    return this.longResults.show(renderCalls(this.#transcript.sendable(), mode))
  }

  /** True if users said something while the run was suspended that the model has not read. */
  get hasFollowUps(): boolean {
    return this.#followUps.length > 0
  }

  /** Messages before the first of the replies in a row that were not an action. */
  get failuresFrom(): number | undefined {
    return this.#failuresFrom
  }

  /** Appends what users said while the run was suspended. */
  appendFollowUps(): void {
    for (const message of this.#followUps) this.#transcript.append(message)
    this.#followUps = []
  }

  /** Replaces the messages, after a compaction; some may be those it had. */
  replace(messages: readonly ChatMessage[]): void {
    const firstFailure =
      this.#failuresFrom === undefined ? undefined : this.#transcript.messages[this.#failuresFrom]
    const place = firstFailure ? messages.indexOf(firstFailure) : -1
    this.#failuresFrom = place < 0 ? undefined : place
    this.#transcript = new Transcript(messages)
  }

  /** The reply that is appended next is not an action. */
  markFailure(): void {
    this.#failuresFrom ??= this.#transcript.messages.length
  }

  /**
   * The model has understood the corrections; `dropThem` removes them and the replies that they
   * corrected.
   */
  forgetFailures(dropThem: boolean): void {
    if (this.#failuresFrom !== undefined && dropThem)
      this.#transcript = new Transcript(this.#transcript.messages.slice(0, this.#failuresFrom))
    this.#failuresFrom = undefined
  }
}

function toMessages(
  { messages, history, query, calls, stopWhen }: InferRequest,
  historyBefore: readonly ChatMessage[],
): readonly ChatMessage[] {
  if (messages && history) throw new LlmError('config', 'give either messages or history, not both')
  const before = messages ?? historyBefore
  const all: readonly ChatMessage[] =
    query === undefined ? before : [...before, { role: 'user', content: query }]
  // A run that only makes given calls asks the model nothing.
  const needsQuestion = !calls?.length || stopWhen === undefined
  if (needsQuestion && !all.some(({ role }) => role !== 'system'))
    throw new LlmError('config', 'nothing is asked: give a query, messages or a history')
  return all
}
