import { LlmError } from '@modelport/core'
import { en } from 'zod/v4/locales'
import { type Action, actionSchema } from './action.js'
import { ActionParseError } from './action-parse-error.js'
import { findJsonObject, withoutReasoning } from './json-object.js'
import { type ActionTargets, readShorthand, repairAction } from './repair-action.js'

/**
 * zod/mini brings no language, which saves 15 kB in a browser; the schema would say "Invalid input"
 * of every field.
 */
const english = { error: en().localeError }

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
  const checked = actionSchema.safeParse(repaired.value, english)
  if (checked.success)
    return { action: checked.data, repairs: [...found.repairs, ...repaired.repairs] }
  const { type } = found.value
  throw new ActionParseError({
    feedback: `Action validation failed: ${checked.error.issues.flatMap((issue) => explain(issue, type)).join('; ')}`,
    rawResponse: text,
    parsedData: found.value,
    ...(typeof type === 'string' && { actionType: type }),
  })
}

/** The parts of a validation issue that are shown. */
interface Issue {
  readonly path: readonly PropertyKey[]
  readonly message: string
  readonly code?: string
  readonly keys?: readonly string[]
}

function explain({ path, message, code, keys }: Issue, type: unknown): readonly string[] {
  const [first, ...inner] = path.map(String)
  if (code === 'unrecognized_keys')
    return [`unknown field${keys?.length === 1 ? '' : 's'} ${(keys ?? []).toSorted().join(', ')}`]
  if (first === undefined)
    return [`expected an object with "type": "final", "tool_call" or "agent_call"`]
  if (first === 'type') return [`Field 'type': must be "final", "tool_call" or "agent_call"`]
  return [`Field '${[String(type), first, ...inner].join(' -> ')}': ${message}`]
}
