import { isObject } from '@modelport/core'
import type { AgentCallAction, ToolCallAction } from './action.js'
import { parseShorthand } from './call-shorthand.js'
import { toNamedCall } from './text-calls.js'

/** Names that a model may call. A repair needs exactly one target. */
export interface ActionTargets {
  /** Names of the tools. */
  readonly tools: readonly string[]
  /** Names of the agents. */
  readonly agents: readonly string[]
  /** Names of the tools that each agent advertises, by the agent's name. Default: none. */
  readonly agentTools?: Readonly<Record<string, readonly string[]>>
}

/** An object that the action schema can check, with the repairs it needed. */
export interface Repaired {
  readonly value: Readonly<Record<string, unknown>>
  readonly repairs: readonly string[]
}

type Envelope = Readonly<Record<string, unknown>>
/** Returns the repaired object, or undefined if the repair does not apply. */
type Repair = readonly [
  name: string,
  apply: (value: Envelope, targets: ActionTargets) => Envelope | undefined,
]

/** An object with any of these keys is meant as an action and must follow the schema. */
const envelopeKeys = [
  'type',
  'tool',
  'args',
  'agent',
  'action',
  'prompt',
  'content',
  'payload',
  'thought',
]

/** In this order: a local tool is recognized before an agent is guessed. */
const repairs: readonly Repair[] = [
  ['name and arguments read', namedCall],
  ['answer taken as final', bareObject],
  ['null fields dropped', withoutNulls],
  ['payload flattened', flatPayload],
  ['content made text', textContent],
  ['shorthand call read', shorthandCall],
  ['agent call of a local tool', localTool],
  ['agent found by its tool', owningAgent],
  ['the only agent filled in', onlyAgent],
]

/** Applies every repair that leaves one possible meaning. */
export function repairAction(value: Envelope, targets: ActionTargets): Repaired {
  const done: string[] = []
  let current = value
  for (const [name, apply] of repairs) {
    const next = apply(current, targets)
    if (!next) continue
    current = next
    done.push(name)
  }
  return { value: current, repairs: done }
}

/**
 * Reads a call written as code, `tool(…)` or `agent.tool(…)`. Returns undefined for any other text.
 */
export function readShorthand(
  text: string,
  targets: ActionTargets,
): ToolCallAction | AgentCallAction | undefined {
  const call = parseShorthand(text, (tool, agent) =>
    agent === undefined ? targets.tools.includes(tool) : advertises(targets, agent, tool),
  )
  if (!call) return undefined
  const { agent, tool, args } = call
  return agent === undefined
    ? { type: 'tool_call', tool, args }
    : { type: 'agent_call', agent, action: 'tool_call', tool, args }
}

const advertises = (
  { agents, agentTools = {} }: ActionTargets,
  agent: string,
  tool: string,
): boolean =>
  agents.includes(agent) &&
  Object.hasOwn(agentTools, agent) &&
  (agentTools[agent]?.includes(tool) ?? false)

function namedCall(value: Envelope, { tools }: ActionTargets): Envelope | undefined {
  const call = toNamedCall(value, tools)
  return call && { type: 'tool_call', ...call }
}

function bareObject(value: Envelope): Envelope | undefined {
  const keys = Object.keys(value)
  if (!keys.length || keys.some((key) => envelopeKeys.includes(key))) return undefined
  return { type: 'final', content: JSON.stringify(value) }
}

/** Models that fill in every field of every variant set those they do not use to null. */
function withoutNulls(value: Envelope): Envelope | undefined {
  if (typeof value['type'] !== 'string') return undefined
  const kept = Object.entries(value).filter(
    ([key, inner]) => inner !== null || !envelopeKeys.includes(key),
  )
  return kept.length < Object.keys(value).length ? Object.fromEntries(kept) : undefined
}

/** A field of the action itself wins over the same field of its payload. */
function flatPayload({ payload, ...rest }: Envelope): Envelope | undefined {
  if (typeof rest['type'] !== 'string' || !isObject(payload)) return undefined
  return { ...payload, ...rest }
}

function textContent(value: Envelope): Envelope | undefined {
  const { type, content } = value
  if (type !== 'final' || typeof content === 'string' || content === undefined || content === null)
    return undefined
  return { ...value, content: JSON.stringify(content) }
}

/** Reads a call written as code in the field `tool` or `prompt` of a call without arguments. */
function shorthandCall(value: Envelope, targets: ActionTargets): Envelope | undefined {
  const { type, agent, action, tool, args, prompt, thought } = value
  if (type !== 'tool_call' && !(type === 'agent_call' && action === 'tool_call')) return undefined
  if (args !== undefined && !(isObject(args) && !Object.keys(args).length)) return undefined
  const source = prompt ?? tool
  if (typeof source !== 'string') return undefined
  const named =
    typeof agent === 'string' && !source.trimStart().startsWith(`${agent}.`)
      ? `${agent}.${source}`
      : source
  const call = readShorthand(named, targets) ?? readShorthand(source, targets)
  if (!call || (call.type === 'agent_call' && call.action === 'infer')) return undefined
  if (prompt !== undefined && tool !== undefined && tool !== call.tool) return undefined
  if (call.type === 'agent_call' && agent !== undefined && agent !== call.agent) return undefined
  return { ...call, ...(thought !== undefined && { thought }) }
}

/** Turns an agent call into a call of a local tool, if no agent it could mean has that tool. */
function localTool(value: Envelope, targets: ActionTargets): Envelope | undefined {
  const { type, agent, action, tool, args = {}, thought } = value
  if (
    type !== 'agent_call' ||
    action !== 'tool_call' ||
    typeof tool !== 'string' ||
    !targets.tools.includes(tool)
  )
    return undefined
  const meant =
    agent === undefined ? targets.agents : targets.agents.filter((name) => name === agent)
  if (meant.some((name) => advertises(targets, name, tool))) return undefined
  return { type: 'tool_call', tool, args, ...(thought !== undefined && { thought }) }
}

/** Fills in the agent of a tool call if exactly one agent advertises the tool. */
function owningAgent(value: Envelope, targets: ActionTargets): Envelope | undefined {
  const { type, agent, action, tool } = value
  if (
    type !== 'agent_call' ||
    action !== 'tool_call' ||
    agent !== undefined ||
    typeof tool !== 'string'
  )
    return undefined
  const owners = targets.agents.filter((name) => advertises(targets, name, tool))
  return owners.length === 1 ? { ...value, agent: owners[0] } : undefined
}

function onlyAgent(value: Envelope, { agents }: ActionTargets): Envelope | undefined {
  if (value['type'] !== 'agent_call' || value['agent'] !== undefined || agents.length !== 1)
    return undefined
  return { ...value, agent: agents[0] }
}
