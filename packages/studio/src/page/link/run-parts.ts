import type { ChatMessage, CostBound } from '@modelport/core'
import type { QuestionInfo } from '../../protocol/pending-call.js'
import type { RunRecord } from '../../protocol/protocol.js'
import {
  beforeRequests,
  type SentRequest,
  type WholeRequest,
  wholeRequest,
} from '../../protocol/sent-request.js'

/** A tool call as the chat shows it. */
export interface ToolView {
  readonly kind: 'tool'
  readonly id: string
  name: string
  /** The arguments as they grow, then as they were parsed. */
  args: string
  state: 'writing' | 'asking' | 'running' | 'done' | 'failed' | 'denied' | 'repeated' | 'unfinished'
  /** True if nobody knows whether the call happened. */
  isUncertain?: boolean
  /** Why it is asked. */
  reason?: string | undefined
  /** What the tool asks the user, in place of an approval. */
  question?: QuestionInfo | undefined
  result?: string
  latencyMs?: number
}

/** A text of the model. It only grows. */
export interface TextView {
  readonly kind: 'text' | 'reasoning'
  readonly id: string
  text: string
}

/** Something that the run reports, such as a retry. */
export interface NoteView {
  readonly kind: 'note'
  readonly id: string
  readonly text: string
}

/** Something that a run of a program waits for. */
export interface PendingView {
  readonly id: string
  /** `approval`, `question`, `uncertain`, or another kind of wait. */
  readonly type: string
  /** Name of the tool or the agent. */
  readonly name: string
}

/** Where a model call begins among the parts of a reply. */
export interface StepMark {
  readonly step: number
  /** Parts before it. */
  readonly place: number
}

/** The parts of a reply, in order. */
export type Segment = TextView | ToolView | NoteView

/** One bar of the waterfall. */
export interface Span {
  readonly id: string
  readonly kind: 'start' | 'model' | 'tool' | 'agent' | 'wait' | 'retry' | 'run'
  readonly name: string
  readonly step: number
  /** {@link ToolView.id} of the call that this is, or that it waits for. */
  readonly callId?: string
  /** Milliseconds since the start of the run. */
  readonly from: number
  to?: number
  firstTokenAt?: number
  state: 'running' | 'ok' | 'stopped' | 'failed'
  inputTokens?: number
  cachedTokens?: number
  outputTokens?: number
  /** True when the vendor did not count all of these tokens. */
  isEstimated?: boolean
  cost?: number
  currency?: string
  /** Unset: every price is known. */
  costBound?: CostBound
  /** Why the vendor's cache had less of the prompt than after the call before. */
  cacheBreak?: string
  /** What a program sent. */
  sentRequest?: SentRequest
  /** What differs from the prompt before, besides new messages at its end. */
  readonly changes?: readonly string[]
  /** The spending of the run when this call ended. */
  spent?: { readonly outputTokens: number; readonly cost: number }
  detail?: string
}

/**
 * The totals say which part of each prompt the vendor read from its cache; calls and turns match
 * unless a call was repeated.
 */
export function addCachedTokens(spans: readonly Span[], { usage }: RunRecord): void {
  const calls = spans.filter(({ kind, state }) => kind === 'model' && state === 'ok')
  if (usage?.turns.length !== calls.length) return
  for (const [index, call] of calls.entries())
    call.cachedTokens = usage.turns[index]?.cacheReadTokens ?? 0
}

/**
 * The messages that the model had in a step: those of the start, and the replies and recorded
 * results of the steps before.
 * @throws {Error} The transcript does not say it.
 */
export function messagesBefore(
  { messages, transcript = messages }: RunRecord,
  { spans, isShortened }: { readonly spans: readonly Span[]; readonly isShortened: boolean },
  step: number,
): readonly ChatMessage[] {
  const replies = repliesIn(transcript, messages.length)
  const calls = spans.filter(({ kind, state }) => kind === 'model' && state === 'ok').length
  // A reply that was cut off is not of a call that ended.
  if (isShortened || replies.length < calls)
    throw new Error(
      'What the model had in this step is not known: the conversation was shortened, or a reply is not in it. Run it again from its start.',
    )
  return transcript.slice(0, replies[step - 1])
}

/** Where the replies of a run stand: after the `known` messages that it began with. */
const repliesIn = (conversation: readonly ChatMessage[], known: number): readonly number[] =>
  conversation.flatMap(({ role }, index) => (index >= known && role === 'assistant' ? [index] : []))

/** The request of a model call of a program, and the one before it, as far as they are known. */
export function requestOf(
  { messages }: RunRecord,
  spans: readonly Span[],
  span: Span,
): { readonly request?: WholeRequest | undefined; readonly before?: WholeRequest | undefined } {
  let before: WholeRequest | undefined
  let request: WholeRequest | undefined = beforeRequests(messages)
  for (const { sentRequest } of spans.slice(0, spans.indexOf(span) + 1)) {
    if (!sentRequest) continue
    before = request
    request = wholeRequest(sentRequest, before)
  }
  return span.sentRequest ? { request, before } : {}
}

/** What a model call was sent and what came back, as messages. */
export interface CallMessages {
  /** Messages that the model had before, in the call before or in an earlier run. */
  readonly before: readonly ChatMessage[]
  /** What was sent for the first time. */
  readonly sent: readonly ChatMessage[]
  /** The reply, as far as it has arrived. Unset: none has. */
  readonly reply: ChatMessage | undefined
}

/**
 * The messages of a model call: of its request, if that was kept, else from the transcript, or from
 * what the run has said so far if the transcript is missing or was shortened.
 */
export function messagesOf(
  record: RunRecord,
  view: {
    readonly spans: readonly Span[]
    readonly isShortened: boolean
    readonly told: readonly ChatMessage[]
  },
  span: Span,
): CallMessages {
  const { messages, transcript, from } = record
  const hasReply = ({ kind, state }: Span): boolean =>
    kind === 'model' && (state === 'ok' || state === 'running')
  const isWhole =
    transcript !== undefined &&
    !view.isShortened &&
    repliesIn(transcript, messages.length).length === view.spans.filter(hasReply).length
  const all = isWhole ? transcript : [...messages, ...view.told]
  const replies = repliesIn(all, messages.length)

  const place = view.spans.slice(0, view.spans.indexOf(span)).filter(hasReply).length
  const at = replies[place]
  const reply = at === undefined || !hasReply(span) ? undefined : all[at]

  const { request, before } = requestOf(record, view.spans, span)
  if (request) {
    const known = before?.about ? newIn(request) : firstNew(request.messages, undefined)
    return { before: request.messages.slice(0, known), sent: request.messages.slice(known), reply }
  }

  const start = replies[place - 1]
  const known = start === undefined ? firstNew(messages, from?.messages) : start + 1
  return { before: all.slice(0, known), sent: all.slice(known, at), reply }
}

/** Where the new part of a request begins: after what it repeats, and after the reply to that. */
const newIn = ({ messages, same }: WholeRequest): number =>
  messages[same]?.role === 'assistant' ? same + 1 : same

/** Where the new part of a conversation begins: after the run before, or at its last question. */
function firstNew(messages: readonly ChatMessage[], kept: number | undefined): number {
  if (kept !== undefined && kept < messages.length) return kept
  return messages.findLastIndex(({ role }) => role === 'assistant') + 1
}
