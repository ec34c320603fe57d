import {
  type AgentRunContext,
  type ForeignContext,
  type GrantedLimits,
  readForeignContext,
} from '@modelport/agent'
import { isObject, type JsonObject } from '@modelport/core'
import { compactObject, objectAt } from '../base/json.js'
import { extensionUri } from './extension.js'
import { readPermissionRules } from './permission-rules.js'

/** Each limit, its name in a run context, and how many of ours are one of theirs. */
const limits: readonly (readonly [keyof GrantedLimits, string, number])[] = [
  ['maxSteps', 'max_steps', 1],
  ['maxCalls', 'max_llm_calls', 1],
  ['maxToolCalls', 'max_tool_calls', 1],
  ['maxRuntimeMs', 'max_runtime_seconds', 1_000],
  ['maxInputTokens', 'max_input_tokens', 1],
  ['maxOutputTokens', 'max_output_tokens', 1],
  ['maxCost', 'max_cost', 1],
]

/** Reads a run context, as far as it is valid. Its permissions are a list, or rules. */
export function readRunContext(wire: JsonObject): ForeignContext {
  const budget = objectAt(wire, 'budget')
  const { permissions } = wire
  return readForeignContext({
    chain: wire['agent_chain'],
    traceId: wire['trace_id'],
    parentTaskId: wire['parent_run_id'],
    permissions: isObject(permissions) ? readPermissionRules(permissions) : permissions,
    deadline: wire['deadline'],
    limits: Object.fromEntries(
      limits.map(([name, key, factor]) => {
        const value = budget[key]
        return [name, typeof value === 'number' ? value * factor : undefined]
      }),
    ),
  })
}

/** The context of a task as an agent that it calls reads it. */
export const toRunContext = (run: Partial<AgentRunContext>): JsonObject =>
  compactObject({
    session_id: run.sessionId,
    trace_id: run.traceId,
    parent_run_id: run.taskId,
    agent_chain: run.chain ?? [],
    permissions: run.permissions,
    deadline: run.deadline,
    budget: budgetOf(run.limits),
  })

/**
 * The context for an agent of another system, which reads it by its plain name. Its permissions are
 * rules, and it fails on our list of names: they are left out, as is the deadline, which only we
 * have.
 */
export function toPlainRunContext(run: Partial<AgentRunContext>): JsonObject {
  const { permissions: _, deadline: __, ...context } = toRunContext(run)
  return context
}

/** What the caller grants. Unset if it limits nothing. */
function budgetOf(granted: GrantedLimits = {}): JsonObject | undefined {
  const entries = limits.flatMap(([name, key, factor]) => {
    const limit = granted[name]
    return limit === undefined ? [] : [[key, limit / factor] as const]
  })
  return entries.length ? Object.fromEntries(entries) : undefined
}

/** The context in the metadata of a request: under our extension, or by its own name. */
export function contextOfMetadata(metadata: JsonObject): ForeignContext {
  // Fast path: most callers say nothing.
  if (!(extensionUri in metadata) && !('run_context' in metadata)) return { chain: [] }
  const own = objectAt(objectAt(metadata, extensionUri), 'run_context')
  return readRunContext(Object.keys(own).length ? own : objectAt(metadata, 'run_context'))
}
