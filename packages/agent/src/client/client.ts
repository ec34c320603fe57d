import type { JsonObject } from '@modelport/core'
import { checkSettings, namesOf } from '@modelport/core/settings'
import type { CompactionResult } from '@modelport/runtime'
import type { AgentCard } from '../models/card.js'
import type { HistoryCompactionRequest } from '../models/compaction-control.js'
import type { Message } from '../models/message.js'
import { createPart, type Part, type RequestDecision } from '../models/part.js'
import { requestsOf, type Task } from '../models/task.js'
import { isInterrupted } from '../models/task-state.js'
import type { LateResult } from '../run/result-webhook.js'
import { type AgentRunContext, type GrantedLimits, limitNames } from '../run/run-context.js'

/** What a reader of a task sees. */
export type ClientEvent =
  /**
   * The task as it is now: first, after a reconnect, and whole at the end. What was shown before it
   * is replaced.
   */
  | { readonly type: 'task'; readonly task: Task }
  /**
   * All text that a reader prints, of every artifact, and the question of a task that waits;
   * `first` begins it anew. Text of another artifact begins on a new line.
   */
  | { readonly type: 'text-delta'; readonly text: string; readonly first?: true }
  /** The state changed. A task that ends or waits has this event even if its stream broke. */
  | { readonly type: 'status'; readonly state: Task['state']; readonly message?: Message }
  /**
   * An artifact, or with `append` the parts that are added to the one of its id. The answer arrives
   * as text only.
   */
  | {
      readonly type: 'artifact'
      readonly artifact: Task['artifacts'][number]
      readonly append?: true
    }
  | { readonly type: 'progress'; readonly percent?: number; readonly message?: string }

/** How a message is sent. */
export interface SendOptions {
  /** Continues this task. */
  readonly taskId?: string | undefined
  /** Starts the task in this conversation. */
  readonly sessionId?: string | undefined
  /** Maximum messages of the history that come back. */
  readonly historyLength?: number | undefined
  /** True does not wait for the end. Default false. */
  readonly returnImmediately?: boolean | undefined
  /** Sent along with the message. */
  readonly metadata?: JsonObject | undefined
  /** Aborts the request; the task continues. */
  readonly signal?: AbortSignal | undefined
  /** Limits of this turn, for example `{ maxSteps: 5 }`. Each only lowers what the agent allows. */
  readonly limits?: GrantedLimits | undefined
  /**
   * The context of the calling task, and the limits that its caller grants; `limits` replaces its
   * limits.
   */
  readonly run?: AgentRunContext | undefined
}

const sendOptions = namesOf<SendOptions>({
  taskId: true,
  sessionId: true,
  historyLength: true,
  returnImmediately: true,
  metadata: true,
  signal: true,
  limits: true,
  run: true,
})

/**
 * Checks the options of a message that is sent.
 * @throws {LlmError} `config` — an option, or one of its limits, is unknown.
 */
export function checkSendOptions(where: string, options: SendOptions): void {
  checkSettings(where, options, sendOptions, { limits: limitNames })
  checkSettings(`${where}: limits`, options.limits ?? options.run?.limits ?? {}, limitNames)
}

/** Which tasks are listed. */
export interface ListOptions {
  /** Only tasks of this session. */
  readonly sessionId?: string
  /** Only tasks in this state. */
  readonly state?: Task['state']
  /** Maximum tasks of a page, 1 to 100. Default: 50, which the server says. */
  readonly pageSize?: number
  /** `next` of the page before. */
  readonly pageToken?: string
  /** Aborts the request. */
  readonly signal?: AbortSignal
}

/** Which result is delivered. */
export interface DeliverOptions {
  /**
   * Who owns the task, as the text of a `Principal`; `decisions.mayDeliver` of its agent allows
   * others to deliver. Default: the caller.
   */
  readonly owner?: string | undefined
  /** The request that asks for the result. May be left out if the task waits for one result. */
  readonly request?: string | undefined
}

/** One page of tasks. */
export interface TaskList {
  /** The tasks of the page, newest status first, without their artifacts. */
  readonly tasks: readonly Task[]
  /** Pass it as `pageToken` to get the next page. Unset: this is the last one. */
  readonly next?: string
  /** Tasks that match, on all pages. */
  readonly total: number
}

