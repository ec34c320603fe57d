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

/** The part of a turn that is stored. */
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
  /** What was said before; of an agent with a handler, empty: that asks for it. */
  readonly conversation: readonly ChatMessage[]
  /** Reads what was said before. */
  readConversation(): Promise<readonly ChatMessage[]>
  readonly signal: AbortSignal
  readonly entropy: Entropy
  readonly deadline?: number
  /** How long another agent that cannot be reached is asked again, in milliseconds. */
  readonly patienceMs: number
  /** Opens the stored run of this id, in a store that outlives the process. */
  readonly open?: (runId: string) => Promise<TaskTurn>
  /**
   * What was stored since the message of this turn came, also by a process that died with it.
   * @param messageId an earlier message, which the turn works on again. Default: the newest
   */
  readonly begun: (messageId?: string) => Promise<BegunTurn>
  /** Makes an address and a secret for the result of a call of a run. */
  readonly webhook: (runId: string, call: WebhookCall) => Promise<Webhook>
  readonly write: (...events: readonly TaskEventBody[]) => Promise<void>
  readonly setAttempt: (attempt: number) => void
  /**
   * Cancels a delegated task, or work of a tool, when this one is aborted. Unset: the agent or the
   * tool is asked once, and nothing is stored.
   */
  readonly cancelChild?: CancelChild
  /**
   * Adds what was said to the conversation of the session, in the transaction of the events that
   * are written next.
   */
  remember(messages: readonly ChatMessage[]): Promise<void>
}
