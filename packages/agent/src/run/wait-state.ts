import type { ChatMessage } from '@modelport/core'
import type {
  PendingItem,
  PendingOutcome,
  PendingQuestion,
  PendingTask,
  ResumeDecision,
  RunCheckpoint,
} from '@modelport/runtime'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import type { JsonValue } from '../base/json.js'
import type { Part, RequestContent, UncertainOutcome } from '../models/part.js'
import { createPart } from '../models/part.js'
import type { TaskKey, TaskStore } from '../session/task-store.js'
import type { DecisionContent } from './check-decision.js'
import type { MessageCalls } from './message-calls.js'

/** What a task waits for: an approval, an answer, an outcome or a late result. */
export interface WaitingRequest {
  readonly requestId: string
  readonly callId: string
  /** Digest of the run's pending item. */
  readonly runDigest: string
  /** Digest that is shown: tool, arguments and principal. */
  readonly digest: string
  readonly expiresAt?: number
  readonly reason?: string
  readonly action: Readonly<Record<string, JsonValue>>
  /** Set if a sub-agent asks: its task, and its own request. */
  readonly child?: { readonly agent: string; readonly taskId: string; readonly requestId: string }
  readonly path?: readonly string[]
  /** Set for work that continues elsewhere: whoever has its result delivers it. */
  readonly isLate?: true
  /** The tool that left the work pending, and the id that it gave. */
  readonly work?: { readonly tool: string; readonly taskId: string }
  /** When work that continues elsewhere is looked at, in milliseconds since 1970. */
  readonly lookAt?: number
  /** Set if a tool asks its user. */
  readonly question?: PendingQuestion['question']
  /** True for a call whose outcome is unknown: see `toResumeDecisions`. */
  readonly uncertain?: true
}

/** What a task that waits continues from. Stored as its last `checkpoint` event. */
export interface WaitState {
  readonly version: 1
  /** `run`: a suspended run. `handler`: the application's own handler. */
  readonly kind: 'run' | 'handler'
  readonly requests: readonly WaitingRequest[]
  /** Of `run`. */
  readonly checkpoint?: RunCheckpoint
  /** Of `run`: the transcript. */
  readonly messages?: readonly ChatMessage[]
  /** Of `run`, if its journal keeps checkpoint and transcript: the checkpoint that asks. */
  readonly asked?: { readonly runId: string; readonly step: number; readonly seq: number }
  /** Of `handler` with requests: the run whose effects they are about, and its message. */
  readonly handler?: { readonly runId: string; readonly messageId: string }
  /** Of `run`: messages of the transcript that the session has already. */
  readonly known?: number
  /** Of `run`: the calls of the message that the run makes itself. */
  readonly calls?: MessageCalls
}

/**
 * The hexadecimal SHA-256 of a text. Pages that were not loaded over TLS have no `crypto.subtle`.
 */
export const digestOf = (text: string): string => bytesToHex(sha256(utf8ToBytes(text)))

/** Maximum events between the checkpoint of a task that waits and the end of its log. */
export const waitWindow = 8

/** The state that a waiting task was left in, if there is one. */
export async function readWaitState(
  store: TaskStore,
  key: TaskKey,
  seq: number,
): Promise<WaitState | undefined> {
  const recent = await store.read(key, Math.max(1, seq - waitWindow))
  const last = recent.findLast((event) => event.type === 'checkpoint')
  return last && toWaitState(last.checkpoint)
}

/** What a checkpoint event holds; undefined for something else. */
export const toWaitState = (state: unknown): WaitState | undefined =>
  typeof state === 'object' && state !== null ? (state as WaitState) : undefined

/** The requests of a run's pending items. */
export const toRequests = (
  pending: readonly PendingItem[],
  principal: string,
  runId: string,
): readonly WaitingRequest[] =>
  pending.flatMap((item): readonly WaitingRequest[] => {
    if (item.type === 'uncertain') return [uncertainOf(item, principal, runId)]
    if (item.type === 'wait') return [lateOf(item, principal, runId)]
    if (item.type !== 'approval' && item.type !== 'question') return []
    return [
      {
        requestId: requestIdOf(item, runId),
        callId: item.id,
        runDigest: item.digest,
        digest: digestOf(JSON.stringify([item.digest, principal])),
        action: JSON.parse(JSON.stringify(item.action)) as Readonly<Record<string, JsonValue>>,
        ...(item.type === 'question'
          ? { question: item.question }
          : {
              ...(item.reason !== undefined && { reason: item.reason }),
              ...(item.expiresAt !== undefined && { expiresAt: item.expiresAt }),
            }),
      },
    ]
  })

/**
 * Names what a checkpoint asks about a call. The id of an unknown outcome has its attempt, and that
 * of a question its digest: a decision about one of them does not settle another one.
 */
const requestIdOf = (item: PendingItem, runId: string): string =>
  `${runId}:${item.id}${suffixOf(item)}`

function suffixOf(item: PendingItem): string {
  if (item.type === 'uncertain') return `#${item.attempt ?? 1}`
  if (item.type === 'question') return `#${item.digest.slice(0, 16)}`
  return item.type === 'wait' ? lateSuffix : ''
}

const lateSuffix = '#result'

/** True for the id of a request that wants the result of work which continues elsewhere. */
export const isLateRequest = (requestId: string): boolean => requestId.endsWith(lateSuffix)

