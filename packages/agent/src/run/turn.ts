import type { ChatMessage } from '@modelport/core'
import type { Webhook, WebhookCall } from '@modelport/runtime'
import type { Entropy } from '../base/ids.js'
import type { Message } from '../models/message.js'
import type { Task } from '../models/task.js'
import type { TaskEvent, TaskEventBody } from '../models/task-event.js'
import type { TaskTurn } from '../session/task-leases.js'
import type { Agent } from './agent.js'
import type { PolicyScope } from './policy.js'
import type { AgentRunContext } from './run-context.js'
import type { CancelChild, ChildResult } from './sub-agent.js'
import type { AcceptedDecision, WaitState } from './wait-state.js'

/** What is stored of a turn that has begun. */
export interface BegunTurn {
  /** When its message came, ISO 8601, UTC. */
  readonly at: string
  readonly events: readonly TaskEvent[]
}

/** One activation of a task: a message, decisions, or both. */
export interface Turn {
  readonly agent: Agent
  readonly task: Task
  readonly run: AgentRunContext
  readonly scope: PolicyScope
  /** The current message: a new one, or the one that the task waits with. */
  readonly message: Message
  /** True if the message is new, so that a waiting run reads it as an answer. */
  readonly isNew: boolean
  /** Set when a suspended run continues. */
  readonly wait?: WaitState
  readonly decisions: readonly AcceptedDecision[]
  /** Results of sub-agents that a suspended run waited for, by call. */
  readonly results: ReadonlyMap<string, ChildResult>
  /** What was said before. Empty for an agent with a handler, which reads it when it needs it. */
  readonly conversation: readonly ChatMessage[]
  /** Reads what was said before. */
  readConversation(): Promise<readonly ChatMessage[]>
  readonly signal: AbortSignal
  readonly entropy: Entropy
  readonly deadline?: number
  /** How long the turn retries to reach another agent, in milliseconds. */
  readonly patienceMs: number
  /**
   * Opens the stored run of this id. Unset for a store that does not outlive the process.
   */
  readonly open?: (runId: string) => Promise<TaskTurn>
  /**
   * What was stored since the message of this turn came, also by a process that died since.
   * @param messageId the message, if the turn repeats work on an earlier one. Default: the newest
   */
  readonly begun: (messageId?: string) => Promise<BegunTurn>
  /** Makes an address and a secret to which the result of a call can be sent. */
  readonly webhook: (runId: string, call: WebhookCall) => Promise<Webhook>
  readonly write: (...events: readonly TaskEventBody[]) => Promise<void>
  readonly setAttempt: (attempt: number) => void
  /**
   * Stores that a delegated task or the work of a tool is to be cancelled, and asks until it is.
   * Called when this task is aborted. Unset: the agent or the tool is asked once, nothing is
   * stored.
   */
  readonly cancelChild?: CancelChild
  /**
   * Adds what was said to the conversation of the session, in the transaction of the events that
   * are written next.
   */
  remember(messages: readonly ChatMessage[]): Promise<void>
}
