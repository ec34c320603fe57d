import {
  configError,
  isObject,
  type JsonObject,
  type ToolCall,
  type ToolDefinition,
} from '@modelport/core'
import { messageOf } from '../base/message-of.js'
import { cut } from '../base/well-formed.js'
import type { BudgetLedger } from '../budget/budget.js'
import type { Validated } from '../schema/json-schema.js'
import type { AgentContext, AgentRequest, AgentTarget } from '../tools/agent-target.js'
import type { Tool, ToolContext } from '../tools/tool.js'
import { isToolFailure, ToolFailure } from '../tools/tool-content.js'
import { unknownToolText } from '../tools/unknown-tool.js'
import type { AgentCallAction, ToolCallAction } from './action.js'
import { type Listed, toAgentList } from './agent-list.js'
import type { ActionTargets } from './repair-action.js'

/**
 * Names of the tools by which a native model reaches other agents: `infer` asks one in words,
 * `tool_call` calls a tool of one.
 */
export const delegationNames = { infer: 'delegate_to_agent', tool_call: 'call_agent_tool' } as const

/**
 * The tools that reach other agents: none without agents, and none for an agent's tools if no agent
 * has any.
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
    throw configError(
      `the tool name "${taken.name}" is taken: it reaches other agents; rename the tool`,
    )
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw configError(`two agents are named "${twice}"`)
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

/** Collects the names that a model may call. */
export const toTargets = (
  tools: readonly ToolDefinition[],
  agents: readonly AgentTarget[] = [],
): ActionTargets => ({
  tools: tools.map(({ name }) => name),
  agents: agents.map(({ name }) => name),
  agentTools: Object.fromEntries(
    agents.map((agent) => [agent.name, agent.tools?.map(({ name }) => name) ?? []]),
  ),
})

/**
 * The agent call that a native tool call stands for; undefined for any other call and for a
 * malformed one.
 */
export function toAgentAction({
  name,
  arguments: given,
  error,
}: ToolCall): AgentCallAction | undefined {
  const { agent, prompt, tool, args = {} } = given
  if (error !== undefined || typeof agent !== 'string') return undefined
  if (name === delegationNames.infer && typeof prompt === 'string')
    return { type: 'agent_call', agent, action: 'infer', prompt }
  if (name !== delegationNames.tool_call || typeof tool !== 'string' || !isObject(args))
    return undefined
  return { type: 'agent_call', agent, action: 'tool_call', tool, args }
}

/** Why a call cannot be served. */
export interface CallRefusal {
  readonly status: 'unknown-tool' | 'invalid-arguments'
  /** Written for the model. */
  readonly message: string
}

/**
 * Checks a call that was written as JSON or text before it is authorized. Its messages name only
 * what such a model was shown: never the delegation tools. Returns undefined for a call that can be
 * served.
 */
export function refuseWrittenCall(
  action: ToolCallAction | AgentCallAction,
  tools: readonly ToolDefinition[],
  agents: readonly AgentTarget[],
): CallRefusal | undefined {
  if (action.type === 'tool_call') {
    const names = tools.map(({ name }) => name)
    return names.includes(action.tool)
      ? undefined
      : { status: 'unknown-tool', message: unknownToolText(action.tool, names) }
  }
  const message = refuseAgentCall(action, agents)
  return message === undefined
    ? undefined
    : { status: 'invalid-arguments', message: `The agent was not asked: ${message}.` }
}

/** The tool call that executes an agent call. */
export function toDelegationCall(action: AgentCallAction, id: string): ToolCall {
  const { agent } = action
  const given =
    action.action === 'infer'
      ? { agent, prompt: action.prompt }
      : { agent, tool: action.tool, args: action.args }
  return {
    id,
    name: delegationNames[action.action],
    arguments: given,
    argumentsText: JSON.stringify(given),
  }
}

const schemaOf = (properties: JsonObject): JsonObject => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})
const withoutTools = ({ name, description }: AgentTarget): Listed => ({ name, description })

function toTool(
  agents: readonly AgentTarget[],
  budget: BudgetLedger,
  definition: ToolDefinition,
): Tool {
  return {
    definition,
    validate: (args) => validateCall(agents, definition.name, args),
    execute: (value, context: ToolContext) => {
      const { agent, request } = value as {
        readonly agent: AgentTarget
        readonly request: AgentRequest
      }
      return callAgent(agent, request, { ...context, budget })
    },
    // An agent has limits of its own.
    timeoutMs: Infinity,
  }
}

/** What went wrong on the way to an agent or back: the agent itself has not answered. */
export class AgentNotHeard extends ToolFailure {}

/** Names the agent in a failure: the model may know nothing of the tool that reached it. */
async function callAgent(
  agent: AgentTarget,
  request: AgentRequest,
  context: AgentContext,
): Promise<unknown> {
  try {
    return await agent.call(request, context)
  } catch (error) {
    if (context.signal.aborted || isToolFailure(error)) throw error
    throw new AgentNotHeard(`The agent "${agent.name}" failed: ${messageOf(error)}`, {
      cause: error,
    })
  }
}

function validateCall(agents: readonly AgentTarget[], name: string, args: JsonObject): Validated {
  const action = toAgentAction({ id: '', name, arguments: args, argumentsText: '' })
  if (!action) {
    const isPrompt = name === delegationNames.infer
    return {
      ok: false,
      message: isPrompt
        ? 'give "agent" and "prompt"'
        : 'give "agent", "tool" and the object "args"',
    }
  }
  const message = refuseAgentCall(action, agents)
  const agent = agents.find((one) => one.name === action.agent)
  if (message !== undefined || !agent) return { ok: false, message: message ?? '' }
  const request: AgentRequest =
    action.action === 'infer'
      ? { action: 'infer', prompt: action.prompt }
      : { action: 'tool_call', tool: action.tool, args: action.args }
  return { ok: true, value: { agent, request } }
}

/** Says why an agent cannot be asked; undefined if it can. */
function refuseAgentCall(
  action: AgentCallAction,
  agents: readonly AgentTarget[],
): string | undefined {
  const agent = agents.find((one) => one.name === action.agent)
  if (!agent) {
    const known = agents.length
      ? `agents: ${agents.map(({ name }) => name).join(', ')}`
      : 'there are no agents'
    return `there is no agent "${cut(action.agent, 100)}"; ${known}`
  }
  if (action.action === 'infer') return action.prompt.trim() ? undefined : 'the prompt is blank'
  const tools = agent.tools?.map(({ name }) => name) ?? []
  if (tools.includes(action.tool)) return undefined
  return `the agent "${agent.name}" has no tool "${cut(action.tool, 100)}"; its tools: ${tools.join(', ') || 'none'}`
}
