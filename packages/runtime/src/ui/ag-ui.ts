import { errorText } from '@modelport/core/text'
import type { RunEvent } from '../events/run-event.js'
import { toToolContent } from '../tools/tool-content.js'
import { RunStory, type StoryChange } from './run-story.js'
import { type RunEvents, shownError, type UiStreamOptions } from './ui-message-stream.js'

/** An event of AG-UI 1.0: its `type`, and the fields of that type. */
export type AgUiEvent = Readonly<Record<string, unknown>> & { readonly type: string }

/** How a run is written as AG-UI events. */
export interface AgUiOptions {
  /** The thread that the run belongs to. */
  readonly threadId: string
  /**
   * As for useChat: the text that the user sees of a failure, of the run or of a tool (code
   * `tool`). Default "An error occurred.".
   */
  readonly onError?: UiStreamOptions['onError']
}

/**
 * Writes a run as AG-UI 1.0 events: one run, with its steps, messages, reasoning, tool calls and
 * interrupts.
 */
export async function* toAgUiEvents(
  run: RunEvents,
  options: AgUiOptions,
): AsyncGenerator<AgUiEvent, void> {
  const story = new RunStory()
  let hasFailed = false
  const ids = new MessageIds()
  const write = (changes: readonly StoryChange[]): AgUiEvent[] =>
    changes.flatMap((change) => {
      // RUN_ERROR ends a run: RUN_FINISHED must not follow it.
      if (hasFailed) return []
      if (change.type !== 'failure') return toAgUi(change, options, ids)
      hasFailed = true
      return [{ type: 'RUN_ERROR', message: shownError(change, options), code: change.code }]
    })
  try {
    for await (const event of run) {
      ids.follow(event)
      yield* write(story.changesOf(event)).map((one) => ({ ...one, timestamp: event.at }))
    }
  } catch (error) {
    const message = errorText(error)
    yield* write([{ type: 'failure', message, code: 'unknown' }])
  }
  yield* write(story.end())
}

/**
 * Ids of messages. AG-UI keeps all messages of a thread by id, so no two runs, and no two parts
 * of a run that was resumed, may use the same: each has the run and the number of its first event.
 */
class MessageIds {
  #runId = ''
  #seq = 0
  #block = ''

  follow({ runId, seq }: RunEvent): void {
    this.#runId = runId
    this.#seq = seq
  }

  /** The id of the text or reasoning that begins now, or that is being written. */
  block(
    change: Extract<StoryChange, { type: 'block-start' | 'block-delta' | 'block-end' }>,
  ): string {
    if (change.type === 'block-start') this.#block = `${change.kind}-${this.#runId}-${this.#seq}`
    return this.#block
  }

  /** The id of a call: those that a run makes itself, where the vendor has none, begin anew. */
  call(id: string): string {
    return /^action_\d+_\d+$/.test(id) ? `${this.#runId}-${id}` : id
  }

  /** The id of a message about a call. */
  ofCall(kind: 'result' | 'progress', callId: string): string {
    return `${kind}-${this.#runId}-${callId}`
  }
}

function toAgUi(change: StoryChange, options: AgUiOptions, ids: MessageIds): AgUiEvent[] {
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
      return toBlock(change, ids.block(change))
    case 'end': {
      const interrupts = change.pending.map((item) => ({
        id: item.id,
        reason: item.type,
        toolCallId: ids.call(item.id),
        ...('reason' in item && { message: item.reason }),
        ...('question' in item && { message: item.question.message }),
        ...('expiresAt' in item && toExpiry(item.expiresAt)),
        ...('digest' in item && {
          metadata: { digest: item.digest, ...('question' in item && { question: item.question }) },
        }),
      }))
      if (change.outcome === 'length')
        return [
          {
            type: 'RUN_ERROR',
            message: shownError({ message: cutText, code: 'length' }, options),
            code: 'length',
          },
        ]
      const outcomes = {
        final: { type: 'success' },
        suspended: { type: 'interrupt', interrupts },
        stopped: { type: 'cancelled' },
      }
      return [
        { type: 'RUN_FINISHED', threadId, runId: change.runId, outcome: outcomes[change.outcome] },
      ]
    }
    default:
      return toCall(change, options, ids)
  }
}

const cutText = 'the reply was cut off at the limit of output tokens'

function toExpiry(at: number): { expiresAt?: string } {
  const date = new Date(at)
  return Number.isNaN(date.getTime()) ? {} : { expiresAt: date.toISOString() }
}

function toBlock(
  change: Extract<StoryChange, { type: 'block-start' | 'block-delta' | 'block-end' }>,
  messageId: string,
): AgUiEvent[] {
  const isText = change.kind === 'text'
  if (change.type === 'block-start')
    return isText
      ? [{ type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' }]
      : [
          { type: 'REASONING_START', messageId },
          { type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning' },
        ]
  if (change.type === 'block-delta')
    return [
      {
        type: isText ? 'TEXT_MESSAGE_CONTENT' : 'REASONING_MESSAGE_CONTENT',
        messageId,
        delta: change.text,
      },
    ]
  return isText
    ? [{ type: 'TEXT_MESSAGE_END', messageId }]
    : [
        { type: 'REASONING_MESSAGE_END', messageId },
        { type: 'REASONING_END', messageId },
      ]
}

function toCall(change: StoryChange, options: AgUiOptions, ids: MessageIds): AgUiEvent[] {
  const result = (id: string, content: string): AgUiEvent[] => [
    {
      type: 'TOOL_CALL_RESULT',
      messageId: ids.ofCall('result', id),
      toolCallId: ids.call(id),
      content,
      role: 'tool',
    },
  ]
  switch (change.type) {
    case 'call':
      return [
        { type: 'TOOL_CALL_START', toolCallId: ids.call(change.id), toolCallName: change.name },
        {
          type: 'TOOL_CALL_ARGS',
          toolCallId: ids.call(change.id),
          delta: JSON.stringify(change.input ?? {}),
        },
        { type: 'TOOL_CALL_END', toolCallId: ids.call(change.id) },
      ]
    case 'approval-request':
      // The interrupt at the end repeats those of a run that waits.
      if (change.digest !== undefined) return []
      return [
        {
          type: 'CUSTOM',
          name: 'modelport.approval-request',
          value: { toolCallId: ids.call(change.id), reason: change.reason ?? null },
        },
      ]
    case 'approval':
      return [
        {
          type: 'CUSTOM',
          name: 'modelport.approval',
          value: { toolCallId: ids.call(change.id), approved: change.approved },
        },
      ]
    case 'call-progress': {
      const content = { toolCallId: ids.call(change.id), progress: change.output }
      const messageId = ids.ofCall('progress', change.id)
      return [
        {
          type: 'ACTIVITY_SNAPSHOT',
          messageId,
          activityType: 'modelport.tool-progress',
          content,
          replace: true,
        },
      ]
    }
    case 'call-result': {
      const content = toToolContent(change.output)
      return result(change.id, typeof content === 'string' ? content : JSON.stringify(content))
    }
    case 'call-error':
      return result(
        change.id,
        `error: ${shownError({ message: change.message, code: 'tool' }, options)}`,
      )
    case 'call-denied':
      return result(change.id, `Not allowed: ${change.reason}`)
    default:
      return []
  }
}
