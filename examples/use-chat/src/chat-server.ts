// The server half: it runs the model and its tools, and keeps what a chat needs to continue after
// an approval or a lost connection.
import type { ChatMessage, Provider } from '@modelport/core'
import {
  checkAnswer,
  type InferRequest,
  inferStream,
  type PendingQuestion,
  type ResumeDecision,
  type RunEvent,
  type RunEventReader,
  type RunResult,
} from '@modelport/runtime'
import {
  EventLog,
  type FromUiMessages,
  fromUiMessages,
  toUiMessageResponse,
} from '@modelport/runtime/ui'

type Suspended = Extract<RunResult, { status: 'suspended' }>

interface Chat {
  /** Events of the latest run, from its first: a page that was reloaded reads them all again. */
  readonly log: EventLog<RunEvent>
  readonly run: RunEventReader
  /** Set while the run waits for a decision. A real server stores it with the chat. */
  waiting?: Suspended
  /**
   * What was said, as this server knows it: the page's word for the results of tools is not taken.
   */
  transcript: readonly ChatMessage[]
  isOver: boolean
}

/** Maximum chats that are kept; a real server has a store. */
const mostChats = 1000

/**
 * Answers the requests of `useChat`: `POST /api/chat`, `GET /api/chat/{id}/stream` after a reload,
 * and `POST /api/chat/{id}/stop` of the page's Stop button.
 * @param principalOf says who asks; undefined is refused. A chat belongs to whoever began it:
 * nobody else reads, continues or approves it.
 */
export function createChatServer(
  provider: Provider,
  settings: InferRequest,
  principalOf: (request: Request) => string | undefined,
): (request: Request) => Promise<Response> {
  const chats = new Map<string, Chat>()
  return async (request) => {
    const principal = principalOf(request)
    if (principal === undefined) return new Response('who are you?', { status: 401 })
    // The id is the page's own choice: without the principal in the key it would open the chats of
    // others.
    const keyOf = (id: unknown): string => JSON.stringify([principal, id])
    const { pathname } = new URL(request.url)
    if (request.method === 'POST' && pathname === '/api/chat') {
      const { id, messages } = (await request.json()) as { id: string; messages: unknown }
      const before = chats.get(keyOf(id))
      const chat = start(fromUiMessages(messages, { transcript: before?.transcript ?? [] }), before)
      keep(keyOf(id), chat)
      return respond(chat)
    }
    const [, stopped] = /^\/api\/chat\/([\w-]+)\/stop$/.exec(pathname) ?? []
    if (request.method === 'POST' && stopped !== undefined) {
      // A connection that ends does not stop the run: after a reload the page reads on.
      await chats.get(keyOf(stopped))?.log.close()
      return new Response(null, { status: 204 })
    }
    const [, resumed] = /^\/api\/chat\/([\w-]+)\/stream$/.exec(pathname) ?? []
    const chat = chats.get(keyOf(resumed))
    // 204: nothing to resume.
    return chat && !chat.isOver ? respond(chat) : new Response(null, { status: 204 })
  }

  function keep(key: string, chat: Chat): void {
    chats.delete(key)
    chats.set(key, chat)
    const [oldest] = chats
    if (!oldest || chats.size <= mostChats) return
    chats.delete(oldest[0])
    void oldest[1].log.close()
  }

  function start({ messages, approvals }: FromUiMessages, before: Chat | undefined): Chat {
    const waiting = before?.waiting
    const decisions = waiting && toDecisions(waiting, approvals)
    const run = inferStream(provider, {
      ...settings,
      ...(waiting && decisions
        ? { durable: { resume: waiting.checkpoint, decisions }, messages: waiting.transcript }
        : { messages }),
    })
    const chat: Chat = {
      log: new EventLog(run),
      run,
      transcript: before?.transcript ?? [],
      isOver: false,
    }
    void run.result().then((result) => {
      chat.isOver = true
      chat.transcript = result.transcript
      if (result.status === 'suspended') chat.waiting = result
    })
    return chat
  }
}

const respond = ({ log, run }: Chat): Response =>
  toUiMessageResponse({
    [Symbol.asyncIterator]: () => log[Symbol.asyncIterator](),
    result: () => run.result(),
  })

type Approval = FromUiMessages['approvals'][number]

/**
 * What the user said about the calls that wait; the digest ties each decision to the call or the
 * question that was shown.
 * @returns undefined if nothing was said about them; an answer that does not fit its question is
 * left out, and the page asks again
 */
function toDecisions(
  { pending }: Suspended,
  approvals: readonly Approval[],
): ResumeDecision[] | undefined {
  const said = pending.flatMap((item) => {
    if (item.type !== 'approval' && item.type !== 'question') return []
    const decided = approvals.find(({ id, digest }) => id === item.id && digest === item.digest)
    return decided ? [{ item, decided }] : []
  })
  if (said.length === 0) return undefined
  return said.flatMap(({ item, decided }): ResumeDecision[] => {
    if (item.type === 'question') return toAnswer(item, decided)
    return decided.approved
      ? [{ type: 'approve', id: item.id, digest: item.digest, by: 'the user' }]
      : [{ type: 'deny', id: item.id, reason: decided.reason ?? 'the user said no' }]
  })
}

function toAnswer(
  { id, digest, question }: PendingQuestion,
  { approved, content }: Approval,
): ResumeDecision[] {
  try {
    const answer = checkAnswer(
      question,
      approved ? { action: 'accept', content: content ?? {} } : { action: 'decline' },
    )
    return [{ type: 'answer', id, digest, ...answer, by: 'the user' }]
  } catch {
    return []
  }
}
