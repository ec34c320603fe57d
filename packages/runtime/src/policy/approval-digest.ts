import type { ToolDefinition } from '@modelport/core'
import { canonicalJson } from '../base/canonical-json.js'
import { jsonHash } from '../base/json-hash.js'
import type { AgentCallAction, ToolCallAction } from '../reply/action.js'

/** Hash of what somebody approves: the action, the tool behind it, and the arguments as the tool will get them. */
export function approvalDigest(
  { thought: _thought, ...action }: ToolCallAction | AgentCallAction,
  definition: ToolDefinition | undefined,
  value: unknown,
): string {
  return jsonHash(canonicalJson([action, definition, value]))
}
