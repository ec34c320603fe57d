import type { PendingItem, ResumeDecision } from '../journal/pending-item.js'

/**
 * A decision as a message gave it. A message stays until it is taken, so that it may be about an
 * earlier attempt at a call than the one that waits now: sent twice, or late. One that does not say
 * which attempt it is about is about the first one that was shown.
 */
export function fromMessage(
  decision: ResumeDecision,
  pending: readonly PendingItem[],
): ResumeDecision {
  const item = pending.find(({ id }) => id === decision.id)
  const isLater = item?.type === 'uncertain' && (item.attempt ?? 1) > 1
  return isLater && isOutcome(decision) ? { ...decision, attempt: decision.attempt ?? 1 } : decision
}

type Outcome = Extract<ResumeDecision, { type: 'result' | 'failure' | 'repeat' | 'give-up' }>

const isOutcome = (decision: ResumeDecision): decision is Outcome =>
  ['result', 'failure', 'repeat', 'give-up'].includes(decision.type)
