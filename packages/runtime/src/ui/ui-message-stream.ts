import { errorText } from '@modelport/core/text'
import type { RunEvent } from '../events/run-event.js'
import type { PendingItem, PendingQuestion } from '../journal/pending-item.js'
import type { RunResult } from '../loop/result/run-result.js'
import { RunStory, type StoryChange } from './run-story.js'
import { streamOf, toSseResponse } from './sse-response.js'

/** A chunk of the AI SDK's UI message stream, as `useChat` reads it. */
export type UiMessageChunk =
  | { readonly type: 'start'; readonly messageId?: string }
  | { readonly type: 'start-step' | 'finish-step' }
  | {
      readonly type: 'text-start' | 'text-end' | 'reasoning-start' | 'reasoning-end'
      readonly id: string
    }
  | { readonly type: 'text-delta' | 'reasoning-delta'; readonly id: string; readonly delta: string }
  | {
      readonly type: 'tool-input-available'
      readonly toolCallId: string
      readonly toolName: string
      readonly input: unknown
    }
  | {
      readonly type: 'tool-approval-request'
      readonly approvalId: string
      readonly toolCallId: string
      readonly reason?: string
    }
  | {
      readonly type: 'tool-approval-response'
      readonly approvalId: string
      readonly approved: boolean
      readonly reason?: string
    }
  | {
      readonly type: 'tool-output-available'
      readonly toolCallId: string
      readonly output: unknown
      /** True for what the tool reports while it runs: the next one replaces it. */
      readonly preliminary?: true
    }
  | {
      readonly type: 'tool-output-error'
      readonly toolCallId: string
      readonly errorText: string
    }
  | { readonly type: 'tool-output-denied'; readonly toolCallId: string }
  /** What the tool asks whose approval has the same id. */
  | {
      readonly type: 'data-question'
      readonly id: string
      readonly data: PendingQuestion['question']
    }
  | {
      readonly type: 'source-url'
      readonly sourceId: string
      readonly url: string
      readonly title?: string
    }
  | { readonly type: 'file'; readonly url: string; readonly mediaType: string }
  | { readonly type: 'error'; readonly errorText: string }
  | {
      readonly type: 'finish'
      readonly finishReason: 'stop' | 'length' | 'tool-calls' | 'error' | 'other'
    }

/** A run to show: its reader, or events that were stored. */
export interface RunEvents extends AsyncIterable<RunEvent> {
  /** How the run ended; sources and images are taken from it. */
  result?(): Promise<RunResult>
}

/** How a run is shown. */
export interface UiStreamOptions {
  /** Id of the assistant's message. Default: the client makes one. */
  readonly messageId?: string | undefined
  /**
   * The text of a failure for the user: of the run, with the code of its error (`limit-exceeded`,
   * `budget-exceeded` or `length` if a limit ended it), or of a tool or an agent, with the code
   * `tool`. Default: a sentence about the limit, else "An error occurred.", since messages of
   * servers and tools are not for every user.
   */
  readonly onError?:
    | ((error: { readonly message: string; readonly code: string }) => string)
    | undefined
}

/**
 * Writes a run as the AI SDK's UI message stream, version 1; each call is a part `tool-NAME`.
 * Reading it drives the run; cancelling it closes the run's reader. In JSON and text mode the text
 * is shown when the run has ended, since until then it is the text of an action.
 */
export function toUiMessageStream(
  run: RunEvents,
  options: UiStreamOptions = {},
): ReadableStream<UiMessageChunk> {
  return streamOf(chunksOf(run, options))
}

/**
 * The response to a request of `useChat`, from a run: the stream of {@link toUiMessageStream} as
 * server-sent events.
 */
export function toUiMessageResponse(
  run: RunEvents,
  options: UiStreamOptions & ResponseInit = {},
): Response {
  const { messageId, onError, ...init } = options
  const records = streamOf(recordsOf(chunksOf(run, { messageId, onError })))
  return toSseResponse(records, { 'x-vercel-ai-ui-message-stream': 'v1' }, init)
}

async function* recordsOf(chunks: AsyncIterable<UiMessageChunk>): AsyncGenerator<string, void> {
  for await (const chunk of chunks) yield `data: ${JSON.stringify(chunk)}\n\n`
  yield 'data: [DONE]\n\n'
}

async function* chunksOf(
  run: RunEvents,
  options: UiStreamOptions,
): AsyncGenerator<UiMessageChunk, void> {
  const story = new RunStory()
  let hasFailed = false
  const asked = new Set<string>()
  const toChunks = (changes: readonly StoryChange[]): readonly UiMessageChunk[] =>
    changes.flatMap((change) => {
      hasFailed ||= change.type === 'failure'
      if (change.type === 'approval-request') {
        // A run that will wait asks when it waits: only then has the request the id with the
        // digest, and a page takes one request for a call.
        if (change.digest === undefined && !change.asked) return []
        asked.add(change.id)
      }
      // The page has decided before a run continues, and knows the request by the id with the
      // digest.
      if (change.type === 'approval' && !asked.has(change.id)) return []
      return toChunk(change, options, hasFailed) ?? []
    })
  try {
    for await (const event of run) yield* toChunks(story.changesOf(event))
  } catch (error) {
    const message = errorText(error)
    yield* toChunks([{ type: 'failure', message, code: 'unknown' }])
  }
  const result = await run.result?.()
  const [end, ...steps] = story.end().toReversed()
  yield* toChunks(steps.toReversed())
  if (result) yield* attachmentsOf(result)
  if (end?.type === 'end') yield* end.pending.flatMap(questionOf)
  if (end) yield* toChunks([end])
}

