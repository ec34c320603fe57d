import {
  answerArtifactId,
  type RequestContent,
  type TaskEvent,
  textOfParts,
} from '@modelport/agent'
import type { RunEvent } from '@modelport/runtime'
import { type AgUiEvent, toAgUiEvents } from '@modelport/runtime/ui'
import { interruptIdOf } from './ag-ui-request.js'
import { type ErrorText, sourcesOf } from './task-chunks.js'

/** A task does not store which model a text is from. */
const noModel = { provider: '', model: '' }

/** The events of AG-UI 1.0 that tell the reply of a task: one run, until it ends or waits. */
export async function* agUiEventsOfTask(
  taskId: string,
  threadId: string,
  events: AsyncIterable<TaskEvent>,
  onError: ErrorText | undefined,
): AsyncGenerator<AgUiEvent, void> {
  const reply = new TaskRuns(taskId)
  for await (const event of toAgUiEvents(reply.runEvents(events), { threadId, onError })) {
    if (event.type === 'RUN_FINISHED' && reply.sources.length)
      yield { type: 'CUSTOM', name: 'modelport.sources', value: reply.sources }
    if (event.type === 'RUN_FINISHED' && reply.interrupts.length) {
      const interrupts = reply.interrupts.map((one) => withCallOf(event, one))
      yield { ...event, outcome: { type: 'interrupt', interrupts } }
    } else yield event
  }
}

/** The interrupt with the id that its call has in the events: a run makes some of them itself. */
function withCallOf({ outcome }: AgUiEvent, interrupt: Interrupt): Interrupt {
  const { interrupts = [] } = outcome as { readonly interrupts?: readonly Interrupt[] }
  const { toolCallId: own } = interrupt
  if (own === undefined) return interrupt
  const told = interrupts.find(({ toolCallId }) => toolCallId?.endsWith(own))
  return told?.toolCallId === undefined ? interrupt : { ...interrupt, toolCallId: told.toolCallId }
}

/** Something that a run waits for, as AG-UI has it. */
interface Interrupt {
  readonly id: string
  readonly reason: string
  readonly message?: string
  readonly toolCallId?: string
  readonly expiresAt?: string
  readonly metadata?: Readonly<Record<string, unknown>>
}

function interruptOf(request: RequestContent): Interrupt {
  const { requestId, reason, question, uncertain, path, expiresAt, action } = request
  const message = question?.message ?? reason
  const [, callId = ''] = /:([^#]*)/.exec(requestId) ?? []
  const kind = requestId.endsWith('#result') ? 'work' : 'uncertain'
  return {
    id: interruptIdOf(request),
    reason: uncertain ? kind : question ? 'question' : 'approval',
    ...(message !== undefined && { message }),
    ...(!path && { toolCallId: callId }),
    ...(expiresAt !== undefined && { expiresAt }),
    metadata: { ...(question && { question }), ...(action && { action }) },
  }
}

/** Follows the events of one task, as the events of one run. */
class TaskRuns {
  /** What the task waits for; ids of a client's decisions. */
  interrupts: readonly Interrupt[] = []
  /** What the model named as its sources. */
  sources: ReturnType<typeof sourcesOf> = []
  readonly #taskId: string
  #step = 0
  #hasText = false
  #hasFailed = false
  #answer = ''

  constructor(taskId: string) {
    this.#taskId = taskId
  }

  async *runEvents(events: AsyncIterable<TaskEvent>): AsyncGenerator<RunEvent, void> {
    for await (const event of events) {
      const shown = this.#read(event)
      if (shown) yield shown
    }
  }

  #read(event: TaskEvent): RunEvent | undefined {
    const fields = {
      runId: this.#taskId,
      step: this.#step,
      seq: event.seq,
      at: Date.parse(event.at),
    }
    switch (event.type) {
      case 'text-delta':
        this.#hasText = true
        return {
          type: 'text-delta',
          text: event.text,
          attempt: event.attempt,
          ...fields,
          ...noModel,
        }
      case 'artifact':
        if (event.artifact.id === answerArtifactId) {
          this.#answer = textOfParts(event.artifact.parts)
          this.sources = sourcesOf(event.artifact)
        }
        return undefined
      case 'run':
        return this.#readRun({ ...event.event, runId: this.#taskId })
      case 'status':
        return this.#readStatus(event, fields)
      default:
        return undefined
    }
  }

  #readRun(event: RunEvent): RunEvent | undefined {
    if (event.type === 'model-error') this.#hasFailed ||= !event.recoverable
    if (event.type === 'run-limited') this.#hasFailed = true
    if (event.type === 'final') this.#hasText = true
    if (event.type !== 'step-start') return event
    // A step that waited, or whose process ended, continues.
    const isAgain = event.step === this.#step
    this.#step = event.step
    return isAgain ? undefined : event
  }

  #readStatus(
    { state, message }: TaskEvent & { readonly type: 'status' },
    fields: Pick<RunEvent, 'runId' | 'step' | 'seq' | 'at'>,
  ): RunEvent | undefined {
    const parts = message?.parts ?? []
    this.interrupts = parts.flatMap((part) =>
      part.type === 'request' && state === 'input-required' ? [interruptOf(part.content)] : [],
    )
    if ((state === 'failed' || state === 'rejected') && !this.#hasFailed)
      return {
        type: 'model-error',
        message: textOfParts(parts),
        code: state,
        recoverable: false,
        ...fields,
      }
    if (state === 'completed' && !this.#hasText)
      return { type: 'final', action: { type: 'final', content: this.#answer }, ...fields }
    return undefined
  }
}
