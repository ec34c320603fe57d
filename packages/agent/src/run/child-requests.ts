import type { JsonValue } from '../base/json.js'
import type { ChildWaits } from './sub-agent.js'
import type { WaitingRequest } from './wait-state.js'

/**
 * What sub-agents ask for, addressed by the path from this agent down. The id names the digest: an
 * agent may ask for something else under its id.
 */
export const childRequests = (agentName: string, children: ChildWaits): readonly WaitingRequest[] =>
  [...children].flatMap(([callId, { agent, taskId, requests }]) =>
    (requests.length ? requests : [{ requestId: '' }]).map(
      (request): WaitingRequest => ({
        requestId: `${taskId}:${request.requestId}${request.digest ? `#${request.digest.slice(0, 16)}` : ''}`,
        callId,
        runDigest: request.digest ?? '',
        digest: request.digest ?? '',
        action: (request.action ?? { agent }) as Readonly<Record<string, JsonValue>>,
        ...(request.reason !== undefined && { reason: request.reason }),
        ...(request.uncertain && { uncertain: true }),
        ...(request.question && { question: request.question }),
        child: { agent, taskId, requestId: request.requestId },
        path: [agentName, agent, ...(request.path ?? []).slice(1)],
      }),
    ),
  )
