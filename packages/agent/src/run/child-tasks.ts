import { createMessage } from '../models/message.js'
import { childRequests } from './child-requests.js'
import { byCall } from './quiet-children.js'
import { type ChildOutcome, type ChildResult, isBound, resultOfFailed } from './sub-agent.js'
import { runTurn, type TurnEnd } from './task-runner.js'
import type { Turn } from './turn.js'
import {
  type AcceptedDecision,
  requestParts,
  type WaitingRequest,
  type WaitState,
} from './wait-state.js'
import { whileAway } from './while-away.js'

/**
 * Works on a turn: hands decisions to the sub-agents that asked, then continues the run unless it
 * waits for nothing but them.
 */
export async function runWithChildren(turn: Turn): Promise<TurnEnd> {
  const { wait } = turn
  if (!wait?.requests.some(({ child }) => child)) return runTurn(turn)

  const results = new Map<string, ChildResult>()
  const waiting: WaitingRequest[] = []
  for (const [callId, requests] of byCall(wait.requests)) {
    const reached = await whileAway(() => continueOne(turn, requests), turn.patienceMs, turn.signal)
    if ('away' in reached) {
      // The decision was not handed on, so that it can be given again.
      waiting.push(...requests.map((one) => ({ ...one, reason: awayText(one, reached.away) })))
      continue
    }
    const outcome = reached.value
    if (outcome.status === 'done') results.set(callId, { result: outcome.result })
    else if (outcome.status === 'failed') results.set(callId, resultOfFailed(outcome))
    else {
      // The child may now ask another question than the one that was answered, or the same one
      // again.
      const agent = requests[0]?.child?.agent ?? ''
      const child = new Map([[callId, { agent, ...outcome }]])
      waiting.push(...childRequests(turn.agent.name, child))
    }
  }

  // A decision about a call of this run is applied now; the run then waits for its children again.
  const own = wait.requests.filter(({ child }) => !child)
  const ownIds = new Set(own.map(({ requestId }) => requestId))
  const isDecided = turn.decisions.some(({ requestId }) => ownIds.has(requestId))
  if (waiting.length === 0 || isDecided) return runTurn({ ...turn, results })

  return waitAgain(turn, wait, [...own, ...waiting])
}

/** The reason of a request, with the note that its agent is away; a note of before is replaced. */
const awayText = ({ reason, child }: WaitingRequest, { message }: Error): string => {
  const note = `The agent "${child?.agent ?? ''}" cannot be reached (${message}), so that it does not know of a decision yet: decide again later.`
  const hasReason = reason !== undefined && !reason.startsWith('The agent "')
  return hasReason ? `${reason} ${note}` : note
}

/** Hands the decisions about one call to the sub-agent that works on it. */
async function continueOne(turn: Turn, requests: readonly WaitingRequest[]): Promise<ChildOutcome> {
  const child = requests[0]?.child
  const target = turn.agent.settings.agents?.find(({ name }) => name === child?.agent)
  if (!child || !target || !isBound(target))
    return { status: 'failed', message: 'the agent is not known any more' }

  const decisions: AcceptedDecision[] = []
  for (const decision of turn.decisions) {
    const request = requests.find(({ requestId }) => requestId === decision.requestId)
    // The sub-agent knows the question by its own id.
    if (request?.child)
      decisions.push({ ...decision, requestId: request.child.requestId, digest: request.digest })
  }
  return target.continueChild(child.taskId, decisions, turn.signal)
}

/** Ends the turn with the questions that are open. */
const waitAgain = (turn: Turn, wait: WaitState, requests: WaitState['requests']): TurnEnd => ({
  events: [
    // As JSON, without fields that are undefined. `null` stands for any JSON.
    { type: 'checkpoint', checkpoint: JSON.parse(JSON.stringify({ ...wait, requests })) as null },
    {
      type: 'status',
      state: 'input-required',
      message: createMessage('agent', requestParts(requests), turn.entropy),
    },
  ],
  requests,
})
