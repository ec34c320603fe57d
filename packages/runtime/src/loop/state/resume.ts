import { type ChatMessage, LlmError, type UserMessage } from '@modelport/core'
import { messageOf } from '../../base/message-of.js'
import { laterSnapshot } from '../../budget/budget-snapshot.js'
import { isUserRequest } from '../../history/run-message.js'
import type { RunCheckpoint, RunFingerprint } from '../../journal/checkpoint.js'
import { diffFingerprints } from '../../journal/fingerprint.js'
import type { JournalEntry } from '../../journal/journal-entry.js'
import type { PendingItem, ResumeDecision } from '../../journal/pending-item.js'
import { ResumeError } from '../../journal/resume-error.js'
import { referTo } from '../../journal/transcript-log.js'
import { checkAnswer } from '../../tools/asking.js'
import type { InferRequest } from '../request/run-request.js'

/** A stored conversation, split where the checkpoint was taken. */
export interface ResumedMessages {
  readonly stored: readonly ChatMessage[]
  readonly followUps: readonly UserMessage[]
}

/** Finds the transcript of a checkpoint. @throws {ResumeError} */
export function splitMessages(
  { query, durable: { resume, runId } = {} }: InferRequest,
  given: readonly ChatMessage[],
): ResumedMessages | undefined {
  if (!resume) return undefined
  if (runId !== undefined && runId !== resume.runId)
    throw new LlmError(
      'config',
      `resume: the checkpoint belongs to the run ${resume.runId}; leave runId unset`,
    )
  const { length, digest } = resume.transcript
  const stored = given.slice(0, length)
  if (stored.length !== length || referTo(stored).digest !== digest)
    throw new ResumeError(
      'transcript',
      `resume: messages must begin with the ${length} messages that were stored with the checkpoint, unchanged; found ${given.length} messages`,
    )
  const said = given
    .slice(length)
    .filter((message): message is UserMessage => isUserRequest(message))
  const asked: readonly UserMessage[] =
    query === undefined ? [] : [{ role: 'user', content: query }]
  return { stored, followUps: [...said, ...asked] }
}

/** @throws {ResumeError} names each difference that the request does not accept. */
export function checkFingerprint(
  { fingerprint, pending }: RunCheckpoint,
  now: RunFingerprint,
  acceptChange: NonNullable<InferRequest['durable']>['acceptChange'],
): void {
  const differences = diffFingerprints(fingerprint, now)
  if (!differences.length) return
  const isTouched = ({ action }: PendingItem): boolean =>
    action.type === 'tool_call'
      ? fingerprint.tools[action.tool] !== now.tools[action.tool] ||
        fingerprint.policy !== now.policy
      : fingerprint.agents[action.agent] !== now.agents[action.agent]
  if (acceptChange?.(differences, pending.filter(isTouched))) return
  throw new ResumeError(
    'fingerprint',
    `resume: the run was stored with other settings: ${differences.join('; ')}; give those it was started with`,
    differences,
  )
}

const decidable: Readonly<Record<ResumeDecision['type'], readonly PendingItem['type'][]>> = {
  approve: ['approval'],
  deny: ['approval'],
  expire: ['approval'],
  answer: ['question'],
  result: ['task', 'wait', 'uncertain'],
  failure: ['task', 'wait', 'uncertain'],
  repeat: ['uncertain'],
  'give-up': ['task', 'wait', 'uncertain'],
}

/**
 * The decisions by the id of their item.
 * @throws {ResumeError} one fits no item, or approves something else than what is pending.
 */
export function checkDecisions(
  pending: readonly PendingItem[],
  decisions: readonly ResumeDecision[],
): ReadonlyMap<string, ResumeDecision> {
  const byId = new Map<string, ResumeDecision>()
  for (const decision of decisions) {
    const item = pending.find(({ id }) => id === decision.id)
    const refuse = (why: string): never => {
      throw new ResumeError('decision', `decisions: ${decision.type} for "${decision.id}": ${why}`)
    }
    if (!item)
      return refuse(
        `nothing with this id is pending; pending: ${pending.map(({ id }) => id).join(', ') || 'nothing'}`,
      )
    if (byId.has(decision.id)) refuse('there is another decision for this id')
    if (!(decidable[decision.type] as readonly string[] | undefined)?.includes(item.type))
      refuse(`it is pending as ${item.type}, which takes ${typesFor(item)}`)
    if (decision.type === 'approve' && item.type === 'approval' && decision.digest !== item.digest)
      refuse(
        'the digest is not that of the pending call; show the call again and repeat its digest',
      )
    if (item.type === 'uncertain' && isAboutAnother(decision, item.attempt))
      refuse('it is about another attempt at the call; show the call again and repeat its attempt')
    if (decision.type === 'answer' && item.type === 'question') {
      if (decision.digest !== item.digest)
        refuse(
          'the digest is not that of the pending question; show the question again and repeat its digest',
        )
      try {
        checkAnswer(item.question, decision)
      } catch (error) {
        refuse(messageOf(error))
      }
    }
    byId.set(decision.id, decision)
  }
  return byId
}

/** True for a decision about another attempt than the one that waits, where it says which. */
function isAboutAnother(decision: ResumeDecision, attempt: number = 1): boolean {
  // An engine may keep a field that is undefined.
  const about: number | undefined = 'attempt' in decision ? decision.attempt : undefined
  return about !== undefined && about !== attempt
}

const typesFor = ({ type }: PendingItem): string =>
  Object.entries(decidable)
    .filter(([, types]) => types.includes(type))
    .map(([name]) => name)
    .join(', ')

/** The spending at the time of the last record. */
export const spentBy = (
  { budget }: RunCheckpoint,
  entries: readonly JournalEntry[],
): RunCheckpoint['budget'] =>
  entries.reduce((latest, entry) => laterSnapshot(latest, entry.budget), budget)
