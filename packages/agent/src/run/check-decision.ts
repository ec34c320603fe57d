import type { JsonObject } from '@modelport/core'
import { AgentError } from '../base/agent-error.js'
import type { RequestContent, RequestDecision, UncertainOutcome } from '../models/part.js'

const outcomes: readonly unknown[] = [
  'happened',
  'did-not-happen',
  'unknown',
] satisfies UncertainOutcome[]

/** What a decision says, whoever decided. */
export interface DecisionContent extends Omit<RequestDecision, 'requestId' | 'approved'> {
  /** True if the call is executed now. */
  readonly approved: boolean
  /** The answer to a question that is accepted. */
  readonly content?: JsonObject
}

/**
 * Reads what a decision says about a request. A call whose outcome is unknown is neither approved
 * nor refused: a plain yes would make a payment twice.
 *
 * @param isUncertain whether the outcome of the call is unknown
 * @throws {AgentError} `invalid-params` — `approved` is not a boolean, or the decision is not of
 * the kind that the request needs
 */
export function checkDecision(
  { approved, outcome, result, reason, content }: Partial<RequestContent>,
  isUncertain: boolean,
): DecisionContent {
  if (isUncertain) {
    if (!outcomes.includes(outcome)) throw invalid(outcomeNeeded(outcome))
    return {
      approved: outcome === 'did-not-happen',
      ...(outcome && { outcome }),
      ...(typeof result === 'string' && { result }),
    }
  }
  if (outcome !== undefined)
    throw invalid(
      'The outcome of this call is not unknown, it was not started: say approved true or false',
    )
  // Taken for its truth, `'no'` would approve.
  if (typeof approved !== 'boolean')
    throw invalid(`approved must be true or false, not ${JSON.stringify(approved)}`)
  return { approved, ...(reason !== undefined && { reason }), ...(content && { content }) }
}

const outcomeNeeded = (outcome: unknown): string =>
  'The call was started and its outcome is unknown, so it is neither approved nor refused: ' +
  'say outcome "happened" with its result, "did-not-happen" or "unknown"' +
  (outcome === undefined ? '' : `, not ${JSON.stringify(outcome)}`)

/** A refusal of a decision. */
export const invalid = (text: string, message: string = text): AgentError =>
  new AgentError('invalid-params', text, { violations: [{ pointer: '/message/parts', message }] })
