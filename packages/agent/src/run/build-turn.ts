import type { ChatMessage } from '@modelport/core'
import { AgentError } from '../base/agent-error.js'
import type { Entropy } from '../base/ids.js'
import type { Message } from '../models/message.js'
import { textOfParts } from '../models/part.js'
import type { Task } from '../models/task.js'
import type { TaskRecord } from '../models/task-event.js'
import type { AgentStore } from '../session/agent-store.js'
import { foldSession, type SessionKey } from '../session/session-store.js'
import type { HeldTask } from '../session/task-leases.js'
import type { TaskKey } from '../session/task-store.js'
import type { Agent } from './agent.js'
import type { CancelTarget } from './cancel-requests.js'
import type { ChildCanceller } from './child-canceller.js'
import { toContent } from './content.js'
import { decisionsLeft, readBegunTurn, readTurnState } from './held-work.js'
import { hasContent } from './read-messages.js'
import { createWebhook } from './result-webhook.js'
import type { AgentRunContext, ForeignContext } from './run-context.js'
import type { TaskWriter } from './task-writer.js'
import type { Turn } from './turn.js'
import { unfinishedBefore } from './unfinished-tasks.js'
import { type AcceptedDecision, waitWindow } from './wait-state.js'

/** What a turn is made of. */
export interface TurnParts {
  readonly store: AgentStore
  readonly entropy: Entropy
  readonly key: TaskKey
  readonly agent: Agent
  readonly record: TaskRecord
  readonly task: Task
  readonly seq: number
  /** The life of the session that the task belongs to. */
  readonly generation: string | undefined
  readonly writer: TaskWriter
  readonly canceller: ChildCanceller
  readonly signal: AbortSignal
  readonly decisions: readonly AcceptedDecision[]
  readonly context: ForeignContext
  /** Maximum milliseconds of the turn. */
  readonly limitMs: number
  /** The lease of the task, in a store that outlives the process. */
  readonly held?: HeldTask
  /** Address of the result of a call, for whoever has its secret. Unset: none is served. */
  readonly webhookUrl: ((agent: string, token: string) => string) | undefined
}

/** Puts together what one activation of a task works with. */
export async function buildTurn(given: TurnParts): Promise<Turn> {
  const {
    store,
    entropy,
    key,
    agent,
    record,
    task,
    seq,
    writer,
    canceller,
    signal,
    decisions,
    held,
  } = given
  const state =
    task.messages.length > 1
      ? await readTurnState(store.tasks, key, seq, held ? Infinity : waitWindow)
      : undefined
  const wait = state?.wait
  const message = lastUserMessage(task)
  if (!message) throw new AgentError('internal', 'The task has no message to work on')
  const context = given.context
  const run: AgentRunContext = {
    taskId: key.id,
    sessionId: record.sessionId,
    principal: record.principal,
    ...context,
  }
  const session: SessionKey = {
    principal: record.principal,
    agent: record.agent,
    id: record.sessionId,
  }
  const { expiresInMs } = agent.settings.decisions ?? {}
  return {
    agent,
    task,
    run,
    scope: {
      principal: record.principal,
      now: () => entropy.now(),
      ...(context.permissions && { permissions: context.permissions }),
      ...(expiresInMs !== undefined && { approvalExpiresInMs: expiresInMs }),
    },
    message,
    isNew: !state || state.after.some((one) => hasContent(one.message)),
    ...(wait && { wait }),
    ...(held && { open: (runId: string) => held.open(runId) }),
    decisions: held && state && !decisions.length ? decisionsLeft(state) : decisions,
    results: new Map(),
    conversation: agent.settings.handler ? [] : await conversationFor(given, session, message),
    readConversation: () => conversationFor(given, session, message),
    signal,
    entropy: entropy,
    patienceMs: given.limitMs / 2,
    ...(context.deadline !== undefined && { deadline: context.deadline }),
    ...(!record.offRecord && {
      cancelChild: (target: CancelTarget) => canceller.request(key, agent.name, target),
    }),
    begun: (messageId) =>
      task.state === 'submitted'
        ? Promise.resolve({ at: record.createdAt, events: [] })
        : readBegunTurn(store.tasks, key, seq, { at: record.createdAt, messageId }),
    webhook: (runId, call) => {
      const { webhookUrl } = given
      const urlOf = webhookUrl && ((token: string) => webhookUrl(agent.name, token))
      return createWebhook({ tasks: store.tasks, entropy, key, runId, urlOf }, call)
    },
    write: (...events) => writer.write(...events),
    setAttempt: (attempt) => {
      // A new attempt begins after a process died with the turn, and when a call is repeated.
      writer.attempt = Math.max(attempt, held?.attempt ?? 1)
    },
    remember: (messages) => {
      if (!record.offRecord) writer.remember(messages)
      return Promise.resolve()
    },
  }
}

/** What was said before the current message. */
async function conversationFor(
  { store, record, task, generation }: TurnParts,
  session: SessionKey,
  message: Message,
): Promise<readonly ChatMessage[]> {
  if (record.offRecord) return history(task, message)
  const head = await store.sessions.head(session)
  // The session was deleted, and perhaps begun again: its new life is not this task's.
  if (head.generation !== generation) return []
  const said = head.seq ? foldSession(await store.sessions.read(session, head.start)) : []
  return [...said, ...(await unfinishedBefore(store.tasks, session, task.id))]
}

const lastUserMessage = (task: Task): Message | undefined =>
  task.messages.findLast(({ role }) => role === 'user')

/** The conversation of a task that is off the record: its own messages. */
const history = (task: Task, current: Message): readonly ChatMessage[] =>
  task.messages
    .filter(({ id }) => id !== current.id)
    .flatMap(({ role, parts }): readonly ChatMessage[] => {
      const content = toContent(parts)
      if (!content.length) return []
      return [
        role === 'user' ? { role, content } : { role: 'assistant', content: textOfParts(parts) },
      ]
    })
