import {
  type Artifact,
  answerArtifactId,
  type RequestContent,
  type TaskEvent,
  textOfParts,
} from '@modelport/agent'
import { isObject } from '@modelport/core'
import type { RunEvent } from '@modelport/runtime'
import { toUiMessageStream, type UiMessageChunk } from '@modelport/runtime/ui'

/** A chunk of the UI message stream, as the AI SDK 7 reads it. */
export type ChatChunk =
  | UiMessageChunk
  /** Removes the parts of the current step: the model is asked again. */
  | { readonly type: 'reset-step' }
  | { readonly type: 'message-metadata'; readonly messageMetadata: ChatMetadata }
  | { readonly type: 'data-waiting'; readonly id: string; readonly data: WaitingData }

/** What the metadata of a message says about its reply. */
export interface ChatMetadata {
  /** Somebody stopped the reply. */
  readonly stopped?: true
  /** How often a step was asked again, because the process that made the reply ended. */
  readonly restarts?: number
  /** Why the reply failed, for the user. */
  readonly error?: string
}

/** Something that a reply waits for and that is neither an approval nor a question of a call. */
export interface WaitingData {
  /**
   * `approval`: an agent below wants it. `uncertain`: nobody knows whether a call had its effect.
   * `work`: it continues elsewhere.
   */
  readonly kind: 'approval' | 'uncertain' | 'work'
  /** Names it in a decision. */
  readonly requestId: string
  /** A decision that approves repeats it. */
  readonly digest?: string
  /** Why it is asked. */
  readonly reason?: string
  /** What would be done, or was begun. */
  readonly action?: Readonly<Record<string, unknown>>
  /** True once somebody decided, or the reply was stopped: there is nothing to ask any more. */
  readonly settled?: true
}

/** A chunk with its place in the reply: the number of its event, and its own among those of it. */
export interface PlacedChunk {
  readonly place: string
  readonly chunk: ChatChunk
}

/** The text of a failure for the user. */
export type ErrorText = (error: { readonly message: string; readonly code: string }) => string

/** What the page reads when nobody says how failures are told. */
const failed = 'An error occurred.'

/** A task does not store which model a text is from. */
const noModel = { provider: '', model: '' }

/** The words of a call that was cut off. */
const stopped = 'Stopped before it finished.'

/**
 * The chunks that show the reply of a task, from its events. The same events give the same chunks
 * in every process, so that a place means the same everywhere.
 *
 * @param events from the first one
 */
export async function* chunksOfTask(
  taskId: string,
  events: AsyncIterable<TaskEvent>,
  onError: ErrorText | undefined,
): AsyncGenerator<PlacedChunk, void> {
  const reply = new Reply(taskId, onError)
  const stream = toUiMessageStream(reply.runEvents(events), { messageId: taskId, onError })
  let number = 0
  let of = 0
  for await (const chunk of stream)
    for (const shown of reply.toShown(chunk)) {
      number = reply.seq === of ? number + 1 : 1
      of = reply.seq
      yield { place: `${of}.${number}`, chunk: shown }
    }
}

/** Follows the events of one task, and adds to the chunks of its runs what only a task knows. */
class Reply {
  /** Number of the last event that was read. */
  seq = 0
  readonly #taskId: string
  readonly #onError: ErrorText | undefined
  /** What the events say that no run does, before the next chunk of a run. */
  #own: ChatChunk[] = []
  #ending: ChatChunk[] = []
  #step = 0
  #restarts = 0
  #isWaiting = false
  /** True while the step that is being made has waited: it continues then. */
  #hasWaited = false
  #isStopped = false
  #hasText = false
  #hasError = false
  /** The parts of the current step that are being written. */
  readonly #open = new Set<string>()
  /** Parts that were reset: their ends are not sent. */
  readonly #dropped = new Set<string>()
  /** Calls without an outcome. */
  readonly #calls = new Set<string>()
  /** The approval that each call waits for. */
  readonly #asked = new Map<string, string>()
  /** What the reply waits for, and no call shows. */
  readonly #waiting = new Map<string, WaitingData>()

  constructor(taskId: string, onError: ErrorText | undefined) {
    this.#taskId = taskId
    this.#onError = onError
  }

