import type { TaskEventBody } from '../models/task-event.js'
import { createMessage } from '../models/message.js'
import type { Turn } from './task-runner.js'
import type { ModelTurn } from './default-handler.js'
import { childApprovals } from './child-approvals.js'
import { type ChildOutcome, isBound } from './sub-agent.js'
import { type SettledApproval, requestParts, type WaitingApproval, type WaitState } from './wait-state.js'

/** What became of the children that a run waits for. */
export interface ContinuedChildren {
  /** What is still waited for, of children only. */
  readonly still: readonly WaitingApproval[]
  readonly results: ModelTurn['results']
}

/** Hands decisions to the sub-agents that asked, and collects the results of those that are done. */
export async function continueChildren(turn: Turn, wait: WaitState): Promise<ContinuedChildren> {
  const results = new Map<string, { readonly result: unknown } | { readonly failure: string }>()
  const still: WaitingApproval[] = []
  const byCall = new Map<string, WaitingApproval[]>()
  for (const request of wait.requests)
    if (request.child) byCall.set(request.callId, [...(byCall.get(request.callId) ?? []), request])
  for (const [callId, requests] of byCall) {
    const outcome = await continueOne(turn, requests)
    if (outcome.status === 'done') results.set(callId, { result: outcome.result })
    else if (outcome.status === 'failed') results.set(callId, { failure: outcome.message })
    // What it asks now may be another question than the one that was answered, or the same again.
    else
      still.push(
        ...childApprovals(turn.agent.name, new Map([[callId, { agent: requests[0]?.child?.agent ?? '', ...outcome }]])),
      )
  }
  return { still, results }
}

async function continueOne(turn: Turn, requests: readonly WaitingApproval[]): Promise<ChildOutcome> {
  const child = requests[0]?.child
  const target = turn.agent.settings.agents?.find(({ name }) => name === child?.agent)
  if (!child || !target || !isBound(target)) return { status: 'failed', message: 'the agent is not known any more' }
  const decisions = turn.decisions.flatMap((decision): readonly SettledApproval[] => {
    const request = requests.find(({ requestId }) => requestId === decision.requestId)
    return request?.child ? [{ ...decision, requestId: request.child.requestId }] : []
  })
  return target.continueChild(child.taskId, decisions, turn.signal)
}

/** The events of a task that waits for its children again. */
export const waitAgain = (turn: Turn, wait: WaitState, requests: WaitState['requests']): readonly TaskEventBody[] => [
  { type: 'checkpoint', checkpoint: JSON.parse(JSON.stringify({ ...wait, requests })) as null },
  {
    type: 'status',
    state: 'input-required',
    message: createMessage('agent', requestParts(requests), turn.entropy),
  },
]
