import type { Agent } from './agent.js'
import { childRequests } from './child-requests.js'
import { type ChildOutcome, isBound } from './sub-agent.js'
import type { WaitingRequest, WaitState } from './wait-state.js'

/** How long one agent is asked, in milliseconds. */
const mostMs = 10_000

/**
 * True if an agent that asked waits for something else by now, or for nothing: its task is over, or
 * somebody decided there. One that cannot be reached is looked at again later.
 */
export async function hasChildMoved(
  { name, settings }: Agent,
  { requests }: WaitState,
): Promise<boolean> {
  for (const [callId, asked] of byCall(requests)) {
    const { child } = asked[0] ?? {}
    const target = settings.agents?.find((one) => one.name === child?.agent)
    if (!child || !target || !isBound(target)) continue
    const signal = AbortSignal.timeout(mostMs)
    // Unset: away.
    const found = await target.lookAtChild(child.taskId, signal).then(
      (outcome) => ({ outcome }),
      () => undefined,
    )
    if (found && !asksTheSame(name, callId, child.agent, found.outcome, asked)) return true
  }
  return false
}

function asksTheSame(
  name: string,
  callId: string,
  agent: string,
  outcome: ChildOutcome | undefined,
  asked: readonly WaitingRequest[],
): boolean {
  if (outcome?.status !== 'waiting') return false
  const now = childRequests(name, new Map([[callId, { agent, ...outcome }]]))
  const ids = new Set(now.map(({ requestId }) => requestId))
  return ids.size === asked.length && asked.every(({ requestId }) => ids.has(requestId))
}

/** What sub-agents wait for, by the call that each of them works on. */
export function byCall(requests: WaitState['requests']): Map<string, WaitingRequest[]> {
  const found = new Map<string, WaitingRequest[]>()
  for (const request of requests) {
    if (!request.child) continue
    found.set(request.callId, [...(found.get(request.callId) ?? []), request])
  }
  return found
}
