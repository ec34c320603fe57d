import { isObject, type JsonObject } from '@modelport/core'
import { defined } from '@modelport/driver'
import { toSnakeDeep } from './vendor-rules.js'

/** A call of a tool that the vendor defines and the application runs. */
export interface ClientCall {
  readonly id: string
  /** The vendor's name of the tool. */
  readonly name: string
  readonly input: unknown
}

/** The input that the application gets of an item, by the type of the item. */
const inputs: Readonly<Record<string, (item: JsonObject) => unknown>> = {
  local_shell_call: ({ action }) => ({ action }),
  shell_call: ({ action }) => {
    const { commands, timeout_ms, max_output_length } = Object(action) as JsonObject
    return {
      action: defined({
        commands,
        timeoutMs: timeout_ms ?? undefined,
        maxOutputLength: max_output_length ?? undefined,
      }),
    }
  },
  apply_patch_call: ({ call_id, operation }) => ({ callId: call_id, operation }),
  computer_call: ({ actions, action, pending_safety_checks, status }) =>
    defined({
      actions: actions ?? (action === undefined ? undefined : [action]),
      pendingSafetyChecks: pending_safety_checks,
      status,
    }),
}

/** An item of the Responses API that waits for the application. */
export function toClientCall(item: unknown): ClientCall | undefined {
  if (!isObject(item)) return undefined
  const { type, call_id } = item
  const toInput = typeof type === 'string' ? inputs[type] : undefined
  // A shell in a container of the vendor is run there.
  const { type: place = 'local' } = Object(item['environment']) as { readonly type?: string }
  if (!toInput || typeof call_id !== 'string' || place !== 'local') return undefined
  return { id: call_id, name: String(type).replace(/_call$/, ''), input: toInput(item) }
}

/** The item with the output of the application. */
export function toClientOutput(name: string, call_id: string, value: unknown): JsonObject {
  const given = isObject(value) ? value : { output: value }
  const { output, status, acknowledgedSafetyChecks, maxOutputLength } = given
  const type = `${name}_call_output`
  switch (name) {
    case 'shell': {
      // A failed tool returns text.
      const failure = { stdout: '', stderr: output, outcome: { type: 'exit', exit_code: 1 } }
      return {
        type,
        call_id,
        ...(maxOutputLength !== undefined && { max_output_length: maxOutputLength }),
        output: Array.isArray(output) ? toSnakeDeep(output) : [failure],
      }
    }
    case 'apply_patch':
      return { type, call_id, status: status ?? 'failed', output }
    case 'computer': {
      const screen = isObject(output) ? output : {}
      return {
        type,
        call_id,
        output: { ...Object(toSnakeDeep(screen)), type: 'computer_screenshot' },
        ...(acknowledgedSafetyChecks !== undefined && {
          acknowledged_safety_checks: acknowledgedSafetyChecks,
        }),
      }
    }
    default:
      return { type, call_id, output }
  }
}

/** Tools that the application runs, and whose calls are items of their own. */
export const clientTools: ReadonlySet<string> = new Set(
  Object.keys(inputs).map((type) => type.replace(/_call$/, '')),
)