/**
 * A question is shown as the approval of its call, next to what is asked: the page responds to both
 * with the one id.
 */
function questionOf(item: PendingItem): readonly UiMessageChunk[] {
  if (item.type !== 'question') return []
  const id = `${item.id}#${item.digest}`
  const { question: data } = item
  return [
    { type: 'data-question', id, data },
    { type: 'tool-approval-request', approvalId: id, toolCallId: item.id },
  ]
}

function toChunk(
  change: StoryChange,
  options: UiStreamOptions,
  hasFailed: boolean,
): UiMessageChunk | undefined {
  switch (change.type) {
    case 'start':
      return {
        type: 'start',
        ...(options.messageId !== undefined && { messageId: options.messageId }),
      }
    case 'step-start':
      return { type: 'start-step' }
    case 'step-end':
      return { type: 'finish-step' }
    case 'block-start':
      return { type: `${change.kind}-start`, id: change.id }
    case 'block-end':
      return { type: `${change.kind}-end`, id: change.id }
    case 'block-delta':
      return { type: `${change.kind}-delta`, id: change.id, delta: change.text }
    case 'failure':
      return { type: 'error', errorText: shownError(change, options) }
    case 'end': {
      const reason = finishReasons[change.outcome]
      const isError = hasFailed && reason !== 'length'
      return { type: 'finish', finishReason: isError ? 'error' : reason }
    }
    default:
      return toCallChunk(change, options)
  }
}

const finishReasons = {
  final: 'stop',
  length: 'length',
  suspended: 'tool-calls',
  stopped: 'other',
} as const

function toCallChunk(change: StoryChange, options: UiStreamOptions): UiMessageChunk | undefined {
  switch (change.type) {
    case 'call':
      return {
        type: 'tool-input-available',
        toolCallId: change.id,
        toolName: change.name,
        input: change.input,
      }
    case 'approval-request': {
      const approvalId = change.digest === undefined ? change.id : `${change.id}#${change.digest}`
      return {
        type: 'tool-approval-request',
        approvalId,
        toolCallId: change.id,
        ...reasonOf(change),
      }
    }
    case 'approval':
      return {
        type: 'tool-approval-response',
        approvalId: change.id,
        approved: change.approved,
        ...reasonOf(change),
      }
    case 'call-progress':
    case 'call-result': {
      return {
        type: 'tool-output-available',
        toolCallId: change.id,
        output: change.output ?? null,
        ...(change.type === 'call-progress' && { preliminary: true }),
      }
    }
    case 'call-error':
      return {
        type: 'tool-output-error',
        toolCallId: change.id,
        errorText: shownError({ message: change.message, code: 'tool' }, options),
      }
    case 'call-denied':
      return { type: 'tool-output-denied', toolCallId: change.id }
    default:
      return undefined
  }
}

/** The text of a failure for a page. */
export const shownError = (
  { message, code }: { readonly message: string; readonly code: string },
  { onError }: Pick<UiStreamOptions, 'onError'>,
): string => onError?.({ message, code }) ?? defaultTexts.get(code) ?? 'An error occurred.'

/** Texts for a page without `onError`: they say nothing about servers, tools or amounts. */
const defaultTexts: ReadonlyMap<string, string> = new Map([
  ['length', 'The reply was cut off at its limit of length.'],
  ['limit-exceeded', 'A limit was reached before the reply was complete.'],
  ['budget-exceeded', 'The budget was spent before the reply was complete.'],
])

const isLink = (url: string): boolean => /^https?:\/\//i.test(url)

const reasonOf = ({ reason }: { readonly reason?: string | undefined }): { reason?: string } =>
  reason === undefined ? {} : { reason }

/**
 * Images of the reply, and the sources it names; addresses of http(s) only, since a page makes
 * links of them.
 */
function* attachmentsOf(result: RunResult): Generator<UiMessageChunk, void> {
  const parts =
    result.status === 'final' && typeof result.content !== 'string' ? result.content : []
  for (const part of parts) {
    if (part.type === 'text') continue
    const { source } = part
    if (source.type === 'base64')
      yield {
        type: 'file',
        url: `data:${source.mediaType};base64,${source.data}`,
        mediaType: source.mediaType,
      }
    else if (source.type === 'url' && isLink(source.url))
      yield { type: 'file', url: source.url, mediaType: `${part.type}/*` }
  }
  for (const [index, { url, title }] of (result.details.citations ?? []).entries())
    if (url !== undefined && isLink(url))
      yield {
        type: 'source-url',
        sourceId: `source-${index + 1}`,
        url,
        ...(title !== undefined && { title }),
      }
}
