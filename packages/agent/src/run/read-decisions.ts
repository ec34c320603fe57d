import { checkAnswer } from '@modelport/runtime'
import { AgentError } from '../base/agent-error.js'
import type { Message } from '../models/message.js'
import type { ApprovalContent } from '../models/part.js'
import type { Task } from '../models/task.js'
import type { Agent } from './agent.js'
import type { SettledApproval } from './wait-state.js'

/**
 * The decisions that a message carries.
 * @throws {AgentError} `forbidden` — the principal may not decide; `invalid-params` — a decision
 * belongs to no open approval, or is neither `true` nor `false`.
 */
export async function readDecisions(
  agent: Agent,
  task: Task,
  message: Message,
  principal: string,
  now: number,
): Promise<readonly SettledApproval[]> {
  const given = message.parts.flatMap((part) => (part.type === 'approval' ? [part.content] : []))
  if (!given.length) return []
  const asked =
    task.statusMessage?.parts.flatMap((part) => (part.type === 'approval' ? [part.content] : [])) ??
    []
  const find = (id: string): ApprovalContent | undefined =>
    asked.find(({ requestId }) => requestId === id)
  // Whoever owns the task, as the caller does, answers its questions.
  const isOnlyAnswers = given.every(({ requestId }) => find(requestId)?.question)
  const { mayApprove } = agent.settings.approvals ?? {}
  // Untyped code may return anything, and only `true` allows.
  const isAllowed: unknown = isOnlyAnswers || !mayApprove || (await mayApprove(principal, task))
  if (isAllowed !== true)
    throw new AgentError('forbidden', 'You may not decide about this approval')
  return given.map(({ requestId, approved, reason, digest, content }) => {
    if (typeof approved !== 'boolean') throw notDecided(approved)
    const request = find(requestId)
    // A refusal executes nothing, so it may leave the digest out.
    const isBound =
      digest === undefined ? !approved || request?.digest === undefined : digest === request?.digest
    if (!request || !isBound)
      throw invalid(
        'The decision does not belong to an approval that the task waits for',
        'names no open approval, or another digest, or approves without the digest that was shown',
      )
    if (request.question) checkContent(request.question, approved, content)
    const expired = request.expiresAt !== undefined && Date.parse(request.expiresAt) <= now
    return {
      requestId,
      approved: approved && !expired,
      by: principal,
      ...(reason !== undefined && { reason }),
      ...(expired && { expired }),
      ...(content && { content }),
    }
  })
}

const invalid = (text: string, message = text): AgentError =>
  new AgentError('invalid-params', text, { violations: [{ pointer: '/message/parts', message }] })

/** Refuses what untyped code gave as a decision: taken for its truth, `'no'` would approve. */
export const notDecided = (approved: unknown): AgentError =>
  invalid(`approved must be true or false, not ${JSON.stringify(approved)}`)

function checkContent(
  question: NonNullable<ApprovalContent['question']>,
  approved: boolean,
  content: ApprovalContent['content'],
): void {
  try {
    checkAnswer(question, { action: approved ? 'accept' : 'decline', content })
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw invalid(`The answer does not fit the question: ${message}`, message)
  }
}
