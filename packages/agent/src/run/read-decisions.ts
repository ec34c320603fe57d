import { errorText } from '@modelport/core/text'
import { checkAnswer, webhookPrincipal } from '@modelport/runtime'
import { AgentError } from '../base/agent-error.js'
import type { Message } from '../models/message.js'
import type { RequestContent } from '../models/part.js'
import { requestsIn, type Task } from '../models/task.js'
import type { Agent } from './agent.js'
import { checkDecision, invalid } from './check-decision.js'
import { type AcceptedDecision, isLateRequest } from './wait-state.js'

/**
 * The decisions that a message carries.
 * @throws {AgentError} `forbidden` — the principal may not decide; `invalid-params` — the message
 * makes calls, or a decision
 * belongs to no open request, is neither `true` nor `false`, or takes a call whose outcome is
 * unknown for one that needs approval.
 */
export async function readDecisions(
  agent: Agent,
  task: Task,
  message: Message,
  principal: string,
  now: number,
): Promise<readonly AcceptedDecision[]> {
  refuseCalls(agent, message)
  const given = requestsIn(message)
  if (!given.length) return []
  const asked = requestsIn(task.statusMessage)
  const find = (id: string): RequestContent | undefined =>
    asked.find(({ requestId }) => requestId === id)
  // Whoever owns the task, as the caller does, answers its questions.
  const isOnlyAnswers = given.every(({ requestId }) => find(requestId)?.question)
  const { mayDecide, mayDeliver } = agent.settings.decisions ?? {}
  const results = given.filter(({ requestId }) => isLateRequest(requestId))
  // Whoever has the secret of a call needs no other permission for its result.
  const hasSecret = principal === webhookPrincipal
  // Untyped code may return anything, and only `true` allows.
  const mayGive: unknown =
    hasSecret || !results.length || !mayDeliver || (await mayDeliver(principal, task))
  const isOnlyResults = results.length === given.length
  const isAllowed: unknown =
    hasSecret || isOnlyAnswers || isOnlyResults || !mayDecide || (await mayDecide(principal, task))
  if (mayGive !== true) throw new AgentError('forbidden', 'You may not deliver this result')
  if (isAllowed !== true) throw new AgentError('forbidden', 'You may not decide about this request')
  return given.map((decision) => {
    const { requestId, digest } = decision
    const request = find(requestId)
    if (!request) throw notAsked()
    const settled = checkDecision(decision, request.uncertain === true)
    // What executes nothing may leave the digest out.
    const isExecuted = settled.approved && !isLateRequest(requestId)
    const isBound =
      digest === undefined ? !isExecuted || request.digest === undefined : digest === request.digest
    if (!isBound) throw notAsked()
    if (request.question) checkContent(request.question, settled.approved, settled.content)
    const expired = request.expiresAt !== undefined && Date.parse(request.expiresAt) <= now
    return {
      ...settled,
      requestId,
      approved: settled.approved && !expired,
      by: principal,
      ...(expired && { expired }),
    }
  })
}

/** A run that waits has made the calls of its message, and makes no others. */
function refuseCalls({ settings }: Agent, { parts }: Message): void {
  if (settings.handler || parts.every(({ type }) => type !== 'tool_call')) return
  throw invalid(
    'The task waits, and makes no calls of a message: decide about what it asks, or send the message without a taskId',
    'has tool_call parts, which a task that waits does not make',
  )
}

const notAsked = (): AgentError =>
  invalid(
    'The decision does not belong to a request that the task waits for',
    'names no open request, or another digest, or approves without the digest that was shown',
  )

function checkContent(
  question: NonNullable<RequestContent['question']>,
  approved: boolean,
  content: RequestContent['content'],
): void {
  try {
    checkAnswer(question, { action: approved ? 'accept' : 'decline', content })
  } catch (error) {
    const message = errorText(error)
    throw invalid(`The answer does not fit the question: ${message}`, message)
  }
}
