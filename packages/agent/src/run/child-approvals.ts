import type { JsonValue } from '../base/json.js'
import type { ChildWaits } from './sub-agent.js'
import type { WaitingRequest } from './wait-state.js'

/**
 * What sub-agents ask for, addressed by the path from this agent down. The id names the digest: an
 * agent may ask for something else under its id.
 */
export const childApprovals = (
  agentName: string,
  children: ChildWaits,
): readonly WaitingRequest[] =>
  [...children].flatMap(([callId, { agent, taskId, approvals }]) =>
    (approvals.length ? approvals : [{ requestId: '' }]).map(
      (approval): WaitingRequest => ({
        requestId: `${taskId}:${approval.requestId}${approval.digest ? `#${approval.digest.slice(0, 16)}` : ''}`,
        callId,
        runDigest: approval.digest ?? '',
        digest: approval.digest ?? '',
        action: (approval.action ?? { agent }) as Readonly<Record<string, JsonValue>>,
        ...(approval.reason !== undefined && { reason: approval.reason }),
        ...(approval.uncertain && { uncertain: true }),
        ...(approval.question && { question: approval.question }),
        child: { agent, taskId, requestId: approval.requestId },
        path: [agentName, agent, ...(approval.path ?? []).slice(1)],
      }),
    ),
  )
