import { createMessage } from '../models/message.js'
import { childApprovals } from './child-approvals.js'
import { type ChildOutcome, isBound } from './sub-agent.js'
import { runTurn, type TurnEnd } from './task-runner.js'
import type { Turn } from './turn.js'
import {
  requestParts,
  type SettledApproval,
  type WaitingApproval,
  type WaitState,
} from './wait-state.js'

/**
 * Works on a turn: hands decisions to the sub-agents that asked, then continues the run unless it
 * waits for nothing but them.
 */
export async function runWithChildren(turn: Turn): Promise<TurnEnd> {
  const { wait } = turn
  if (!wait?.requests.some(({ child }) => child)) return runTurn(turn)
  const results = new Map<string, { readonly result: unknown } | { readonly failure: string }>()
  const still: WaitingApproval[] = []
  const byCall = new Map<string, WaitingApproval[]>()
  for (const request of wait.requests)
    if (request.child) byCall.set(request.callId, [...(byCall.get(request.callId) ?? []), request])
  for (const [callId, requests] of byCall) {
    const outcome = await continueOne(turn, requests)
    if (outcome.status === 'done') results.set(callId, { result: outcome.result })
    else if (outcome.status === 'failed') results.set(callId, { failure: outcome.message })
    // The child may now ask another question than the one that was answered, or the same one again.
    else
      still.push(
        ...childApprovals(
          turn.agent.name,
          new Map([[callId, { agent: requests[0]?.child?.agent ?? '', ...outcome }]]),
        ),
      )
  }
  const own = wait.requests.filter(({ child }) => !child)
  const isDecided = turn.decisions.some(({ requestId }) =>
    own.some((request) => request.requestId === requestId),
  )
  // A decision about a call of this run is applied now; the run then waits for its children again.
  if (!still.length || isDecided) return runTurn({ ...turn, results })
  return waitAgain(turn, wait, [...own, ...still])
}

async function continueOne(
  turn: Turn,
  requests: readonly WaitingApproval[],
): Promise<ChildOutcome> {
  const child = requests[0]?.child
  const target = turn.agent.settings.agents?.find(({ name }) => name === child?.agent)
  if (!child || !target || !isBound(target))
    return { status: 'failed', message: 'the agent is not known any more' }
  const decisions = turn.decisions.flatMap((decision): readonly SettledApproval[] => {
    const request = requests.find(({ requestId }) => requestId === decision.requestId)
    return request?.child
      ? [{ ...decision, requestId: request.child.requestId, digest: request.digest }]
      : []
  })
  return target.continueChild(child.taskId, decisions, turn.signal)
}

const waitAgain = (turn: Turn, wait: WaitState, requests: WaitState['requests']): TurnEnd => ({
  events: [
    { type: 'checkpoint', checkpoint: JSON.parse(JSON.stringify({ ...wait, requests })) as null },
    {
      type: 'status',
      state: 'input-required',
      message: createMessage('agent', requestParts(requests), turn.entropy),
    },
  ],
  requests,
})
