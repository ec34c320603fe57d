import type { ToolDefinition } from '@modelport/core'
import type { AgentTarget } from '../tools/agent-target.js'
import { toAgentList } from './agent-list.js'
import { toToolList } from './tool-list.js'

/**
 * The instructions of JSON mode. Short on purpose: small models follow a short text better than a
 * complete one.
 */
const base = `You work in steps. In each step answer with exactly one JSON object and nothing else.
To give the answer: {"type": "final", "content": "TEXT"}`

const jsonCall = `To call a tool: {"type": "tool_call", "tool": "NAME", "args": {…}}
You never run a tool yourself. After a call you are given its result; then call another, or answer.
Do not repeat a call whose result you have.`

const agentCall = `To ask another agent: {"type": "agent_call", "agent": "NAME", "action": "infer", "prompt": "TEXT"}`
const agentToolCall = `To call a tool of another agent: {"type": "agent_call", "agent": "NAME", "action": "tool_call", "tool": "NAME", "args": {…}}`

/** Instructions of JSON mode for these tools and agents. Sections without content are left out. */
export function toJsonPrompt(
  tools: readonly ToolDefinition[],
  agents: readonly AgentTarget[],
): string {
  return [
    base,
    tools.length ? `${jsonCall}\nTools:\n${toToolList(tools)}` : '',
    agents.length ? agentCall : '',
    agents.some((agent) => agent.tools?.length) ? agentToolCall : '',
    agents.length ? `Agents:\n${toAgentList(agents)}` : '',
  ]
    .filter(Boolean)
    .join('\n')
}

/**
 * The form in which most open models have been taught to call tools. A final reply is plain text.
 */
const textCall = `To call a tool, answer with <tool_call>
{"name": NAME, "arguments": ARGS}
</tool_call>`

/** Instructions of text mode for these tools. */
export const toTextPrompt = (tools: readonly ToolDefinition[]): string =>
  tools.length ? `Tools:\n${toToolList(tools)}\n${textCall}` : ''

/**
 * Instructions of native mode, whose tools go through the API. Empty if there is nothing to call.
 */
export const toNativePrompt = (callable: number): string =>
  callable > 0
    ? `Use the tools when they help; you never pretend to have used one. Do not repeat a call whose result you have.
When you have what you need, answer in plain text.`
    : ''