/** Work that continues elsewhere, as a request that its result settles. */
const lateOf = (item: PendingTask, principal: string, runId: string): WaitingRequest => ({
  ...outcomeRequest(item, [item.taskId, item.id, principal], runId),
  isLate: true,
  ...('tool' in item.action && { work: { tool: item.action.tool, taskId: item.taskId } }),
  ...(item.until !== undefined && { lookAt: item.until }),
  reason:
    `The work continues elsewhere, as "${item.taskId}". ` +
    'Deliver its result: say outcome "happened" with it, "did-not-happen" if it failed, or "unknown" to give it up.',
})

/** A call whose outcome is unknown, as a request that a person settles: see `toResumeDecisions`. */
const uncertainOf = (item: PendingOutcome, principal: string, runId: string): WaitingRequest => ({
  ...outcomeRequest(item, [item.idempotencyKey, principal], runId),
  reason:
    `The call was started and its outcome is unknown (idempotency key ${item.idempotencyKey}). ` +
    'Say what became of it: the outcome "happened" with its result, "did-not-happen", which executes it now, or "unknown".',
})

/**
 * A request that an outcome settles, not a yes or a no.
 * @param identity what its digest is made of
 */
function outcomeRequest(
  item: PendingTask | PendingOutcome,
  identity: readonly string[],
  runId: string,
): WaitingRequest {
  const digest = digestOf(JSON.stringify(identity))
  return {
    requestId: requestIdOf(item, runId),
    callId: item.id,
    runDigest: digest,
    digest,
    uncertain: true,
    action: JSON.parse(JSON.stringify(item.action)) as Readonly<Record<string, JsonValue>>,
  }
}

/**
 * The requests as parts of the message that asks. Text of other agents is marked as theirs by its
 * path.
 */
export const requestParts = (requests: readonly WaitingRequest[]): readonly Part[] => [
  createPart.text(
    requests.length
      ? requests.map(describe).join('\n')
      : 'The task waits for work that continues elsewhere.',
  ),
  ...requests.map(({ requestId, digest, reason, action, expiresAt, path, uncertain, question }) => {
    const content: RequestContent = {
      requestId,
      digest,
      action,
      ...(uncertain && { uncertain }),
      ...(question && { question }),
      ...(reason !== undefined && { reason }),
      ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt).toISOString() }),
      ...(path && { path }),
    }
    return createPart.request(content)
  }),
]

const describe = ({ action, path, uncertain, reason, question }: WaitingRequest): string => {
  if (question) {
    const { message, url, from } = question
    const by = path
      ? `${path.join(' > ')} (unverified)`
      : (from ?? (typeof action['tool'] === 'string' ? action['tool'] : 'a tool'))
    return `${by} asks: ${message}${url === undefined ? '' : `\n${url}`}`
  }
  if (uncertain)
    return path ? `Asked by ${path.join(' > ')} (unverified): ${reason ?? ''}` : (reason ?? '')
  const what =
    typeof action['tool'] === 'string'
      ? `the tool ${action['tool']}`
      : `the agent ${typeof action['agent'] === 'string' ? action['agent'] : 'below'}`
  return path
    ? `Approval needed, asked by ${path.join(' > ')} (unverified): ${what}`
    : `Approval needed: ${what}`
}

/** A decision about a request, by somebody who may decide. */
export interface AcceptedDecision extends DecisionContent {
  readonly requestId: string
  readonly by: string
  /** Set when nobody decided in time. */
  readonly expired?: boolean
  /** The digest of what was shown for a request of a sub-agent; empty if it gave none. */
  readonly digest?: string
}

/**
 * The requests that this checkpoint asks. A later one has used their decisions, also if it waits
 * for the next attempt of the same call.
 */
export const askedBy = (
  { asked, requests }: WaitState,
  { runId, step, seq, pending }: RunCheckpoint,
): readonly WaitingRequest[] => {
  if (asked?.runId !== runId || asked.step !== step || asked.seq !== seq) return []
  const ids = new Set(pending.map((item) => requestIdOf(item, runId)))
  return requests.filter(({ requestId }) => ids.has(requestId))
}

/** The decisions that a run is resumed with. */
export const toResumeDecisions = (
  requests: readonly WaitingRequest[],
  decisions: readonly AcceptedDecision[],
): readonly ResumeDecision[] =>
  decisions.flatMap((decision) => {
    const request = requests.find(
      ({ requestId, child }) => requestId === decision.requestId && !child,
    )
    return request ? [toResumeDecision(request, decision)] : []
  })

function toResumeDecision(
  { callId: id, runDigest: digest, isLate, uncertain, question }: WaitingRequest,
  { approved, by, reason, expired, content, outcome, result }: AcceptedDecision,
): ResumeDecision {
  if (isLate) return toLateResult(id, outcome, result)
  if (uncertain) return toOutcome(id, outcome, result)
  if (question) {
    const action = approved ? 'accept' : 'decline'
    return { type: 'answer', id, digest, action, by, ...(content && { content }) }
  }
  if (expired) return { type: 'expire', id }
  if (approved) return { type: 'approve', id, digest, by }
  return { type: 'deny', id, by, ...(reason !== undefined && { reason }) }
}

/** The decision of a run about work that continued elsewhere. */
function toLateResult(
  id: string,
  outcome: UncertainOutcome | undefined,
  result = '',
): ResumeDecision {
  if (outcome === 'happened') return { type: 'result', id, result }
  if (outcome === 'unknown') return { type: 'give-up', id }
  return { type: 'failure', id, message: result || 'The work elsewhere failed.' }
}

/** The decision of a run about a call whose outcome was unknown. */
function toOutcome(id: string, outcome: UncertainOutcome | undefined, result = ''): ResumeDecision {
  if (outcome === 'happened') return { type: 'result', id, result }
  return { type: outcome === 'did-not-happen' ? 'repeat' : 'give-up', id }
}