/** Talks to one agent, wherever it is. Nothing is contacted before the first call. */
export interface AgentClient {
  /** Every host that calls contact, as `host:port`; known without contacting any. */
  hosts(): readonly string[]
  /** The card of the agent. It is fetched at the first call, and again when it is stale. */
  card(signal?: AbortSignal): Promise<AgentCard>
  /**
   * The fuller card that the agent gives to callers it knows; it needs `auth`. From then on `card`
   * gives it too, until the public card changes.
   * @throws {AgentError} `unsupported-operation` — the card does not offer one;
   * `extended-card-not-configured`; `unauthenticated`
   */
  extendedCard(signal?: AbortSignal): Promise<AgentCard>
  /** Sends a message; resolves when the task is over or waits. */
  send(message: string | readonly Part[] | Message, options?: SendOptions): Promise<Task>
  /**
   * Sends a message and reads what happens. Ends when the task is over or waits for input; leaving
   * it does not stop the task.
   */
  stream(
    message: string | readonly Part[] | Message,
    options?: SendOptions,
  ): AsyncIterableIterator<ClientEvent>
  /** The task as it is now. @throws {AgentError} `task-not-found` */
  get(
    taskId: string,
    options?: { readonly historyLength?: number; readonly signal?: AbortSignal },
  ): Promise<Task>
  /**
   * The tasks of this caller, newest status first.
   * @throws {AgentError} `unsupported-operation` with a wire that cannot list tasks
   */
  list(options?: ListOptions): Promise<TaskList>
  /** Cancels a task. @throws {AgentError} `task-not-found`, `task-not-cancelable` */
  cancel(taskId: string, reason?: string): Promise<Task>
  /** Reads what happens to a task from now on. */
  subscribe(taskId: string, signal?: AbortSignal): AsyncIterableIterator<ClientEvent>
  /** Decides about the requests that a task waits for. */
  decide(task: Task, decisions: readonly RequestDecision[], signal?: AbortSignal): Promise<Task>
  /**
   * Delivers the result of work that a task waits for: its tool returned `pending`. The same result
   * again changes nothing.
   * @throws {AgentError} `task-not-found` — also for a task of somebody else, without permission;
   * `conflict` — the task waits for no such result, or another one came; `unsupported-operation` —
   * it is not an agent of modelport
   */
  deliver(taskId: string, result: LateResult, options?: DeliverOptions): Promise<void>
  /** Makes the conversation of a session shorter; only some agents can. */
  compactHistory(
    sessionId: string,
    request?: Partial<HistoryCompactionRequest>,
  ): Promise<Omit<CompactionResult, 'changed'>>
  /**
   * Removes the tasks that these tasks of the caller delegated to the agent, with their
   * conversations. The agent asks those that it called itself; it answers before they have.
   * @returns how many were removed; 0: there are none, or no more
   * @throws {AgentError} `unsupported-operation` — it is not an agent of modelport
   */
  forget(callers: readonly string[]): Promise<number>
}

/**
 * What a message says that decides about requests of a task.
 * @experimental for clients of our own: others call {@link AgentClient.decide}
 */
export function toDecisionParts(
  task: Task,
  decisions: readonly RequestDecision[],
): readonly Part[] {
  const shown = new Map(requestsOf(task).map(({ requestId, digest }) => [requestId, digest]))
  return decisions.map(({ digest: given, ...decision }) => {
    const digest = given ?? shown.get(decision.requestId)
    return createPart.request({ ...decision, ...(digest !== undefined && { digest }) })
  })
}

function textOf(list: readonly Part[]): string {
  return list
    .flatMap((part) => {
      if (part.type === 'text' || part.type === 'infer_output')
        return [typeof part.content === 'string' ? part.content : JSON.stringify(part.content)]
      if (part.type === 'tool_output')
        return [JSON.stringify(part.content.result ?? part.content.error ?? null)]
      return part.type === 'json' ? [JSON.stringify(part.content)] : []
    })
    .join('\n')
}

/** Text of the answer of a task; without one, of all its artifacts. */
export function artifactTextOf({ artifacts }: Task): string {
  const answer = artifacts.find(({ kind, id }) => kind === 'answer' || id === 'answer')
  if (answer) return textOf(answer.parts)
  return artifacts
    .map(({ parts }) => textOf(parts))
    .filter(Boolean)
    .join('\n')
}

/** The question of a task that waits for input; empty if it waits for decisions only. */
export const questionOf = (task: Task): string =>
  isInterrupted(task.state) && !requestsOf(task).length
    ? textOf(task.statusMessage?.parts ?? [])
    : ''

/**
 * The text of a task: its question if it waits, the reason if it failed, else its answer: the
 * answer artifact, or the text of all artifacts, or the message of its state.
 */
export function answerOf(task: Task): string {
  const said = textOf(task.statusMessage?.parts ?? [])
  const isEnded = task.state === 'failed' || task.state === 'rejected' || task.state === 'cancelled'
  if (said && (isEnded || questionOf(task))) return said
  return (
    artifactTextOf(task) ||
    said ||
    textOf(task.messages.findLast(({ role }) => role !== 'user')?.parts ?? [])
  )
}
