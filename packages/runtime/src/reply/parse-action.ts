import { type Action, actionSchema } from './action.js'
import { ActionParseError } from './action-parse-error.js'
import { parseShorthand } from './call-shorthand.js'
import { findJsonObject } from './json-object.js'
import { type ActionTargets, repairAction } from './repair-action.js'

/** A reply that was understood. */
export interface ParsedAction {
  /** What the reply asks for. */
  readonly action: Action
  /** What was done to the reply to understand it; empty when it was exact. */
  readonly repairs: readonly string[]
}

/**
 * Reads one action out of a model's reply. What is repaired leaves no doubt about what was meant; everything else is refused.
 * @throws {ActionParseError} `protocol` — the reply is no action; `feedback` says so to the model.
 */
export function parseAction(text: string, targets: ActionTargets = { tools: [], agents: [] }): ParsedAction {
  const shorthand = parseShorthand(text, targets.tools)
  if (shorthand) return { action: { type: 'tool_call', ...shorthand }, repairs: ['shorthand call read'] }
  const found = findJsonObject(text)
  if (!found.ok) throw new ActionParseError({ feedback: `Invalid JSON: ${found.message}`, rawResponse: text })
  const repaired = repairAction(found.value, targets)
  const checked = actionSchema.safeParse(repaired.value)
  if (checked.success) return { action: checked.data, repairs: [...found.repairs, ...repaired.repairs] }
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
  if (first === undefined) return [`expected an object with "type": "final", "tool_call" or "agent_call"`]
  if (first === 'type') return [`Field 'type': must be "final", "tool_call" or "agent_call"`]
  return [`Field '${[String(type), first, ...inner].join(' -> ')}': ${message}`]
}
