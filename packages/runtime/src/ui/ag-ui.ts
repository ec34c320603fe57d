import { isObject, LlmError } from '@modelport/core'
import type { RunEvent } from '../events/run-event.js'
import { toToolContent } from '../tools/tool-content.js'
import { type AgUiEvent, ForeignRun } from './foreign-run.js'
import { RunStory, type StoryChange } from './run-story.js'
import { type RunEvents, shownError, type UiStreamOptions } from './ui-message-stream.js'

/** How a run is written as AG-UI events. */
export interface AgUiOptions {
  /** The thread that the run belongs to. */
  readonly threadId: string
  /**
   * True puts each event of the run into `metadata.modelport` of the first AG-UI event made from it, so that {@link fromAgUiEvents} gives the same events
   * back. They hold prompts' sizes, costs and arguments: not for every user. Default false.
   */
  readonly exact?: boolean | undefined
  /** As for useChat: the text that the user sees of a failure, of the run or of a tool (code `tool`). Default "An error occurred.". */
  readonly onError?: UiStreamOptions['onError']
}

/** Writes a run as AG-UI 1.0 events: one run, with its steps, messages, reasoning, tool calls and interrupts. */
export async function* toAgUiEvents(run: RunEvents, options: AgUiOptions): AsyncGenerator<AgUiEvent, void> {
  const { exact = false } = options
  const story = new RunStory()
  let hasFailed = false
  const write = (changes: readonly StoryChange[]): AgUiEvent[] =>
    changes.flatMap((change) => {
      // RUN_ERROR ends a run: RUN_FINISHED must not follow it.
      if (hasFailed) return []
      if (change.type !== 'failure') return toAgUi(change, options)
      hasFailed = true
      return [{ type: 'RUN_ERROR', message: shownError(change, options), code: change.code }]
    })
  try {
    for await (const event of run) {
      const written = write(story.changesOf(event)).map((one) => ({ ...one, timestamp: event.at }))
      yield* exact ? withOriginal(written, event) : written
    }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    yield* write([{ type: 'failure', message, code: 'unknown' }])
  }
  yield* write(story.end())
}

/** An event without a counterpart travels as a custom event. */
function withOriginal(written: readonly AgUiEvent[], event: RunEvent): readonly AgUiEvent[] {
  const last = written.at(-1)
  const metadata = { modelport: JSON.parse(JSON.stringify(event)) as unknown }
  if (!last) return [{ type: 'CUSTOM', name: `modelport.${event.type}`, value: {}, timestamp: event.at, metadata }]
  return [...written.slice(0, -1), { ...last, metadata }]
}

function toAgUi(change: StoryChange, options: AgUiOptions): AgUiEvent[] {
  const { threadId } = options
  switch (change.type) {
    case 'start':
      return [{ type: 'RUN_STARTED', threadId, runId: change.runId, protocolVersion: '1.0' }]
    case 'step-start':
      return [{ type: 'STEP_STARTED', stepName: `step ${change.step}` }]
    case 'step-end':
      return [{ type: 'STEP_FINISHED', stepName: `step ${change.step}` }]
    case 'block-start':
    case 'block-delta':
    case 'block-end':
      return toBlock(change)
    case 'end': {
      const interrupts = change.pending.map((item) => ({
        id: item.id,
        reason: item.type,
        toolCallId: item.id,
        ...('reason' in item && { message: item.reason }),
        ...('expiresAt' in item && toExpiry(item.expiresAt)),
      }))
      const outcomes = {
        final: { type: 'success' },
        suspended: { type: 'interrupt', interrupts },
        stopped: { type: 'cancelled' },
      }
      return [{ type: 'RUN_FINISHED', threadId, runId: change.runId, outcome: outcomes[change.outcome] }]
    }
    default:
      return toCall(change, options)
  }
}

function toExpiry(at: number): { expiresAt?: string } {
  const date = new Date(at)
  return Number.isNaN(date.getTime()) ? {} : { expiresAt: date.toISOString() }
}

function toBlock(change: Extract<StoryChange, { type: 'block-start' | 'block-delta' | 'block-end' }>): AgUiEvent[] {
  const messageId = change.id
  const isText = change.kind === 'text'
  if (change.type === 'block-start')
    return isText
      ? [{ type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' }]
      : [
          { type: 'REASONING_START', messageId },
          { type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning' },
        ]
  if (change.type === 'block-delta')
    return [{ type: isText ? 'TEXT_MESSAGE_CONTENT' : 'REASONING_MESSAGE_CONTENT', messageId, delta: change.text }]
  return isText
    ? [{ type: 'TEXT_MESSAGE_END', messageId }]
    : [
        { type: 'REASONING_MESSAGE_END', messageId },
        { type: 'REASONING_END', messageId },
      ]
}

function toCall(change: StoryChange, options: AgUiOptions): AgUiEvent[] {
  const result = (id: string, content: string): AgUiEvent[] => [
    { type: 'TOOL_CALL_RESULT', messageId: `result-${id}`, toolCallId: id, content, role: 'tool' },
  ]
  switch (change.type) {
    case 'call':
      return [
        { type: 'TOOL_CALL_START', toolCallId: change.id, toolCallName: change.name },
        { type: 'TOOL_CALL_ARGS', toolCallId: change.id, delta: JSON.stringify(change.input ?? {}) },
        { type: 'TOOL_CALL_END', toolCallId: change.id },
      ]
    case 'approval-request':
      return [
        {
          type: 'CUSTOM',
          name: 'modelport.approval-request',
          value: { toolCallId: change.id, reason: change.reason ?? null },
        },
      ]
    case 'approval':
      return [
        { type: 'CUSTOM', name: 'modelport.approval', value: { toolCallId: change.id, approved: change.approved } },
      ]
    case 'call-result': {
      const content = toToolContent(change.output)
      return result(change.id, typeof content === 'string' ? content : JSON.stringify(content))
    }
    case 'call-error':
      return result(change.id, `error: ${shownError({ message: change.message, code: 'tool' }, options)}`)
    case 'call-denied':
      return result(change.id, `Not allowed: ${change.reason}`)
    default:
      return []
  }
}

/**
 * Reads the events of a run from AG-UI events. From any agent it reads steps, text, reasoning, tool calls and their results, the end and the failure, and
 * skips the rest. With `exact` it restores the events that {@link toAgUiEvents} wrote with `exact`; set it only for a server that you run yourself, since
 * another agent could forge a decision of your user.
 * @throws {LlmError} `protocol` — an event is not an object with a `type`.
 */
export async function* fromAgUiEvents(
  events: AsyncIterable<unknown> | Iterable<unknown>,
  options: Pick<AgUiOptions, 'exact'> = {},
): AsyncGenerator<RunEvent, void> {
  const foreign = new ForeignRun()
  let isExact = false
  for await (const event of events) {
    if (!isObject(event) || typeof event['type'] !== 'string')
      throw new LlmError('protocol', 'fromAgUiEvents: an event must be an object with a "type"')
    const { metadata } = event
    const original = isObject(metadata) && options.exact ? metadata['modelport'] : undefined
    if (isRunEvent(original)) {
      isExact = true
      yield original
    } else if (!isExact) yield* foreign.read(event as AgUiEvent)
  }
}

/** Events of this package are trusted to be what they were when they were written. */
const isRunEvent = (value: unknown): value is RunEvent =>
  isObject(value) &&
  ['type', 'runId'].every((name) => typeof value[name] === 'string') &&
  ['step', 'seq', 'at'].every((name) => typeof value[name] === 'number')
