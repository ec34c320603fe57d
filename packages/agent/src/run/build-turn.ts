import type { ChatMessage } from '@modelport/core'
import { AgentError, isAgentError } from '../base/agent-error.js'
import { type Entropy, timestampOf } from '../base/ids.js'
import type { Message } from '../models/message.js'
import { textOfParts } from '../models/part.js'
import type { Task } from '../models/task.js'
import type { TaskRecord } from '../models/task-event.js'
import type { AgentStore } from '../session/agent-store.js'
import { foldSession, type SessionKey } from '../session/session-store.js'
import type { HeldTask } from '../session/task-leases.js'
import type { TaskKey } from '../session/task-store.js'
import type { Agent } from './agent.js'
import type { ChildCanceller } from './child-canceller.js'
import { toContent } from './content.js'
import { decisionsLeft, readTurnState } from './held-work.js'
import { hasContent } from './read-messages.js'
import type { AgentRunContext, ForeignContext } from './run-context.js'
import type { TaskWriter } from './task-writer.js'
import type { Turn } from './turn.js'
import type { SettledApproval } from './wait-state.js'

/** What a turn is made of. */
export interface TurnParts {
  readonly store: AgentStore
  readonly entropy: Entropy
  readonly key: TaskKey
  readonly agent: Agent
  readonly record: TaskRecord
  readonly task: Task
  readonly seq: number
  readonly writer: TaskWriter
  readonly canceller: ChildCanceller
  readonly signal: AbortSignal
  readonly decisions: readonly SettledApproval[]
  readonly context: ForeignContext
  /** The lease of the task, in a store that outlives the process. */
  readonly held?: HeldTask
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
  const wait =
    task.messages.length > 1
      ? await readTurnState(store.tasks, key, seq, held !== undefined)
      : undefined
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
  const { approvals } = agent.settings
  return {
    agent,
    task,
    run,
    scope: {
      principal: record.principal,
      now: () => entropy.now(),
      ...(context.permissions && { permissions: context.permissions }),
      ...(approvals?.expiresInMs !== undefined && { approvalExpiresInMs: approvals.expiresInMs }),
    },
    message,
    isNew: !wait || hasContent(message),
    ...(wait && { wait }),
    ...(held && { open: (runId: string) => held.open(runId) }),
    decisions: held && wait && !decisions.length ? decisionsLeft(task, wait) : decisions,
    results: new Map(),
    conversation: agent.settings.handler ? [] : await conversationFor(given, session, message),
    readConversation: () => conversationFor(given, session, message),
    signal,
    entropy: entropy,
    ...(context.deadline !== undefined && { deadline: context.deadline }),
    ...(!record.offRecord && {
      cancelChild: (target: string, taskId: string) =>
        canceller.request(key, agent.name, target, taskId),
    }),
    write: (...events) => writer.write(...events),
    setAttempt: (attempt) => {
      // A new attempt begins after a process died with the turn, and when a call is repeated.
      writer.attempt = Math.max(attempt, held?.attempt ?? 1)
    },
    remember: (messages) =>
      record.offRecord ? Promise.resolve() : remember(store, entropy, session, key.id, messages),
  }
}

/** What was said before the current message. */
async function conversationFor(
  { store, record, task }: TurnParts,
  session: SessionKey,
  message: Message,
): Promise<readonly ChatMessage[]> {
  return record.offRecord ? history(task, message) : conversationOf(store, session)
}

/** The conversation of a session, from its last replacement on. */
async function conversationOf(store: AgentStore, key: SessionKey): Promise<readonly ChatMessage[]> {
  const { start } = await store.sessions.head(key)
  return foldSession(await store.sessions.read(key, start))
}

/** Adds messages to a session although others write too. */
async function remember(
  store: AgentStore,
  entropy: Entropy,
  key: SessionKey,
  taskId: string,
  messages: readonly ChatMessage[],
): Promise<void> {
  if (!messages.length) return
  for (let attempt = 0; attempt < 20; attempt++) {
    const { seq } = await store.sessions.head(key)
    const [last] = store.leases ? await store.sessions.read(key, Math.max(1, seq)) : []
    // A process that was cut after this would say it again.
    if (
      last?.type === 'messages' &&
      last.taskId === taskId &&
      JSON.stringify(last.messages) === JSON.stringify(messages)
    )
      return
    try {
      await store.sessions.append(
        key,
        seq,
        [{ type: 'messages', taskId, messages }],
        timestampOf(entropy),
      )
      return
    } catch (error) {
      if (!isAgentError(error, 'conflict')) throw error
    }
  }
  throw new AgentError('busy', 'The session changes too fast')
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
