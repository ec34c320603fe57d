import type { ErrorCode, FinishReason, JsonObject, LlmError, TokenCounts } from '@modelport/core'
import { checkSettings, namesOf } from '@modelport/core/settings'
import type { Turn } from '@modelport/driver'

/** A tool call the mock makes. */
export interface MockToolCall {
  /** Default: the wire has no id, so the provider makes one: `call_1`, `call_2`, … */
  readonly id?: string
  /** Name of the tool to call. */
  readonly name: string
  /** Default: none. */
  readonly arguments?: JsonObject
  /** Sent instead of the JSON of `arguments`, to send text that is not JSON. */
  readonly argumentsText?: string
}

/** What the mock says to one request. */
export interface MockTurn {
  /** Text, cut into chunks when it is streamed; a list is streamed as it is. */
  readonly text?: string | readonly string[] | undefined
  /** Reasoning before the text, cut into chunks in the same way. */
  readonly reasoning?: string | readonly string[] | undefined
  /** Calls of the turn, in order, after the text. */
  readonly toolCalls?: readonly MockToolCall[] | undefined
  /** Default `stop`, which becomes `tool-calls` with tool calls. */
  readonly finish?: FinishReason | undefined
  /** Token counts, over those of the configuration. */
  readonly usage?: Partial<TokenCounts> | undefined
  /**
   * The turn fails with this error. Text, reasoning and calls are sent before it; if there are
   * none, nothing is sent, so that the request is tried again if the code allows it.
   */
  readonly error?: ErrorCode | LlmError | undefined
  /**
   * True ends the wire after text and calls without its terminal mark: the read rejects
   * `truncated`.
   */
  readonly cut?: boolean | undefined
}

/**
 * A turn, or its parts one by one: each is sent when the iterator gives it. A part with `finish`,
 * `error` or `cut` is the last.
 */
export type MockReply = MockTurn | AsyncIterable<MockTurn>

/**
 * A reply of the mock: text, a turn, or a function that makes a reply from the request. An async
 * generator may wait between its parts. The signal is aborted when nobody reads the reply any more.
 */
export type MockResponse =
  | string
  | MockTurn
  | ((request: Turn, signal: AbortSignal) => string | MockReply)

const turnNames = namesOf<MockTurn>({
  text: true,
  reasoning: true,
  toolCalls: true,
  finish: true,
  usage: true,
  error: true,
  cut: true,
})
const callNames = namesOf<MockToolCall>({
  id: true,
  name: true,
  arguments: true,
  argumentsText: true,
})

/**
 * Refuses fields of a turn that nothing reads.
 * @throws {TypeError} names the field, and the one that was probably meant
 */
export function checkTurn(turn: MockTurn): MockTurn {
  checkSettings('createMock: a response', turn, turnNames)
  for (const call of turn.toolCalls ?? [])
    checkSettings('createMock: a call of a response', call, callNames)
  return turn
}

/** The reply to a request: calls a response that is a function. */
export function toMockReply(response: MockResponse, request: Turn, signal: AbortSignal): MockReply {
  const isFunction = typeof response === 'function'
  const reply = isFunction ? response(request, signal) : response
  if (reply instanceof Promise)
    throw new TypeError(
      'createMock: a response must not be a promise; an async generator (async function*) may wait',
    )
  if (typeof reply === 'string') return { text: reply }

  // A turn of the configuration was checked with the configuration.
  return isFunction && !isInParts(reply) ? checkTurn(reply) : reply
}

/** True when the parts of a reply come one by one. */
export const isInParts = (reply: MockReply): reply is AsyncIterable<MockTurn> =>
  Symbol.asyncIterator in reply

/** True when a turn says nothing before its error. */
export const failsAtOnce = ({ error, text, reasoning, toolCalls }: MockTurn): boolean =>
  error !== undefined && !text?.length && !reasoning?.length && !toolCalls?.length
