import type { OpenRequest } from '@modelport/agent'
import type { PendingItem } from '@modelport/runtime'
import { requestIdOf } from '../runs/stored-run.js'

/** What a task or run waits for. */
export type WaitingCall = OpenRequest

/** A task or a run, as an operator of the store sees it. */
export interface WorkItem {
  /** `task`: of an agent. `run`: of `store.runs`. */
  readonly kind: 'task' | 'run'
  /** Id of the task or run. */
  readonly id: string
  /** Name of the agent, or of the definition of the run. */
  readonly name: string
  /** Who owns the task. Unset for a run. */
  readonly principal?: string
  /**
   * State of the task, or status of the run. `stopped`: it continues after `resume`. `unreadable`:
   * its row cannot be read.
   */
  readonly state: string
  /** When the state changed last, in milliseconds since 1970. */
  readonly changedAt: number
  /** True while a live process works on it: its lease has not ended. */
  readonly isHeld: boolean
  /** What it waits for. */
  readonly waitsFor: readonly WaitingCall[]
  /** The version of its definition or agent. Unset: any version begins it. */
  readonly version?: string
  /**
   * Since when it waits for a process that serves its version, in milliseconds since 1970. Unset:
   * one does, or it waits for something else.
   */
  readonly unservedSince?: number
  /** Why it stopped, or cannot be read. */
  readonly reason?: string
}

/** The work that {@link StoreOperations.list} returns. */
export interface WorkQuery {
  /** Only this state. Default: everything that is not over. */
  readonly state?: string | undefined
  /** True adds what is over. Default false. */
  readonly all?: boolean | undefined
  /** Maximum items of each kind. Default 100. */
  readonly limit?: number | undefined
}

/** What an operator decided about a call. */
export type OperatorDecision =
  /** The call may be executed. */
  | { readonly type: 'approve' }
  /** The call must not be executed; the model reads the reason. */
  | { readonly type: 'deny'; readonly reason?: string }
  /** An uncertain call did happen, with this result. */
  | { readonly type: 'happened'; readonly result: string }
  /** An uncertain call did not happen: it is executed now. */
  | { readonly type: 'did-not-happen' }
  /** Nobody will find out about an uncertain call: the model learns that its outcome is unknown. */
  | { readonly type: 'give-up' }

/** The pending items of a run, in the form of a task's requests. */
export const requestOf = (item: PendingItem): WaitingCall => ({
  requestId: requestIdOf(item),
  kind: item.type === 'task' || item.type === 'wait' ? 'work' : item.type,
  action: JSON.parse(JSON.stringify(item.action)) as OpenRequest['action'],
  ...(item.type === 'uncertain'
    ? {
        reason: `the call was started and its outcome is unknown (idempotency key ${item.idempotencyKey})`,
      }
    : item.type === 'question'
      ? { reason: item.question.message }
      : item.type === 'approval' && item.reason !== undefined && { reason: item.reason }),
  ...(item.type === 'approval' && item.expiresAt !== undefined && { expiresAt: item.expiresAt }),
})