  /** The events of the runs of the task, one after the other. */
  async *runEvents(events: AsyncIterable<TaskEvent>): AsyncGenerator<RunEvent, void> {
    for await (const event of events) {
      this.seq = event.seq
      const shown = this.#read(event)
      if (shown) yield shown
    }
  }

  /** What the page gets for a chunk of a run. */
  *toShown(chunk: UiMessageChunk): Generator<ChatChunk, void> {
    if (chunk.type === 'finish') yield* this.#finish(chunk)
    else {
      yield* this.#takeOwn()
      if (this.#keeps(chunk)) yield chunk
    }
  }

  #takeOwn(): readonly ChatChunk[] {
    const own = this.#own
    this.#own = []
    return own
  }

  *#finish(chunk: UiMessageChunk & { readonly type: 'finish' }): Generator<ChatChunk, void> {
    yield* this.#takeOwn()
    yield* this.#ending
    if (this.#isStopped) yield { type: 'finish', finishReason: 'other' }
    else if (this.#isWaiting) yield { type: 'finish', finishReason: 'tool-calls' }
    else yield chunk
  }

  /** Notes what a chunk does to the page; false for one that the task tells in its own way. */
  #keeps(chunk: UiMessageChunk): boolean {
    switch (chunk.type) {
      case 'tool-approval-request':
      case 'tool-approval-response':
      case 'data-question':
        return false
      case 'text-start':
      case 'reasoning-start':
        this.#hasText ||= chunk.type === 'text-start'
        this.#open.add(chunk.id)
        return true
      case 'text-end':
      case 'reasoning-end':
        this.#open.delete(chunk.id)
        return !this.#dropped.delete(chunk.id)
      case 'tool-input-available':
        this.#calls.add(chunk.toolCallId)
        return true
      case 'tool-output-available':
        if (!chunk.preliminary) this.#calls.delete(chunk.toolCallId)
        return true
      case 'tool-output-error':
      case 'tool-output-denied':
        this.#calls.delete(chunk.toolCallId)
        return true
      case 'error':
        this.#hasError = true
        this.#own.push({ type: 'message-metadata', messageMetadata: { error: chunk.errorText } })
        return true
      default:
        return true
    }
  }

  /** The event of a run that a page sees, if it is one. */
  #read(event: TaskEvent): RunEvent | undefined {
    switch (event.type) {
      case 'text-delta': {
        const { text, attempt } = event
        return { type: 'text-delta', text, attempt, ...this.#fields(event), ...noModel }
      }
      case 'run':
        return this.#readRun(event.event)
      case 'message':
        this.#readDecisions(event)
        return undefined
      case 'status':
        this.#readStatus(event)
        return undefined
      case 'artifact':
        if (event.artifact.id === answerArtifactId) this.#readAnswer(event)
        return undefined
      default:
        return undefined
    }
  }

  #fields({ seq, at }: TaskEvent): Pick<RunEvent, 'runId' | 'step' | 'seq' | 'at'> {
    return { runId: this.#taskId, step: this.#step, seq, at: Date.parse(at) }
  }

