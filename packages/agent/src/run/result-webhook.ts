import { type Webhook, type WebhookCall, webhookPrincipal } from '@modelport/runtime'
import { AgentError } from '../base/agent-error.js'
import type { Entropy } from '../base/ids.js'
import { createMessage, type Message } from '../models/message.js'
import { createPart } from '../models/part.js'
import { requestsIn, type Task } from '../models/task.js'
import type { ResultGrant, TaskKey, TaskStore } from '../session/task-store.js'
import { digestOf, isLateRequest, type WaitState } from './wait-state.js'

/** What came of work that a task waits for: its result, or why there is none. */
export type LateResult = { readonly result: string } | { readonly failure: string }

/** What a webhook is made with. */
export interface WebhookParts {
  readonly tasks: TaskStore
  readonly entropy: Entropy
  readonly key: TaskKey
  readonly runId: string
  /** Address of a secret. Unset: this process serves none. */
  readonly urlOf: ((token: string) => string) | undefined
}

/** Makes a secret for the result of one call, and stores its digest. */
export async function createWebhook(
  { tasks, entropy, key, runId, urlOf }: WebhookParts,
  { callId, step }: WebhookCall,
): Promise<Webhook> {
  const token = toText(entropy.random(new Uint8Array(32)))
  await tasks.addGrant(key, digestOf(token), `${runId}:${callId}${atStep(step)}`)
  return { token, ...(urlOf && { url: urlOf(token) }) }
}

/** Base64 for addresses, without padding. */
const toText = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

/** Models use the id of a call again: the step tells two such calls apart. */
const atStep = (step: number | undefined): string => `#step-${step}`

/** Digests of a secret, and of what is delivered with it. */
export const digestsOf = (
  token: string,
  result: LateResult,
): { readonly secret: string; readonly content: string } => ({
  secret: digestOf(token),
  content: digestOf(JSON.stringify(result)),
})

/**
 * The message that delivers a result with a secret; its id is the same each time. It names the
 * call: see {@link aboutOpenCall}.
 */
export function toResultMessage(
  { call }: ResultGrant,
  secret: string,
  result: LateResult,
  entropy: Entropy,
): Message {
  const part = createPart.request({ requestId: call, ...toOutcome(result) })
  return { ...createMessage('user', [part], entropy), id: `result_${secret.slice(0, 32)}` }
}

/** The decision that a result is. */
export const toOutcome = (
  delivered: LateResult,
): { readonly outcome: 'happened' | 'did-not-happen'; readonly result: string } =>
  'result' in delivered
    ? { outcome: 'happened', result: delivered.result }
    : { outcome: 'did-not-happen', result: delivered.failure }

/** The refusal of a result from somebody else. */
export const notDeliverer = (): AgentError =>
  new AgentError('forbidden', 'You may not deliver this result')

/** True if this result was delivered to the task before. */
export function hasResult(task: Task, request: string | undefined, result: LateResult): boolean {
  const own = toOutcome(result)
  return task.messages
    .flatMap(requestsIn)
    .filter(({ requestId }) => isLateRequest(requestId))
    .filter(({ requestId }) => request === undefined || requestId === request)
    .some(({ outcome, result: stored }) => own.outcome === outcome && own.result === stored)
}

/**
 * A message that was delivered with a secret, about the request by which the task waits for its
 * call: for the result of work that continues elsewhere, or for what became of the call if its
 * process died. Work that failed did happen: its call is not made again.
 *
 * @param by the sender; a message that came without a secret stays as it is
 */
export function aboutOpenCall(message: Message, by: string, wait: WaitState | undefined): Message {
  if (by !== webhookPrincipal || !wait) return message
  // An effect of a handler is a run of its own, with one call.
  const step = atStep(wait.kind === 'handler' ? 1 : (wait.asked?.step ?? wait.checkpoint?.step))
  const open = new Map(
    wait.requests
      .filter(({ uncertain, child }) => uncertain && !child)
      .map((request) => [callOf(request.requestId) + step, request]),
  )
  return {
    ...message,
    parts: message.parts.map((part) => {
      const request = part.type === 'request' ? open.get(part.content.requestId) : undefined
      if (part.type !== 'request' || !request) return part
      const { requestId, isLate } = request
      const content = {
        ...part.content,
        requestId,
        ...(!isLate && { outcome: 'happened' as const }),
      }
      return { ...part, content }
    }),
  }
}

/** The run and the call of a request. */
const callOf = (requestId: string): string => requestId.slice(0, requestId.lastIndexOf('#'))
