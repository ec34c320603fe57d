import { type JsonObject, LlmError, type ToolCall, type ToolDefinition } from '@modelport/core'
import type { AgentCallAction } from './action.js'
import { isPlainObject } from '../base/canonical-json.js'
import type { BudgetLedger } from '../budget/budget.js'
import type { AgentRequest, AgentTarget } from '../loop/agent-target.js'
import { type Listed, toAgentList } from './agent-list.js'
import type { Tool, ToolContext, Validated } from '../tools/tool.js'

/** Names of the tools by which a native model reaches other agents. */
export const delegationNames = { infer: 'delegate_to_agent', tool_call: 'call_agent_tool' } as const

/**
 * The tools that reach other agents: none where there is no agent, and no call of an agent's tool where no agent has one.
 * @throws {LlmError} `config` — a tool has a name of theirs, or two agents share a name.
 */
export function toDelegationTools(
  agents: readonly AgentTarget[],
  tools: readonly ToolDefinition[],
  budget: BudgetLedger,
): readonly Tool[] {
  if (!agents.length) return []
  const names = agents.map(({ name }) => name)
  const taken = tools.find(({ name }) => Object.values<string>(delegationNames).includes(name))
  if (taken)
    throw new LlmError('config', `the tool name "${taken.name}" is taken: it reaches other agents; rename the tool`)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new LlmError('config', `two agents are named "${twice}"`)
  const delegate = toTool(agents, budget, {
    name: delegationNames.infer,
    description: `Asks another agent to do a piece of work.\nAgents:\n${toAgentList(agents.map(withoutTools))}`,
    parameters: schemaOf({ agent: { type: 'string', enum: names }, prompt: { type: 'string' } }),
  })
  const owners = agents.filter((agent) => agent.tools?.length)
  if (!owners.length) return [delegate]
  const ownerNames = owners.map(({ name }) => name)
  const parameters = schemaOf({
    agent: { type: 'string', enum: ownerNames },
    tool: { type: 'string' },
    args: { type: 'object' },
  })
  return [
    delegate,
    toTool(agents, budget, {
      name: delegationNames.tool_call,
      description: `Calls a tool of another agent.\nAgents:\n${toAgentList(owners)}`,
      parameters,
    }),
  ]
}

/** The agent call a native tool call stands for; undefined for any other call, and for one that is not well formed. */
export function toAgentAction({ name, arguments: given, error }: ToolCall): AgentCallAction | undefined {
  const { agent, prompt, tool, args = {} } = given
  if (error !== undefined || typeof agent !== 'string') return undefined
  if (name === delegationNames.infer && typeof prompt === 'string')
    return { type: 'agent_call', agent, action: 'infer', prompt }
  if (name !== delegationNames.tool_call || typeof tool !== 'string' || !isPlainObject(args)) return undefined
  return { type: 'agent_call', agent, action: 'tool_call', tool, args }
}

/** The tool call that executes an agent call. */
export function toDelegationCall(action: AgentCallAction, id: string): ToolCall {
  const { agent } = action
  const given =
    action.action === 'infer' ? { agent, prompt: action.prompt } : { agent, tool: action.tool, args: action.args }
  return { id, name: delegationNames[action.action], arguments: given, argumentsText: JSON.stringify(given) }
}

const schemaOf = (properties: JsonObject): JsonObject => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})
const withoutTools = ({ name, description }: AgentTarget): Listed => ({ name, description })

function toTool(agents: readonly AgentTarget[], budget: BudgetLedger, definition: ToolDefinition): Tool {
  return {
    definition,
    validate: (args) => validateCall(agents, definition.name, args),
    execute: (value, { callId, step, signal }: ToolContext) => {
      const { agent, request } = value as { readonly agent: AgentTarget; readonly request: AgentRequest }
      return agent.call(request, { callId, step, signal, budget })
    },
    // An agent has limits of its own.
    timeoutMs: Infinity,
  }
}

function validateCall(agents: readonly AgentTarget[], name: string, args: JsonObject): Validated {
  const action = toAgentAction({ id: '', name, arguments: args, argumentsText: '' })
  if (!action)
    return {
      ok: false,
      message:
        name === delegationNames.infer ? 'give "agent" and "prompt"' : 'give "agent", "tool" and the object "args"',
    }
  const agent = agents.find((one) => one.name === action.agent)
  if (!agent)
    return {
      ok: false,
      message: `there is no agent "${action.agent}"; agents: ${agents.map((one) => one.name).join(', ')}`,
    }
  if (action.action === 'infer') {
    if (!action.prompt.trim()) return { ok: false, message: 'the prompt is blank' }
    return { ok: true, value: { agent, request: { action: 'infer', prompt: action.prompt } } }
  }
  if (!agent.tools?.some((tool) => tool.name === action.tool)) {
    return {
      ok: false,
      message: `the agent "${agent.name}" has no tool "${action.tool}"; its tools: ${agent.tools?.map((tool) => tool.name).join(', ') ?? 'none'}`,
    }
  }
  return { ok: true, value: { agent, request: { action: 'tool_call', tool: action.tool, args: action.args } } }
}
