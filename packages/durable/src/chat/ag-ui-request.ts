import { createPart, type Part, type RequestContent } from '@modelport/agent'
import { type ContentPart, isObject, type MediaSource } from '@modelport/core'
import { checkId, RefusedRequest } from './chat-request.js'

/** What a client of AG-UI sends: its newest message, or decisions. */
export interface AgUiInput {
  readonly threadId: string
  /** The newest message of the user. */
  readonly message: { readonly id: string; readonly content: readonly ContentPart[] } | undefined
  readonly decisions: readonly AgUiDecision[]
}

/** What a client says about an interrupt. */
interface AgUiDecision {
  readonly interruptId: unknown
  readonly status: unknown
  readonly payload: unknown
}

/** The id of an interrupt: it holds for what was shown. */
export const interruptIdOf = ({ requestId, digest }: RequestContent): string =>
  digest === undefined ? requestId : `${requestId}#${digest}`

/**
 * The `RunAgentInput` of AG-UI 1.0. Of its messages only the newest is read: the history is the
 * store's.
 * @throws {RefusedRequest} 400 — it is no such input
 */
export function agUiInput(body: Readonly<Record<string, unknown>>): AgUiInput {
  const { messages, resume = [] } = body
  const threadId = checkId(body['threadId'])
  if (!Array.isArray(resume) || !resume.every(isObject))
    throw new RefusedRequest(400, '"resume" is not a list of decisions; send a RunAgentInput')
  const decisions = resume.map(({ interruptId, status, payload }) => ({
    interruptId,
    status,
    payload,
  }))
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined
  if (decisions.length) return { threadId, decisions, message: undefined }
  if (!isObject(last) || last['role'] !== 'user' || typeof last['id'] !== 'string')
    throw new RefusedRequest(
      400,
      'the last of "messages" is not a message of the user with an id; send a RunAgentInput',
    )
  return { threadId, decisions, message: { id: last['id'], content: contentOf(last['content']) } }
}

function contentOf(content: unknown): readonly ContentPart[] {
  if (typeof content === 'string') return content ? [{ type: 'text', text: content }] : []
  const parts: readonly unknown[] = Array.isArray(content) ? content : []
  return parts.flatMap((part): readonly ContentPart[] => {
    const { type, text, source } = isObject(part) ? part : {}
    if (type === 'text' && typeof text === 'string') return [{ type, text }]
    return [{ type: mediaType(type), source: sourceOf(source) }]
  })
}

function mediaType(type: unknown): 'image' | 'audio' | 'file' {
  if (type === 'image' || type === 'audio') return type
  if (type === 'document' || type === 'video') return 'file'
  throw new RefusedRequest(400, `a message has a part of the type ${JSON.stringify(type)}`)
}

function sourceOf(source: unknown): MediaSource {
  const { type, value, mimeType } = isObject(source) ? source : {}
  const media = typeof mimeType === 'string' ? { mediaType: mimeType } : {}
  if (type === 'data' && typeof value === 'string' && typeof mimeType === 'string')
    return { type: 'base64', data: value, mediaType: mimeType }
  if (type === 'url' && typeof value === 'string' && /^https?:/i.test(value))
    return { type: 'url', url: value, ...media }
  throw new RefusedRequest(
    400,
    'a part of a message has neither data with a "mimeType" nor an address of http(s)',
  )
}

/** The decisions of a client about what is open, as parts for the task. */
export const partsOfDecisions = (
  decisions: readonly AgUiDecision[],
  open: readonly RequestContent[],
): readonly Part[] =>
  decisions.flatMap(({ interruptId, status, payload }) => {
    const request = open.find((one) => interruptIdOf(one) === interruptId)
    return request ? [decisionPart(request, status === 'cancelled', payload)] : []
  })

/** A decision about one request, from fields that a client sent. */
export function decisionPart(
  { requestId, digest, question, uncertain }: RequestContent,
  isCancelled: boolean,
  payload: unknown,
): Part {
  const { approved, outcome, result, reason, content } = isObject(payload) ? payload : {}
  const isAnswer = question && approved === undefined && !isCancelled
  return createPart.request({
    requestId,
    ...(digest !== undefined && { digest }),
    ...(!uncertain && { approved: isAnswer ? true : approved === true && !isCancelled }),
    ...(uncertain && { outcome: isOutcome(outcome) ? outcome : 'unknown' }),
    ...(typeof result === 'string' && { result }),
    ...(typeof reason === 'string' && { reason }),
    ...(isObject(content) && { content }),
  })
}

const isOutcome = (value: unknown): value is 'happened' | 'did-not-happen' | 'unknown' =>
  value === 'happened' || value === 'did-not-happen' || value === 'unknown'