  #readRun(event: RunEvent): RunEvent | undefined {
    // A call that ended has closed its parts: this one replaces what a cut one said.
    if (event.type === 'model-call-start' && this.#open.size) this.#reset()
    if (event.type !== 'step-start') return event

    const isAgain = event.step === this.#step
    this.#step = event.step
    if (!isAgain) {
      this.#hasWaited = false
      return event
    }
    // A step that waited continues; one whose process ended begins again.
    if (!this.#hasWaited) this.#reset()
    this.#hasWaited = false
    return undefined
  }

  #reset(): void {
    this.#restarts++
    for (const id of this.#open) this.#dropped.add(id)
    this.#open.clear()
    this.#own.push(
      { type: 'reset-step' },
      { type: 'message-metadata', messageMetadata: { restarts: this.#restarts } },
    )
  }

  #readStatus(event: TaskEvent & { readonly type: 'status' }): void {
    const requests = (event.message?.parts ?? []).flatMap((part) =>
      part.type === 'request' ? [part.content] : [],
    )
    switch (event.state) {
      case 'input-required':
        this.#isWaiting = true
        this.#hasWaited = true
        for (const request of requests) this.#ask(request)
        return
      case 'working':
        this.#isWaiting = false
        return
      case 'cancelled':
        this.#isStopped = true
        for (const requestId of this.#waiting.keys()) this.#settle(requestId)
        for (const toolCallId of this.#calls)
          this.#own.push({
            type: 'tool-output-error',
            toolCallId,
            errorText: stopped,
          })
        this.#own.push({ type: 'message-metadata', messageMetadata: { stopped: true } })
        return
      case 'failed':
      case 'rejected': {
        if (this.#hasError) return
        const message = textOfParts(event.message?.parts ?? [])
        const error = this.#onError?.({ message, code: event.state }) ?? failed
        this.#ending.push(
          { type: 'message-metadata', messageMetadata: { error } },
          { type: 'error', errorText: error },
        )
        return
      }
      default:
    }
  }

  #ask(request: RequestContent): void {
    const { requestId, digest, question, reason, action, uncertain, path } = request
    const toolCallId = path ? undefined : this.#callOf(requestId)
    if (toolCallId === undefined || uncertain) {
      const isWork = requestId.endsWith('#result')
      const kind = uncertain ? (isWork ? 'work' : 'uncertain') : 'approval'
      const data: WaitingData = {
        kind,
        requestId,
        ...(digest !== undefined && { digest }),
        ...(reason !== undefined && { reason }),
        ...(action && { action }),
      }
      this.#waiting.set(requestId, data)
      this.#own.push({ type: 'data-waiting', id: requestId, data })
      return
    }

    const approvalId = digest === undefined ? requestId : `${requestId}#${digest}`
    this.#asked.set(requestId, approvalId)
    if (question) this.#own.push({ type: 'data-question', id: approvalId, data: question })
    this.#own.push({
      type: 'tool-approval-request',
      approvalId,
      toolCallId,
      ...(reason !== undefined && { reason }),
    })
  }

  #settle(requestId: string): void {
    const data = this.#waiting.get(requestId)
    if (!data) return
    this.#waiting.delete(requestId)
    this.#own.push({ type: 'data-waiting', id: requestId, data: { ...data, settled: true } })
  }

  /** The call that a request is about: its id ends with that of the call. */
  #callOf(requestId: string): string | undefined {
    const about = requestId.slice(requestId.indexOf(':') + 1)
    return [...this.#calls].find((id) => about === id || about.startsWith(`${id}#`))
  }

  #readDecisions({ message }: TaskEvent & { readonly type: 'message' }): void {
    for (const part of message.parts) {
      if (part.type !== 'request') continue
      const { requestId, approved, reason } = part.content
      this.#settle(requestId)
      const approvalId = this.#asked.get(requestId)
      if (approvalId === undefined || approved === undefined) continue
      this.#own.push({
        type: 'tool-approval-response',
        approvalId,
        approved,
        ...(reason !== undefined && { reason }),
      })
    }
  }

  /** The files and sources of an answer, and its text if no run told it. */
  #readAnswer({ artifact }: TaskEvent & { readonly type: 'artifact' }): void {
    const text = textOfParts(artifact.parts)
    if (text && !this.#hasText)
      this.#ending.push(
        { type: 'text-start', id: 'answer' },
        { type: 'text-delta', id: 'answer', delta: text },
        { type: 'text-end', id: 'answer' },
      )
    for (const part of artifact.parts) {
      const mediaType = part.mediaType ?? 'application/octet-stream'
      if (part.type === 'bytes')
        this.#ending.push({
          type: 'file',
          url: `data:${mediaType};base64,${part.content}`,
          mediaType,
        })
      // A page makes links of addresses.
      if (part.type === 'uri' && isLink(part.content))
        this.#ending.push({ type: 'file', url: part.content, mediaType })
    }
    for (const [index, source] of sourcesOf(artifact).entries())
      this.#ending.push({ type: 'source-url', sourceId: `source-${index + 1}`, ...source })
  }
}

const isLink = (url: string): boolean => /^https?:\/\//i.test(url)

/** The sources of an answer that a page can make links of. */
export function sourcesOf({
  metadata: { citations },
}: Artifact): readonly { readonly url: string; readonly title?: string }[] {
  const list: readonly unknown[] = Array.isArray(citations) ? citations : []
  return list.flatMap((one) => {
    const { url, title } = isObject(one) ? one : {}
    if (typeof url !== 'string' || !isLink(url)) return []
    return [{ url, ...(typeof title === 'string' && { title }) }]
  })
}
