import { LlmError } from '@modelport/core'
import type { Action } from './action.js'
import { ActionParseError } from './action-parse-error.js'
import { checkAction } from './check-action.js'
import { findJsonObject, withoutReasoning } from './json-object.js'
import { type ActionTargets, readShorthand, repairAction } from './repair-action.js'

/** An action with the repairs that its text needed. */
export interface ParsedAction {
  /** The action of the reply. */
  readonly action: Action
  /** The repairs that were applied; empty for an exact reply. */
  readonly repairs: readonly string[]
}

/**
 * Reads one action from a model's reply. Applies only repairs that leave one possible meaning, and
 * refuses everything else.
 * @throws {ActionParseError} `protocol` — the reply is not an action; `feedback` is written for the
 * model.
 * @throws {LlmError} `invalid-request` — `text` is not a string.
 */
export function parseAction(
  text: string,
  targets: ActionTargets = { tools: [], agents: [] },
): ParsedAction {
  const given: unknown = text
  if (typeof given !== 'string')
    throw new LlmError(
      'invalid-request',
      `parseAction: text must be a string, not ${given === null ? 'null' : typeof given}`,
    )
  const shorthand = readShorthand(withoutReasoning(text.trim()) ?? '', targets)
  if (shorthand) return { action: shorthand, repairs: ['shorthand call read'] }
  const found = findJsonObject(text)
  if (!found.ok)
    throw new ActionParseError({ feedback: `Invalid JSON: ${found.message}`, rawResponse: text })
  const repaired = repairAction(found.value, targets)
  const checked = checkAction(repaired.value)
  if (checked.ok)
    return { action: checked.action, repairs: [...found.repairs, ...repaired.repairs] }
  const { type } = found.value
  throw new ActionParseError({
    feedback: `Action validation failed: ${checked.problems.join('; ')}`,
    rawResponse: text,
    parsedData: found.value,
    ...(typeof type === 'string' && { actionType: type }),
  })
}
