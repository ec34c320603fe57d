import { operatorPrincipal } from '@modelport/runtime'
import { AgentError, isAgentError } from '../base/agent-error.js'
import { type Entropy, systemEntropy, timestampOf } from '../base/ids.js'
import type { JsonValue } from '../base/json.js'
import { createMessage } from '../models/message.js'
import { createPart, type RequestDecision } from '../models/part.js'
import type { TaskKey, TaskStore } from '../session/task-store.js'
import { checkDecision } from './check-decision.js'
import { readWaitState, type WaitingRequest } from './wait-state.js'

/** A decision that a task waits for, as an operator of its store sees it. */
export interface OpenRequest {
  /** Names the request in a decision. */
  readonly requestId: string
  /**
   * `approval`: a call needs permission. `uncertain`: a call was started, and nobody recorded its
   * outcome. `question`: a tool asks the task's principal, and nobody else can answer. `work`: it
   * continues elsewhere, and its result is wanted.
   */
  readonly kind: 'approval' | 'uncertain' | 'question' | 'work'
  /** The call: its tool or agent, and its arguments. */
  readonly action: Readonly<Record<string, JsonValue>>
  /** Why it is asked, or what is known about the call. */
  readonly reason?: string
  /** When the request counts as refused, in milliseconds since 1970. Unset: never. */
  readonly expiresAt?: number
}

/** The decisions that a task waits for; none if it does not wait. */
export async function openRequests(
  tasks: TaskStore,
  key: TaskKey,
): Promise<readonly OpenRequest[]> {
  const head = await tasks.head(key)
  if (head?.state !== 'input-required') return []
  const wait = await readWaitState(tasks, key, head.seq)
  return (wait?.requests ?? []).map((request) => {
    const { requestId, action, expiresAt, question } = request
    const reason = question?.message ?? request.reason
    return {
      requestId,
      kind: kindOf(request),
      action,
      ...(reason !== undefined && { reason }),
      ...(expiresAt !== undefined && { expiresAt }),
    }
  })
}

function kindOf({ isLate, uncertain, question }: WaitingRequest): OpenRequest['kind'] {
  // Late work is uncertain, too.
  if (isLate) return 'work'
  if (uncertain) return 'uncertain'
  return question ? 'question' : 'approval'
}

/**
 * Stores a decision about a waiting task without running it: a process that serves its agent
 * continues it. For operators, who have the store and not the agent; `mayDecide` of the agent is
 * not asked.
 *
 * @throws {AgentError} `task-not-found`; `invalid-params` — the task does not wait for this
 * request, the request has expired, or the decision is not of the kind that the request needs
 */
export async function settleRequest(
  tasks: TaskStore,
  key: TaskKey,
  decision: RequestDecision,
  entropy: Entropy = systemEntropy,
): Promise<void> {
  // Another writer of the task may be faster: the decision is then checked against the new state.
  for (let attempt = 0; attempt < 20; attempt++) {
    const head = await tasks.head(key)
    if (!head) throw new AgentError('task-not-found', `There is no task "${key.id}"`)
    const open = await openRequests(tasks, key)
    const request = open.find(({ requestId }) => requestId === decision.requestId)
    if (!request)
      throw new AgentError(
        'invalid-params',
        `Task "${key.id}" does not wait for "${decision.requestId}"; it waits for: ${open.map(({ requestId }) => requestId).join(', ') || 'nothing'}`,
      )
    if (request.kind === 'question')
      throw new AgentError(
        'invalid-params',
        `Only the principal of the task answers "${decision.requestId}"`,
      )
    checkDecision(decision, request.kind === 'uncertain' || request.kind === 'work')
    if (request.expiresAt !== undefined && request.expiresAt <= entropy.now())
      throw new AgentError(
        'invalid-params',
        `Request "${decision.requestId}" has expired and counts as refused`,
      )
    const at = timestampOf(entropy)
    const message = createMessage('user', [createPart.request({ ...decision })], entropy)
    try {
      await tasks.append(key, head.seq, [
        { type: 'message', message, by: operatorPrincipal, at, attempt: 1 },
        { type: 'status', state: 'working', at, attempt: 1 },
      ])
      return
    } catch (error) {
      if (!isAgentError(error, 'conflict')) throw error
    }
  }
  throw new AgentError('busy', 'The task changes too fast; come back later', {
    retryAfterMs: 1_000,
  })
}
