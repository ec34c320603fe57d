import type { ChatChunk } from './task-chunks.js'

/** A part of a message on a page, as the AI SDK has it: its `type` says what else it has. */
export interface ChatUiPart {
  /** The kind of part, such as `text`, `file` or `tool-NAME`. */
  readonly type: string
  readonly [field: string]: unknown
}

/** A message of a chat, as `useChat` takes it. */
export interface ChatUiMessage {
  /** The page's own id of a message of the user; the id of the task of a reply. */
  readonly id: string
  /** Who speaks. */
  readonly role: 'user' | 'assistant'
  /** What is shown, in order. */
  readonly parts: readonly ChatUiPart[]
  /** What is known about a reply besides: see `ChatMetadata`. */
  readonly metadata?: Readonly<Record<string, unknown>>
}

type OpenPart = { type: string } & Record<string, unknown>

/** The message that a page has after these chunks; undefined if nothing is shown. */
export function messageOfChunks(
  id: string,
  chunks: readonly ChatChunk[],
): ChatUiMessage | undefined {
  const draft = new MessageDraft()
  for (const chunk of chunks) draft.add(chunk)
  const { parts, metadata } = draft
  if (!parts.length && !metadata) return undefined
  return { id, role: 'assistant', parts, ...(metadata && { metadata }) }
}

/** A message while its chunks are read. */
class MessageDraft {
  parts: OpenPart[] = []
  metadata: Record<string, unknown> | undefined
  /** Texts and reasoning that are being written, by their ids. */
  readonly #written = new Map<string, OpenPart>()

  add(chunk: ChatChunk): void {
    switch (chunk.type) {
      case 'start-step':
        this.parts.push({ type: 'step-start' })
        return
      case 'finish-step':
        this.#written.clear()
        return
      case 'reset-step':
        this.#written.clear()
        this.parts.length = this.parts.findLastIndex(({ type }) => type === 'step-start') + 1
        return
      case 'message-metadata':
        this.metadata = { ...this.metadata, ...chunk.messageMetadata }
        return
      case 'file':
        this.parts.push({ type: 'file', mediaType: chunk.mediaType, url: chunk.url })
        return
      case 'source-url':
        this.parts.push({ ...chunk })
        return
      case 'data-question':
      case 'data-waiting':
        this.#addData(chunk)
        return
      default:
        if (!this.#addText(chunk)) this.#addCall(chunk)
    }
  }

  /** A part of data; a later one of the same id replaces it. */
  #addData({ type, id, data }: ChatChunk & { readonly type: 'data-question' | 'data-waiting' }) {
    const earlier = this.parts.find((part) => part.type === type && part['id'] === id)
    if (earlier) earlier['data'] = data
    else this.parts.push({ type, id, data })
  }

  #addText(chunk: ChatChunk): boolean {
    switch (chunk.type) {
      case 'text-start':
      case 'reasoning-start': {
        const isText = chunk.type === 'text-start'
        const kind = isText ? { type: 'text' } : { type: 'reasoning', id: chunk.id }
        const part = { ...kind, text: '', state: 'streaming' }
        this.#written.set(chunk.id, part)
        this.parts.push(part)
        return true
      }
      case 'text-delta':
      case 'reasoning-delta': {
        const part = this.#written.get(chunk.id)
        if (part) part['text'] = String(part['text']) + chunk.delta
        return true
      }
      case 'text-end':
      case 'reasoning-end': {
        const part = this.#written.get(chunk.id)
        if (part) part['state'] = 'done'
        this.#written.delete(chunk.id)
        return true
      }
      default:
        return false
    }
  }

  #addCall(chunk: ChatChunk): void {
    switch (chunk.type) {
      case 'tool-input-available':
        this.parts.push({
          type: `tool-${chunk.toolName}`,
          toolCallId: chunk.toolCallId,
          state: 'input-available',
          input: chunk.input,
        })
        return
      case 'tool-output-available':
        this.#change(chunk.toolCallId, {
          state: 'output-available',
          output: chunk.output,
          ...(chunk.preliminary && { preliminary: true }),
        })
        return
      case 'tool-output-error':
        this.#change(chunk.toolCallId, { state: 'output-error', errorText: chunk.errorText })
        return
      case 'tool-output-denied':
        this.#change(chunk.toolCallId, { state: 'output-denied' })
        return
      case 'tool-approval-request':
        this.#change(chunk.toolCallId, {
          state: 'approval-requested',
          approval: {
            id: chunk.approvalId,
            ...(chunk.reason !== undefined && { requestReason: chunk.reason }),
          },
        })
        return
      case 'tool-approval-response': {
        const { approvalId: id, approved } = chunk
        const part = this.parts.find(
          ({ approval }) => (approval as { readonly id?: unknown } | undefined)?.id === id,
        )
        if (part)
          Object.assign(part, {
            state: 'approval-responded',
            approval: {
              ...(part['approval'] as object),
              approved,
              ...(chunk.reason !== undefined && { reason: chunk.reason }),
            },
          })
        return
      }
      default:
    }
  }

  #change(toolCallId: string, fields: Readonly<Record<string, unknown>>): void {
    const part = this.parts.findLast((one) => one['toolCallId'] === toolCallId)
    if (!part) return
    delete part['preliminary']
    Object.assign(part, fields)
  }
}
